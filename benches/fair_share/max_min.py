"""Max-min fair sharing in time: rates are filled evenly, and anew where a flow starts or ends (ADR-0060).

The least rate is as high as it can be, then the next, and so on: every flow has a full link on which nobody is faster
(D. Bertsekas and R. Gallager, Data Networks, 2nd edition, section 6.5.2).
"""

from __future__ import annotations

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
    """One analysis."""

    def __init__(self, network: Network, with_rates: bool, compiled: bool | None) -> None:
        self.network = network
        self.agenda = Agenda(network)
        self.state = _state(network)
        large = len(network.flows) * len(self.state.entry_link) > SMALL if compiled is None else compiled
        self.resolve: Resolve = compiled_resolve() if large else resolve
        self.ends_ns = [inf] * len(network.flows)
        self.rates: list[list[Step]] | None = [[] for _ in network.flows] if with_rates else None

    def solution(self) -> Solution:
        """Runs to the end."""
        state = self.state
        while True:
            first_end = float(state.end.min(initial=inf))
            now = min(self.agenda.next_ns, first_end)
            if now == inf:
                break
            seeds = [link for n in np.flatnonzero(state.end <= now).tolist() for link in self._links_of(n)]
            self._resolve(seeds, now, now)
            while started := self.agenda.take(now):
                seeds = [link for number in started for link in self._start(number, now)]
                self._resolve(seeds, now, -inf)
        self.agenda.check_all_started()
        return Solution(
            tuple([self._end(number) for number in range(len(self.network.flows))]),
            tuple(self.rates) if self.rates is not None else (),
        )

    def _resolve(self, seeds: list[int], now: float, due: float) -> None:
        """Fills all that is connected with the links ``seeds`` anew, without the flows that end by ``due``."""
        if not seeds:
            return
        count = self.resolve(self.state, np.array(seeds, np.int64), now, due)
        if self.rates is not None:
            for number in np.flatnonzero(self.state.end < inf).tolist():
                self._note(number, now, float(self.state.rate[number]))
        for number in self.state.out[:count].tolist():
            self._ended(number, now)

    def _start(self, number: int, now: float) -> list[int]:
        """Puts a flow onto its links, or ends it at once if nothing holds it up."""
        state = self.state
        links = self._links_of(number)
        if not links or not self.network.flows[number].nbytes:
            self._ended(number, now)
            return []
        for entry, link in zip(range(*state.first_entry[number : number + 2].tolist()), links, strict=True):
            state.entry_place[entry] = state.first_crowd[link] + state.members[link]
            state.crowd[state.entry_place[entry]] = entry
            state.members[link] += 1
        state.since[number] = now
        return links

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
        held = [float(ns) for ns in state.held[first:end]]
        longest = max(held, default=0.0)
        bottleneck = None
        if longest > 0:
            bottleneck = int(state.entry_link[first + held.index(longest)])
        lost = {int(state.entry_link[e]): float(state.lost[e]) for e in range(first, end) if state.lost[e] > 0}
        return FluidEnd(self.agenda.starts_ns[number], self.ends_ns[number], bottleneck, lost)


def _state(network: Network) -> State:
    """Everybody still to come; links that hold nobody up are left out of the paths."""
    capacities = network.capacities_gbs
    paths = [[link for link in flow.links if isfinite(capacities[link])] for flow in network.flows]
    links, flows, entries = len(capacities), len(paths), sum(map(len, paths))
    nbytes = np.array([flow.nbytes for flow in network.flows], np.float64)
    entry_link = np.array([link for path in paths for link in path], np.int64)
    return State(
        capacity=np.array(capacities, np.float64),
        first_entry=np.cumsum([0, *map(len, paths)], dtype=np.int64),
        entry_link=entry_link,
        entry_flow=np.repeat(np.arange(flows, dtype=np.int64), [len(path) for path in paths]),
        entry_place=_none(entries),
        held=np.zeros(entries),
        lost=np.zeros(entries),
        first_crowd=np.concatenate([[0], np.cumsum(np.bincount(entry_link, minlength=links))]).astype(np.int64),
        crowd=_none(entries),
        members=_none(links) * 0,
        nbytes=nbytes,
        alone=np.array([network.alone_gbs(flow) for flow in network.flows], np.float64),
        left=nbytes.copy(),
        since=np.zeros(flows),
        rate=np.zeros(flows),
        end=np.full(flows, inf),
        frozen_at=_none(flows),
        link_seen=_none(links),
        flow_seen=_none(flows),
        room=np.zeros(links),
        unfrozen=_none(links),
        flows=_none(2 * flows),
        links=_none(links),
        heap_share=np.zeros(links),
        heap_link=_none(links),
        full=_none(links),
        out=_none(flows),
        marks=np.ones(1, np.int64),
    )


def _none(count: int) -> Ints:
    return np.full(count, NONE, np.int64)
