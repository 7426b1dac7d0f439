"""The rules of the fabric once more, as plainly as they can be put: one object a flit, a heap, lists, fractions.

Nothing here is shared with the engine. Times are picoseconds, exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from typing import Protocol


class Bank(Protocol):
    """An end point: when is a flit done that it is asked for at a tick."""

    def serve(self, address: int, nbytes: int, at_ticks: int) -> int: ...


@dataclass(frozen=True)
class PlainLink:
    source: int
    destination: int
    bw_gbs: Fraction  # 0: no delay
    latency: int
    arbitration: str = "flow_round_robin"
    buffer_bytes: int | None = None
    credit_return: int = 0


@dataclass(frozen=True)
class PlainHop:
    overhead: int = 0
    reassembles: bool = False


@dataclass(frozen=True)
class PlainFlow:
    """``after``: starts at the first tick at which these have ended, not before ``start``. ``address``: at its bank."""

    nbytes: int
    path: tuple[int, ...]
    start: int = 0
    window: int | None = None
    after: tuple[int, ...] = ()
    source: str | None = None
    sink: str | None = None
    address: int = 0


@dataclass(frozen=True)
class PlainNetwork:
    flit_bytes: int
    hops: tuple[PlainHop, ...]
    links: tuple[PlainLink, ...]
    flows: tuple[PlainFlow, ...]


@dataclass
class Outcome:
    """By flow: when its first link began with it, when it ended; by (flow, link): first start, last end of service."""

    began: dict[int, Fraction] = field(default_factory=dict)
    ended: dict[int, Fraction] = field(default_factory=dict)
    served: dict[tuple[int, int], tuple[Fraction, Fraction]] = field(default_factory=dict)


@dataclass(eq=False)
class Flit:
    flow: int
    leg: int
    number: int
    nbytes: int
    place: int = 0  # on which link of its leg it is or waits


@dataclass
class LegProgress:
    links: list[int]
    flits: int
    injected: int = 0
    delivered: int = 0
    fetched: Fraction = Fraction(0)
    sunk: Fraction = Fraction(0)


class Plain:
    def __init__(self, network: PlainNetwork, banks: dict[str, Bank] | None = None) -> None:
        self.net = network
        self.banks = banks or {}
        self.heap: list[tuple[Fraction, int, Callable[[], None]]] = []
        self.count = 0
        self.now = Fraction(0)
        self.outcome = Outcome()
        self.legs = [self.cut(flow) for flow in network.flows]
        n = len(network.links)
        self.new: list[list[Flit]] = [[] for _ in range(n)]
        self.queues: list[dict[object, list[Flit]]] = [{} for _ in range(n)]
        self.ring: list[list[object]] = [[] for _ in range(n)]
        self.served: list[object] = [None] * n
        self.busy = [False] * n
        self.room = [link.buffer_bytes for link in network.links]
        self.asked: list[tuple[int, bool, int, Flit]] = []

    def cut(self, flow: PlainFlow) -> list[LegProgress]:
        flits = max(1, math.ceil(Fraction(flow.nbytes, self.net.flit_bytes)))
        legs = [LegProgress([], flits)]
        for i, link in enumerate(flow.path):
            legs[-1].links.append(link)
            if self.net.hops[self.net.links[link].destination].reassembles and i < len(flow.path) - 1:
                legs.append(LegProgress([], flits))
        return legs

    def at(self, time: Fraction | int, what: Callable[[], None]) -> None:
        self.count += 1
        heappush(self.heap, (Fraction(time), self.count, what))

    def run(self) -> Outcome:
        for i, flow in enumerate(self.net.flows):
            if not flow.after:
                self.at(flow.start, lambda i=i: self.start(i))
        while self.heap:
            self.now = self.heap[0][0]
            while self.heap and self.heap[0][0] == self.now:
                heappop(self.heap)[2]()
            for link in range(len(self.net.links)):
                self.decide(link)
            asked, self.asked = sorted(self.asked, key=lambda a: a[:3]), []
            for _, sends, _, flit in asked:
                self.ask(flit, sends)
        return self.outcome

    def start(self, i: int) -> None:
        flow = self.net.flows[i]
        if not flow.path:
            self.finish(i)
        else:
            overhead = self.net.hops[self.net.links[flow.path[0]].source].overhead
            self.at(self.now + overhead, lambda: self.inject(i, 0))

    def inject(self, i: int, leg: int) -> None:
        flow, progress = self.net.flows[i], self.legs[i][leg]
        while progress.injected < progress.flits and (
            flow.window is None or progress.injected - progress.delivered < flow.window
        ):
            number = progress.injected
            nbytes = min(self.net.flit_bytes, flow.nbytes - number * self.net.flit_bytes)
            progress.injected += 1
            flit = Flit(i, leg, number, nbytes)
            if leg == 0 and flow.source is not None:
                self.asked.append((i, True, number, flit))
            else:
                self.new[progress.links[0]].append(flit)

    def ask(self, flit: Flit, sends: bool) -> None:
        flow, progress = self.net.flows[flit.flow], self.legs[flit.flow][flit.leg]
        bank = self.banks[flow.source if sends else flow.sink]
        done = bank.serve(flow.address + flit.number * self.net.flit_bytes, flit.nbytes, math.ceil(self.now))
        if sends:
            progress.fetched = max(progress.fetched, Fraction(done))
            self.at(progress.fetched, lambda: self.new[progress.links[0]].append(flit))
        else:
            progress.sunk = max(progress.sunk, Fraction(done))
            self.at(progress.sunk, lambda: self.deliver(flit))

    def input_of(self, flit: Flit, link: int) -> object:
        arbitration = self.net.links[link].arbitration
        if arbitration == "flow_round_robin":
            return flit.flow
        if arbitration == "fifo":
            return 0
        return self.legs[flit.flow][flit.leg].links[flit.place - 1] if flit.place else -1

    def decide(self, link: int) -> None:
        new, self.new[link] = sorted(self.new[link], key=lambda f: (f.flow, f.number)), []
        queues, ring = self.queues[link], self.ring[link]
        joining = []
        for flit in new:
            key = self.input_of(flit, link)
            queue = queues.setdefault(key, [])
            if not queue and key != self.served[link]:
                joining.append(key)
            queue.append(flit)
        ring.extend(sorted(joining))
        if self.busy[link]:
            return
        if self.served[link] is not None:
            if queues[self.served[link]]:
                ring.append(self.served[link])
            self.served[link] = None
        if not ring:
            return
        flit = queues[ring[0]][0]
        if self.room[link] is not None:
            if flit.nbytes > self.room[link]:
                return
            self.room[link] -= flit.nbytes
        queues[ring[0]].pop(0)
        self.served[link] = ring.pop(0)
        self.busy[link] = True
        rate = self.net.links[link].bw_gbs
        end = self.now + (Fraction(flit.nbytes * 1000) / rate if rate else 0)
        first = self.outcome.served.get((flit.flow, link), (self.now, None))[0]
        self.outcome.served[flit.flow, link] = (first, end)
        if flit.place == 0 and flit.leg == 0:
            self.outcome.began.setdefault(flit.flow, self.now)
        self.at(end, lambda: self.sent(flit, link))

    def sent(self, flit: Flit, link: int) -> None:
        self.busy[link] = False
        if flit.place:
            self.give_back(flit, self.legs[flit.flow][flit.leg].links[flit.place - 1])
        links = self.legs[flit.flow][flit.leg].links
        hop = self.net.hops[self.net.links[link].destination]
        whole = flit.place == len(links) - 1 and flit.leg < len(self.legs[flit.flow]) - 1
        latency = self.net.links[link].latency + (0 if whole else hop.overhead)
        self.at(self.now + latency, lambda: self.arrive(flit))

    def give_back(self, flit: Flit, link: int) -> None:
        if self.room[link] is not None:

            def home() -> None:
                self.room[link] += flit.nbytes

            self.at(self.now + self.net.links[link].credit_return, home)

    def arrive(self, flit: Flit) -> None:
        progress, flow = self.legs[flit.flow][flit.leg], self.net.flows[flit.flow]
        flit.place += 1
        if flit.place < len(progress.links):
            self.new[progress.links[flit.place]].append(flit)
        elif flow.sink is not None and flit.leg == len(self.legs[flit.flow]) - 1:
            self.asked.append((flit.flow, False, flit.number, flit))
        else:
            self.deliver(flit)

    def deliver(self, flit: Flit) -> None:
        progress = self.legs[flit.flow][flit.leg]
        self.give_back(flit, progress.links[-1])
        progress.delivered += 1
        if progress.delivered < progress.flits:
            self.inject(flit.flow, flit.leg)
        elif flit.leg == len(self.legs[flit.flow]) - 1:
            self.finish(flit.flow)
        else:
            hop = self.net.hops[self.net.links[progress.links[-1]].destination]
            self.at(self.now + hop.overhead, lambda: self.inject(flit.flow, flit.leg + 1))

    def finish(self, i: int) -> None:
        self.outcome.ended[i] = self.now
        for j, flow in enumerate(self.net.flows):
            if i in flow.after and all(k in self.outcome.ended for k in flow.after):
                self.at(max(flow.start, math.ceil(self.now)), lambda j=j: self.start(j))
