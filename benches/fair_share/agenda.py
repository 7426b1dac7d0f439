"""Who starts when: start times, and flows that wait for others."""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

from benches.fair_share.fluid import Network


class Agenda:
    """The flows of ``network`` that have not come to their links yet."""

    def __init__(self, network: Network) -> None:
        self._flows = network.flows
        self._dependents: list[list[int]] = [[] for _ in network.flows]
        self._missing = [0] * len(network.flows)
        self.starts_ns = [flow.start_ns for flow in network.flows]
        """When each flow starts; final as soon as all that it waits for have ended."""
        self._due: list[tuple[float, int]] = []
        for number, flow in enumerate(network.flows):
            waits_for = set(flow.after)
            self._missing[number] = len(waits_for)
            for other in waits_for:
                self._dependents[other].append(number)
            if not waits_for:
                heappush(self._due, (flow.start_ns + flow.head_ns, number))

    @property
    def next_ns(self) -> float:
        """When the next flow comes to its links; inf if none is known to."""
        return self._due[0][0] if self._due else inf

    def take(self, now_ns: float) -> list[int]:
        """The flows that come to their links at ``now_ns``, by their numbers."""
        taken = []
        while self._due and self._due[0][0] <= now_ns:
            taken.append(heappop(self._due)[1])
        return taken

    def ended(self, number: int, end_ns: float) -> None:
        """That flow has ended, so that others may start."""
        for other in self._dependents[number]:
            self._missing[other] -= 1
            self.starts_ns[other] = max(self.starts_ns[other], end_ns)
            if not self._missing[other]:
                heappush(self._due, (self.starts_ns[other] + self._flows[other].head_ns, other))

    def check_all_started(self) -> None:
        """Raises ValueError if flows wait for each other in a circle."""
        stuck = [number for number, missing in enumerate(self._missing) if missing]
        if stuck:
            raise ValueError(f"flows wait for each other in a circle: {stuck}")
