"""How long the real parts take for one access to a queue's slot: a TCM, an SRAM and one channel of HBM."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from components.registry import build
from simcore.kernel import Environment, Port
from simcore.units import TICKS_PER_NS
from topology.collectives.slots import TIERS

if TYPE_CHECKING:
    from components.fabric.fabric import Fabric
    from components.fabric.link import LinkBase

BURST_BYTES = 256


class _Client:
    name = "client"


def slot_access_ns(tier: str, direction: str, nbytes: int) -> Fraction:
    """One access of ``nbytes`` to a slot in ``tier``, with the published constants of that tier."""
    env = Environment()
    rate, setup_ns = TIERS[tier].bw_gbs, TIERS[tier].setup_ns
    if tier == "tcm":
        from components.memory.tcm import TcmRequest

        port: Port[TcmRequest] = Port(env, "requests", TcmRequest)
        port.attach("out", _Client())
        build(env, "tcm", "slot", {"read_bw_gbs": rate, "write_bw_gbs": rate, "overhead_ns": 0}, {"requests": port})
        request = TcmRequest(direction, nbytes, env.event())
        port.put(request)
        env.run(request.done)
    else:
        env.run(_over_a_wire(env, tier, direction, nbytes, rate, setup_ns))
    return Fraction(env.now, TICKS_PER_NS)


def _over_a_wire(env: Environment, tier: str, direction: str, nbytes: int, rate: int, setup_ns: int) -> Any:
    """One leg between a client and the memory, over a link that takes no time."""
    from components.fabric.flow import Flow

    fabric = cast("Fabric", build(env, "fabric", "fabric", {"flit_bytes": BURST_BYTES}, {}))
    client: Any = build(env, "router", "client", {"overhead_ns": 0}, {})
    channel = {"num_pcs": 1, "burst_bytes": BURST_BYTES, "pc_bw_gbs": rate, "switch_penalty_ns": 0}
    kind, given = ("sram", {"bw_gbs": rate}) if tier == "sram" else ("hbm_controller", channel)
    slot: Any = build(env, kind, "slot", {**given, "overhead_ns": setup_ns}, {})
    free = {"bw_gbs": 0, "propagation_ns": 0, "overhead_ns": 0, "arbitration": "fifo"}
    ends = (client, slot) if direction == "write" else (slot, client)
    link = cast("LinkBase[Any]", build(env, "link", "wire", free, {}))
    fabric.connect(link, *ends)
    access = slot.access(direction, 0, nbytes, BURST_BYTES)
    source, sink = (None, access) if direction == "write" else (access, None)
    return fabric.submit(Flow("access", nbytes, (link,), None, source=source, sink=sink))
