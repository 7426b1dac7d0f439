"""Max-min fair sharing in time: rates are filled evenly, and anew where a flow starts or ends (ADR-0060).

The least rate is as high as it can be, then the next, and so on: every flow has a full link on which nobody is faster
(D. Bertsekas and R. Gallager, Data Networks, 2nd edition, section 6.5.2).
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf, isfinite

import numpy as np

from benches.fair_share.agenda import Agenda
from benches.fair_share.filling import NONE, SMALL, Ints, Resolve, State, compiled_resolve, resolve
from benches.fair_share.fluid import FluidEnd, Network, Solution, Step


def max_min(network: Network, *, with_rates: bool = False, compiled: bool | None = None) -> Solution:
    """When each flow of ``network`` ends if the running flows share every link fairly, from start to end.

    Only what is connected with a flow that starts or ends is filled anew, so that traffic on other links comes to the
    same bits with and without it. ``with_rates``: also every change of a rate. ``compiled``: how to compute, with the
    same result; None: compiled where it pays. Raises ValueError for flows that wait for each other in a circle.
    """
    return _MaxMin(network, with_rates, compiled).solution()


class _MaxMin:
    """One analysis. The last links of its state are the caps of flows that have one, each private to its flow."""

    def __init__(self, network: Network, with_rates: bool, compiled: bool | None) -> None:
        self.network = network
        self.agenda = Agenda(network)
        self.state = _state(network)
        entries = len(self.state.entry_link)
        large = len(network.flows) * entries > SMALL if compiled is None else compiled
        self.resolve: Resolve = compiled_resolve() if large else resolve
        self.ends_ns = [inf] * len(network.flows)
        self.due: list[tuple[float, int]] = []
        """A heap of flows that may be the next to end; outdated where the flow says otherwise by now."""
        self.rates: list[list[Step]] | None = [[] for _ in network.flows] if with_rates else None

    def solution(self) -> Solution:
        """Runs to the end."""
        while (now := min(self.agenda.next_ns, self._next_end())) < inf:
            seeds = self._finish(now)
            while started := self.agenda.take(now):
                for number in started:
                    seeds += self._start(number, now)
            self._fill(seeds, now)
        self.agenda.check_all_started()
        return Solution(
            tuple([self._end(number) for number in range(len(self.network.flows))]),
            tuple(self.rates) if self.rates is not None else (),
        )

    def _next_end(self) -> float:
        state, due = self.state, self.due
        while due and not (state.running[due[0][1]] and state.end[due[0][1]] == due[0][0]):
            heappop(due)
        return due[0][0] if due else inf

    def _finish(self, now: float) -> list[int]:
        """Ends what is due at ``now``; returns the links that are freed."""
        seeds: list[int] = []
        state = self.state
        while self._next_end() <= now:
            number = heappop(self.due)[1]
            state.due[number] = True
            seeds += self._links_of(number)
        if not seeds:
            return seeds
        freed: list[int] = []
        count = self.resolve(state, _array(seeds), now, True)
        for number in state.out[:count].tolist():
            freed += self._links_of(number)
            self._ended(number, now)
        return freed

    def _start(self, number: int, now: float) -> list[int]:
        """Puts a flow onto its links, or ends it at once if nothing holds it up."""
        state = self.state
        links = self._links_of(number)
        if not links or not self.network.flows[number].nbytes:
            self._ended(number, now)
            return []
        for entry, link in zip(range(*state.first_entry[number : number + 2].tolist()), links, strict=True):
            state.entry_next[entry], state.entry_previous[entry] = state.link_head[link], NONE
            if state.link_head[link] != NONE:
                state.entry_previous[state.link_head[link]] = entry
            state.link_head[link] = entry
            state.members[link] += 1
        state.running[number] = True
        state.since[number] = now
        state.rate[number] = 0.0
        state.frozen_at[number] = state.first_entry[number]
        return links

    def _fill(self, seeds: list[int], now: float) -> None:
        state = self.state
        count = self.resolve(state, _array(list(dict.fromkeys(seeds))), now, False)
        for number in state.out[:count].tolist():
            heappush(self.due, (float(state.end[number]), number))
        if self.rates is not None:
            for number in np.flatnonzero(state.running).tolist():
                self._note(number, now, float(state.rate[number]))

    def _ended(self, number: int, now: float) -> None:
        flow = self.network.flows[number]
        self.ends_ns[number] = now + flow.tail_ns
        self._note(number, now, 0.0)
        self.agenda.ended(number, self.ends_ns[number])

    def _note(self, number: int, now: float, rate_gbs: float) -> None:
        if self.rates is not None:
            steps = self.rates[number]
            if (steps[-1][1] if steps else 0.0) != rate_gbs:
                steps.append((now, rate_gbs))

    def _links_of(self, number: int) -> list[int]:
        first, end = self.state.first_entry[number : number + 2].tolist()
        links: list[int] = self.state.entry_link[first:end].tolist()
        return links

    def _end(self, number: int) -> FluidEnd:
        state = self.state
        first, end = state.first_entry[number : number + 2].tolist()
        public = [e for e in range(first, end) if state.entry_link[e] < len(self.network.capacities_gbs)]
        held = [float(state.held[e]) for e in public]
        longest = max(held, default=0.0)
        bottleneck = None
        if longest > 0:
            bottleneck = int(state.entry_link[public[held.index(longest)]])
        lost = {int(state.entry_link[e]): float(state.lost[e]) for e in public if state.lost[e] > 0}
        return FluidEnd(self.agenda.starts_ns[number], self.ends_ns[number], bottleneck, lost)


def _state(network: Network) -> State:
    """Everybody still to come; links that hold nobody up are left out of the paths."""
    capacities = list(network.capacities_gbs)
    paths: list[list[int]] = []
    for flow in network.flows:
        path = [link for link in flow.links if isfinite(capacities[link])]
        if isfinite(flow.cap_gbs):
            path.append(len(capacities))
            capacities.append(flow.cap_gbs)
        paths.append(path)
    links, flows, entries = len(capacities), len(paths), sum(map(len, paths))
    nbytes = np.array([flow.nbytes for flow in network.flows], np.float64)
    numbers = np.arange(flows, dtype=np.int64)
    return State(
        capacity=np.array(capacities, np.float64),
        first_entry=np.cumsum([0, *map(len, paths)], dtype=np.int64),
        entry_link=np.array([link for path in paths for link in path], np.int64),
        entry_flow=np.repeat(numbers, [len(path) for path in paths]),
        entry_next=np.full(entries, NONE, np.int64),
        entry_previous=np.full(entries, NONE, np.int64),
        held=np.zeros(entries),
        lost=np.zeros(entries),
        link_head=np.full(links, NONE, np.int64),
        members=np.zeros(links, np.int64),
        nbytes=nbytes,
        alone=np.array([network.alone_gbs(flow) for flow in network.flows], np.float64),
        left=nbytes.copy(),
        since=np.zeros(flows),
        rate=np.zeros(flows),
        end=np.zeros(flows),
        running=np.zeros(flows, np.bool_),
        due=np.zeros(flows, np.bool_),
        frozen_at=np.full(flows, NONE, np.int64),
        link_seen=np.zeros(links, np.int64),
        flow_seen=np.zeros(flows, np.int64),
        room=np.zeros(links),
        unfrozen=np.zeros(links, np.int64),
        flow_queue=np.zeros(flows, np.int64),
        link_queue=np.zeros(links, np.int64),
        out=np.zeros(flows, np.int64),
        counters=np.zeros(1, np.int64),
    )


def _array(numbers: list[int]) -> Ints:
    return np.array(numbers, np.int64)
