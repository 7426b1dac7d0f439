"""Shares where the inputs of routers take turns, not flows: on trees that lead to one sink (ADR-0060).

A link that leaves a router serves its inputs in turn: the links that lead there, and what starts there. With lossless
backpressure an input that brings less than its turns leaves the rest to the others, and one that brings more is held
back, and so are, by its own turns, those behind it. Along a chain that gives a half, a quarter, an eighth.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from benches.fair_share.agenda import Agenda
from benches.fair_share.filling import OVER
from benches.fair_share.fluid import FluidEnd, Network, Solution, Step


class NoTree(ValueError):
    """The traffic is no tree that leads to one sink; the text says where it is not."""


class Tree:
    """The links that the flows of ``network`` use, each leading to one next link or to the sink.

    Raises NoTree for other traffic. Flows without a link share with nobody.
    """

    def __init__(self, network: Network, sinks: Sequence[str], names: Sequence[str]) -> None:
        self.network = network
        self.following: dict[int, int | None] = {}
        self.local: dict[int, list[int]] = {}
        """The flows that start in front of each link."""
        ends: dict[str, None] = {}
        for number, flow in enumerate(network.flows):
            if not flow.links:
                continue
            ends[sinks[number]] = None
            self.local.setdefault(flow.links[0], []).append(number)
            for link, after in zip(flow.links, (*flow.links[1:], None), strict=True):
                if self.following.setdefault(link, after) != after:
                    raise NoTree(f"flows part behind the link {names[link]}: not all of them go on by the same link")
        if len(ends) > 1:
            raise NoTree(f"flows end at {len(ends)} different parts: {', '.join(ends)}")
        self.inputs: dict[int, list[int]] = {link: [] for link in self.following}
        for link, after in self.following.items():
            if after is not None:
                self.inputs[after].append(link)
        self.from_sink = self._from_sink()

    def _from_sink(self) -> list[int]:
        """All links, each before those that lead to it. Raises NoTree if some lead round in a circle."""
        order = [link for link, after in self.following.items() if after is None]
        for link in order:
            order += self.inputs[link]
        if len(order) < len(self.following):
            raise NoTree("links lead round in a circle")
        return order

    def rates(self, running: Sequence[bool]) -> dict[int, float]:
        """The rate of each running flow, in GB/s."""
        capacity = self.network.capacities_gbs
        here = {link: [n for n in numbers if running[n]] for link, numbers in self.local.items()}
        supply: dict[int, float] = {}
        for link in reversed(self.from_sink):
            brought = inf if here.get(link) else sum(supply[i] for i in self.inputs[link])
            supply[link] = min(capacity[link], brought)
        granted = {link: supply[link] for link in self.from_sink if self.following[link] is None}
        rates: dict[int, float] = {}
        for link in self.from_sink:
            locals_ = here.get(link, [])
            wants = [supply[i] for i in self.inputs[link]]
            if locals_:
                wants.append(inf)
            turns = even(granted[link], wants)
            granted.update(zip(self.inputs[link], turns, strict=False))
            if locals_:
                rates.update(zip(locals_, even(turns[-1], [inf] * len(locals_)), strict=True))
        return rates


def even(amount: float, wants: Sequence[float]) -> list[float]:
    """``amount`` dealt out evenly to those who want no more than ``wants``; what somebody leaves goes to the others."""
    dealt = [0.0] * len(wants)
    order = sorted(range(len(wants)), key=lambda k: wants[k])
    for place, k in enumerate(order):
        share = amount / (len(wants) - place) if amount < inf else inf
        dealt[k] = min(wants[k], share)
        amount = max(0.0, amount - dealt[k]) if amount < inf else inf
    return dealt


def by_ports(network: Network, sinks: Sequence[str], names: Sequence[str], *, with_rates: bool = False) -> Solution:
    """When each flow ends if inputs take turns. ``sinks``: the part at which each flow ends; ``names``: of links.

    Flows of one input share its turns as they came by; those that start at one part share theirs evenly. Raises NoTree
    for traffic to several sinks, or whose ways part, since who is held up there depends on whose bytes stand in front.
    """
    tree = Tree(network, sinks, names)
    agenda = Agenda(network)
    flows = network.flows
    left = [float(flow.nbytes) for flow in flows]
    running = [False] * len(flows)
    ends = [inf] * len(flows)
    steps: list[list[Step]] = [[] for _ in flows]
    rates: dict[int, float] = {}
    now = 0.0
    while True:
        due = {n: now + left[n] / rate for n, rate in rates.items() if rate > 0}
        then = min(agenda.next_ns, min(due.values(), default=inf))
        if then == inf:
            break
        for n, rate in rates.items():
            left[n] -= rate * (then - now)
        over = [n for n, end in due.items() if end <= then or left[n] <= OVER * (flows[n].nbytes + rates[n] * then)]
        now = then
        while over or agenda.next_ns <= now:
            for n in over:
                running[n] = False
                ends[n] = now + flows[n].tail_ns
                agenda.ended(n, ends[n])
            started = agenda.take(now)
            over = [n for n in started if network.alone_gbs(flows[n]) == inf or not flows[n].nbytes]
            for n in set(started) - set(over):
                running[n] = True
        rates = tree.rates(running)
        if with_rates:
            _note(steps, rates, now)
    agenda.check_all_started()
    found = tuple([FluidEnd(agenda.starts_ns[n], ends[n], None, {}) for n in range(len(flows))])
    return Solution(found, tuple(steps) if with_rates else ())


def _note(steps: list[list[Step]], rates: dict[int, float], now: float) -> None:
    for n, own in enumerate(steps):
        rate = rates.get(n, 0.0)
        if (own[-1][1] if own else 0.0) != rate:
            own.append((now, rate))
