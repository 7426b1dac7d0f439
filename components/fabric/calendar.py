"""The fabric's own calendar: what happens at which moment, and who has to decide at the moment that is on.

A moment has two halves. First everything arrives: services end, flits and credits come in, transfers begin. Then links
and end points decide whom to serve, knowing all that has arrived. What is so caused at the very same moment (a service
that takes no time) is a further round of both halves.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from components.fabric.exact_time import LONG_AGO

if TYPE_CHECKING:
    from components.fabric.flit_run import Asking
    from components.fabric.link import LinkBase

Arrival = Callable[[int], None]
"""Called with the moment at which it happens."""


class Calendar:
    """What is still to happen. The order of the arrivals of one moment is of no consequence."""

    __slots__ = ("arrivals", "asking", "decided", "deciding", "moments")

    def __init__(self) -> None:
        self.moments: list[int] = []
        """A heap of the keys of :attr:`arrivals`."""
        self.arrivals: dict[int, list[Arrival]] = {}
        self.deciding: list[LinkBase[Any]] = []
        """Links that something has come to since they last decided, each once."""
        self.asking: list[Asking] = []
        """Flits that end points are to serve."""
        self.decided = LONG_AGO
        """The last moment at which links and end points have decided."""

    def at(self, moment: int, arrival: Arrival) -> None:
        """Lets ``arrival`` happen at ``moment``, which is not before the one that is on."""
        arrivals = self.arrivals.get(moment)
        if arrivals is None:
            self.arrivals[moment] = [arrival]
            heappush(self.moments, moment)
        else:
            arrivals.append(arrival)

    def happens_at(self, moment: int) -> bool:
        """Whether more is to happen at ``moment``, before which nothing is."""
        return bool(self.moments) and self.moments[0] == moment

    def arrive(self, moment: int) -> None:
        """The first half of ``moment``, before which nothing is left to happen."""
        moments, arrivals = self.moments, self.arrivals
        while moments and moments[0] == moment:
            heappop(moments)
            for arrival in arrivals.pop(moment):
                arrival(moment)

    def decide(self, moment: int) -> None:
        """The second half of ``moment``."""
        self.decided = moment
        if self.deciding:
            links, self.deciding = self.deciding, []
            for link in links:
                link.decide(moment)
        if self.asking:
            asking, self.asking = self.asking, []
            asking.sort()
            for asked in asking:
                asked.serve(moment)
