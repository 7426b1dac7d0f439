"""Works and transfers of the device's parts, made by hand for their drivers."""

from __future__ import annotations

from components.device.transfer import Transfer
from components.device.work import DeviceWork
from simcore.timing.confidence import Level
from simcore.timing.device.costs import MatmulCost, OperationCost
from simcore.timing.device.lowering import DeviceOp, Kind
from simcore.timing.device.packets import DeviceTransfer
from simcore.timing.device.stall_draws import Stalls


def work_of(
    index: int,
    kind: Kind = Kind.compute,
    cost: OperationCost | MatmulCost | None = None,
    *,
    engine: str = "DVE",
    waits: tuple[tuple[int, bool], ...] = (),
) -> DeviceWork:
    """Instruction number ``index``, called ``I<index>``."""
    op = DeviceOp(
        index=index,
        name=f"I{index}",
        opcode=kind.value,
        engine=engine,
        kind=kind,
        cycles=0,
        given_ns=None,
        operation=(engine, kind.value, "SB", "float32", False),
        transpose=False,
        waits=waits,
        transfer=None,
    )
    return DeviceWork(op, cost)


def lasting(interval_ps: int, latency_ps: int) -> OperationCost:
    """The cost of a compute operation."""
    return OperationCost(interval_ps, latency_ps, Level.EXACT)


def transfer_of(
    name: str,
    queue: str,
    packets: tuple[int, ...],
    packet_ps: int,
    *,
    reads: bool,
    trigger: DeviceWork | None = None,
    stalls: tuple[int, int, int] = (0, 0, 0),
) -> Transfer:
    """A transfer whose reads lose the same on every engine: anew, after another, beside a write."""
    moves = DeviceTransfer(name, queue, False, reads, not reads, 2048, 1, sum(packets))
    lost = Stalls(*((ps,) * len(packets) for ps in stalls))
    return Transfer(moves, trigger, packets, packet_ps, lost)
