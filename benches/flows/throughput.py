"""Each flow's throughput in time, as delivered: the same run with somebody at every end who writes down the flits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt

from benches.flows.run import run_traffic
from benches.flows.traffic import Traffic
from simcore.units import TICKS_PER_NS

Floats = npt.NDArray[np.float64]


@dataclass(slots=True)
class Arrivals:
    """An end of a flow that takes no time for a flit: when each came (ps) and how large it was."""

    name: str
    at_ticks: list[int] = field(default_factory=list)
    nbytes: list[int] = field(default_factory=list)

    @property
    def end_point(self) -> Arrivals:
        """Itself: no two flows share one."""
        return self

    def serve(self, _flit: int, nbytes: int, at_ticks: int) -> int:
        """Writes it down."""
        self.at_ticks.append(at_ticks)
        self.nbytes.append(nbytes)
        return at_ticks

    def save(self) -> object:
        """How much has been written."""
        return len(self.at_ticks)

    def restore(self, saved: object) -> None:
        """Strikes out what was written since."""
        kept = cast(int, saved)
        del self.at_ticks[kept:], self.nbytes[kept:]


def throughput(traffic: Traffic, numbers: list[int], bins: int) -> tuple[Floats, Floats]:
    """Bounds of ``bins`` equal spans of the run (ns, one more than spans), and GB/s in each: a row per flow asked for.

    ``numbers``: of the flows. An end point is asked in whole ps, so that flits may pass by less than that apart from
    the run without one.
    """
    ends = {n: Arrivals(traffic.flows[n].name) for n in numbers if traffic.flows[n].src != traffic.flows[n].dst}
    result = run_traffic(traffic, sinks=ends)
    first = min(times.start_ticks for times in result.flows) / TICKS_PER_NS
    bounds = np.linspace(first, first + max(float(result.makespan_ns), 1e-3), bins + 1)
    rows = np.zeros((len(numbers), bins))
    for row, n in zip(rows, numbers, strict=True):
        if n in ends:
            at_ns = np.array(ends[n].at_ticks, np.float64) / TICKS_PER_NS
            row[:] = np.histogram(at_ns, bounds, weights=np.array(ends[n].nbytes, np.float64))[0] / np.diff(bounds)
    return bounds, rows
