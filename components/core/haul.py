"""Hauls: what a DMA instruction moves, cut up over the DMA engines of its core and carried by the fabric (ADR-0062).

First action of a haul: every DMA engine that has a share of it takes its turn there, if it has turns. Then the engine
starts, the address is translated where the core has an MMU, and the share goes its way: what is read from a memory is
asked for by a command, what is written to one is confirmed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from simpy.events import Event

from components.core.demand import READ, WRITE, Stretch, stretch_of_arrivals
from components.core.hauler import Haul, Hauler, Path, Spot, TransferEngine
from components.core.work import Work
from components.fabric.flow import Flow
from components.fabric.passage import Passage, WatchedAccess, passage_of, watched
from components.pe.mmu import Lookup
from simcore.explain.why import DMA_ENGINE, OVERHEAD, Piece, Why
from simcore.kernel import Countdown, Story, Token
from simcore.schedule import Cause
from simcore.units import service_ticks


@dataclass(slots=True)
class Moves:
    """The demand of a DMA instruction: its hauls. ``fixed_ticks``: see :mod:`components.core.demand`.

    The start of a DMA engine is what the fixed part of a cost pays: it counts as far as it is longer than that.
    """

    hauler: Hauler
    hauls: tuple[Haul, ...]
    fixed_ticks: int
    stretch: Stretch | None = None

    def meet(self, work: Work) -> Story:
        """Starts all shares of all hauls; goes on when the last one is over."""
        hauler = self.hauler
        env, start = hauler.env, work.start_at
        shares = [_Share(self, work.name, haul, *share) for haul in self.hauls for share in hauler.shares(haul)]
        left = Countdown(env, len(shares), f"{hauler.name} {work.name}")
        for share in shares:
            share.begin(left.arrive)
        yield env.me.waiting_on(left, hauler.fabric, work.name)
        first = min(shares, key=lambda share: share.first_at)
        last = max(shares, key=lambda share: share.ended_at)
        self.stretch = stretch_of_arrivals(work, self.fixed_ticks, first.first, last.last, last.pivot, env.now)
        assert start + sum(ticks for _, ticks in last.last) == env.now


class _Share:
    """One engine's share of a haul, from its turn to its end; ``first`` and ``last`` as of a Passage."""

    __slots__ = (
        "ended_at", "engine", "first", "first_at", "haul", "hauler", "last", "moves", "name", "nbytes", "offset",
        "on_end", "pivot", "since", "tokens",
    )  # fmt: skip

    def __init__(self, moves: Moves, name: str, haul: Haul, engine: TransferEngine, offset: int, nbytes: int) -> None:
        self.moves, self.hauler, self.haul, self.engine = moves, moves.hauler, haul, engine
        self.name = f"{engine.name}.{name}"
        self.offset, self.nbytes = offset, nbytes
        self.first: list[Piece] = []
        self.last: list[Piece] = []
        self.pivot = 0
        self.first_at = self.ended_at = self.since = 0
        self.tokens: list[Token] = []

    def begin(self, on_end: Callable[[], None]) -> None:
        """Takes the turns that it needs."""
        self.on_end = on_end
        self.since = self.hauler.env.now
        self.engine.begin(self.since, self.nbytes)
        self._take(["read"] * (self.haul.source is not None) + ["write"] * (self.haul.target is not None))

    def _take(self, directions: list[str]) -> None:
        env = self.hauler.env
        while directions and self.engine.turns:
            token = self.engine.turns[directions.pop(0)].acquire(self, self.name)
            self.tokens.append(token)
            if not token.processed:
                token.callbacks.append(lambda _: self._take(directions))
                return
        waited = env.now - self.since
        self.engine.wait_ticks += waited
        self._spend(Why(DMA_ENGINE, self.engine.name), waited)
        lead = max(self.engine.start_ticks - self.moves.fixed_ticks, 0)
        self._spend(Why(OVERHEAD, self.engine.name), lead)
        if lead:
            env.timeout(lead).callbacks.append(self._started)
        else:
            self._started(None)

    def _started(self, _event: Event | None) -> None:
        spots = [spot for spot in (self.haul.source, self.haul.target) if spot is not None]
        self._translate(spots, self.hauler.env.now)

    def _translate(self, spots: list[Spot], since: int) -> None:
        """Looks up what it touches in memory, one operand after the other; then goes."""
        env, lookups = self.hauler.env, self.hauler.lookups
        if spots and lookups is not None and self.nbytes:
            lookup = Lookup(self.name, spots.pop(0).address + self.offset, self.nbytes, env.event())
            lookup.done.callbacks.append(lambda _: self._translate(spots, since))
            lookups.put(lookup)
            return
        self._spend(Why(Cause.mmu.name), env.now - since)
        self._command()

    def _command(self) -> None:
        """What is read is asked for first."""
        source = self.haul.source
        if source is None:
            self._carry(None)
        else:
            there, _ = self.hauler.ways.there_and_back(self.engine.name, source.memory)
            self._send(Flow(f"{self.name} command", 0, there, self.hauler.window_flits), self._carry)

    def _carry(self, command: Passage | None) -> None:
        if command is not None:
            self.first += command.last
            self.last += command.last
        haul, hauler, engine = self.haul, self.hauler, self.engine
        inward: Path = engine.from_core if haul.source_in_sbuf else ()
        outward: Path = engine.to_core if haul.target_in_sbuf else ()
        source = sink = None
        if haul.source is not None:
            inward = hauler.ways.there_and_back(engine.name, haul.source.memory)[1]
            source = self._access("read", haul.source)
        elif haul.source_in_sbuf and hauler.sbuf is not None:
            source = watched(hauler.sbuf.access("read"), READ, hauler.sbuf.ticks("read", self.nbytes))
        if haul.target is not None:
            outward = hauler.ways.there_and_back(engine.name, haul.target.memory)[0]
            sink = self._access("write", haul.target)
        elif haul.target_in_sbuf and hauler.sbuf is not None:
            sink = watched(hauler.sbuf.access("write"), WRITE, hauler.sbuf.ticks("write", self.nbytes))
        path = inward + outward
        if not path:
            self._inside(source is not None, sink is not None)
            return
        name = f"{self.name} data"
        self._send(Flow(name, self.nbytes, path, hauler.window_flits, source=source, sink=sink), self._carried)

    def _access(self, direction: str, spot: Spot) -> WatchedAccess:
        memory = self.hauler.ways.memory(spot.memory)
        flit_bytes = self.hauler.fabric.parameters.flit_bytes
        access = memory.access(direction, spot.offset + self.offset, self.nbytes, flit_bytes)
        alone = service_ticks(self.nbytes, memory.peak_gbs)
        return watched(access, Why(Cause.hbm.name, spot.memory), alone)

    def _inside(self, reads: bool, writes: bool) -> None:
        """From SBUF to SBUF without a link between: both channels, the second from the first one's beginning on."""
        hauler = self.hauler
        env, sbuf = hauler.env, hauler.sbuf
        now = env.now
        first = last = now
        pieces: list[Piece] = []
        if sbuf is not None and reads:
            first, last = sbuf.stream("read", (self.nbytes,), now, self.name)
            pieces.append((READ, last - now))
        if sbuf is not None and writes:
            begin, written = sbuf.stream("write", (self.nbytes,), first, self.name)
            pieces.append((WRITE, max(written - last, 0)))
            first, last = begin, max(last, written)
        head = beginning_of(pieces, first - now)
        done = env.timeout(last - now)
        done.callbacks.append(lambda _: self._carried(Passage(head, pieces, 0, [])))

    def _carried(self, data: Passage) -> None:
        self.pivot = len(self.last) + data.pivot
        self.first += data.first
        self.last += data.last
        self.first_at = sum(ticks for _, ticks in self.first)
        target = self.haul.target
        if target is None:
            self._end(None)
        else:
            _, back = self.hauler.ways.there_and_back(self.engine.name, target.memory)
            self._send(Flow(f"{self.name} answer", 0, back, self.hauler.window_flits), self._end)

    def _end(self, answer: Passage | None) -> None:
        if answer is not None:
            self.last += answer.last
        env = self.hauler.env
        self.ended_at = env.now
        for token in self.tokens:
            token.channel.release(token)
        self.engine.end(env.now)
        self.on_end()

    def _send(self, flow: Flow, then: Callable[[Passage], None]) -> None:
        hauler = self.hauler
        since = hauler.env.now

        def ended(_event: Event) -> None:
            passage = passage_of(flow, since, hauler.env.now)
            for why, ticks in passage.waits:
                hauler.waits[why] += ticks
            if hauler.carried is not None:
                hauler.carried(flow)
            flow.legs = ()
            then(passage)

        hauler.fabric.submit(flow).callbacks.append(ended)

    def _spend(self, why: Why, ticks: int) -> None:
        if ticks:
            self.first.append((why, ticks))
            self.last.append((why, ticks))


def beginning_of(pieces: list[Piece], ticks: int) -> list[Piece]:
    """The first ``ticks`` of ``pieces``."""
    found, left = [], ticks
    for why, length in pieces:
        found.append((why, min(length, left)))
        left -= found[-1][1]
    return found
