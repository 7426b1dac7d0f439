"""What flows over what, as a fluid: rates that change when a flow starts or ends, and no packets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite


@dataclass(frozen=True, slots=True)
class FluidFlow:
    """``nbytes`` over the links of those numbers, all at once.

    It may start at ``start_ns`` and when the flows of the numbers ``after`` have ended. It takes its share of the links
    from ``head_ns`` later on, and has ended ``tail_ns`` after its last byte has left: a latency shifts a flow in time
    and does not change its share.
    """

    links: tuple[int, ...]
    nbytes: int
    start_ns: float = 0.0
    head_ns: float = 0.0
    tail_ns: float = 0.0
    after: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        times = (self.start_ns, self.head_ns, self.tail_ns)
        if self.nbytes < 0 or not all(isfinite(time) and time >= 0 for time in times):
            raise ValueError(f"a size or a time below 0: {self}")
        if len(set(self.links)) < len(self.links):
            raise ValueError(f"a link that stands twice on one path: {self.links}")


@dataclass(frozen=True, slots=True)
class Network:
    """Links by their numbers, with what each carries (GB/s, which is bytes per ns; inf: it holds nobody up)."""

    capacities_gbs: tuple[float, ...]
    flows: tuple[FluidFlow, ...]

    def __post_init__(self) -> None:
        if not all(capacity > 0 for capacity in self.capacities_gbs):
            raise ValueError("a link that carries nothing")
        for number, flow in enumerate(self.flows):
            if not all(0 <= link < len(self.capacities_gbs) for link in flow.links):
                raise ValueError(f"flow {number} names a link that there is not: {flow.links}")
            if not all(0 <= other < len(self.flows) for other in flow.after):
                raise ValueError(f"flow {number} waits for a flow that there is not: {flow.after}")

    def alone_gbs(self, flow: FluidFlow) -> float:
        """The rate of ``flow`` with nobody else about: that of its slowest link; inf if nothing holds it up."""
        return min((self.capacities_gbs[link] for link in flow.links), default=inf)


@dataclass(frozen=True, slots=True)
class FluidEnd:
    """How a flow fared. ``lost_ns``: how much later than alone it was because of each of its links, by their numbers.

    At every moment a flow is held up by one link, on which nobody is faster, and loses 1 - rate / (rate alone) of that
    moment to it; so the losses add up to the whole delay. ``bottleneck``: the link that held it up for the longest
    time, of equals the first; None where no link did.
    """

    start_ns: float
    end_ns: float
    bottleneck: int | None
    lost_ns: dict[int, float]


Step = tuple[float, float]
"""From this moment on (ns) at this rate (GB/s)."""


@dataclass(frozen=True, slots=True)
class Solution:
    """``ends`` and, if they were asked for, the ``rates`` of each flow in time, in the order of the flows."""

    ends: tuple[FluidEnd, ...]
    rates: tuple[Sequence[Step], ...] = ()
