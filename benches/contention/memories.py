"""One memory of a system by itself, at the end of a wire that takes no time, and accesses to it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from simcore.errors import InputError, Problem
from simcore.kernel import Environment
from simcore.units import TICKS_PER_NS
from topology.system import NodeSpec, System

if TYPE_CHECKING:
    from components.fabric.fabric import Fabric
    from components.fabric.flow import Flow
    from components.fabric.link import LinkBase


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """``nbytes`` from (``read``) or to (``write``) the byte ``address`` of the memory."""

    direction: str
    address: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class HbmNumbers:
    """What a controller's parameters say."""

    channels: int
    burst_bytes: int
    channel_gbs: Fraction

    @property
    def burst_ns(self) -> Fraction:
        """How long a channel serves a burst."""
        return self.burst_bytes / self.channel_gbs


def first_of_kind(system: System, kind: str, bench: str) -> NodeSpec:
    """The first part of ``kind`` in ``system``. Raises InputError if there is none."""
    for node in system.nodes():
        if node.kind == kind:
            return node
    raise InputError([Problem(f"bench {bench} needs a system with a part of kind {kind}", system.file)])


def hbm_numbers(node: NodeSpec, bench: str) -> HbmNumbers:
    """Those of the controller ``node``. Raises InputError for channels that take no time."""
    given = node.parameters
    channels, burst_bytes, rate = given["num_pcs"], given["burst_bytes"], given["pc_bw_gbs"]
    assert isinstance(channels, int) and isinstance(burst_bytes, int) and isinstance(rate, int | Fraction)
    if not rate:
        raise InputError([node.origin["kind"].problem(f"bench {bench} needs channels with a rate; pc_bw_gbs is 0")])
    return HbmNumbers(channels, burst_bytes, Fraction(rate))


class LoneHbm:
    """The controller ``node``, with other ``parameters`` where they are given."""

    def __init__(self, node: NodeSpec, flit_bytes: int, **parameters: object) -> None:
        from components.registry import build

        env = self._env = Environment()
        self._flit_bytes = flit_bytes
        self._fabric = cast("Fabric", build(env, "fabric", "fabric", {"flit_bytes": flit_bytes}, {}))
        client: Any = build(env, "router", "client", {"overhead_ns": 0}, {})
        self._memory: Any = build(env, node.kind, node.name, {**node.parameters, **parameters}, {}, node.impl)
        free = {"bw_gbs": 0, "propagation_ns": 0, "overhead_ns": 0, "arbitration": "flow_round_robin"}
        self._ways: dict[str, LinkBase[Any]] = {}
        for direction, ends in (("write", (client, self._memory)), ("read", (self._memory, client))):
            link = self._ways[direction] = cast("LinkBase[Any]", build(env, "link", direction, free, {}))
            self._fabric.connect(link, *ends)

    def at_once(self, accesses: Sequence[MemoryAccess]) -> list[Fraction]:
        """All asked for at 0; when each is over, in ns."""
        flows = [self._flow(access) for access in accesses]
        for done in [self._fabric.submit(flow) for flow in flows]:
            self._env.run(done)
        return [self._end_ns(flow) for flow in flows]

    def one_by_one(self, accesses: Sequence[MemoryAccess]) -> list[Fraction]:
        """Each asked for as soon as the one before is over; when each is over, in ns."""
        flows = [self._flow(access) for access in accesses]

        def story() -> Generator[Any, Any, None]:
            for flow in flows:
                yield self._fabric.submit(flow)

        self._env.run(self._env.spawn(story(), "accesses"))
        return [self._end_ns(flow) for flow in flows]

    def _flow(self, access: MemoryAccess) -> Flow:
        from components.fabric.flow import Flow

        point = self._memory.access(access.direction, access.address, access.nbytes, self._flit_bytes)
        source, sink = (point, None) if access.direction == "read" else (None, point)
        name = f"{access.direction} at {access.address}"
        return Flow(name, access.nbytes, (self._ways[access.direction],), None, source=source, sink=sink)

    def _end_ns(self, flow: Flow) -> Fraction:
        assert flow.ended_ticks is not None
        return flow.ended_ticks / TICKS_PER_NS
