"""The bus law of a platform: how many cycles the interconnect takes to move words in bursts, per direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from simcore.timing.bus_trace import BusPoint
from simcore.timing.clock import Clock
from simcore.timing.confidence import Confidence
from simcore.timing.corpus import Corpus, corpus_of
from simcore.timing.fit import Fit, fit_linear
from simcore.timing.fit_summary import uncalibrated
from simcore.timing.model import Row, TimingModel
from simcore.timing.transfers import Direction, PortLatency, word_span

BUS_FEATURES = ("num_trans", "nwords")
BUS_TARGET = "span_cycles"
WORDS_PER_BURST = 16
"""Words of a full burst of the reference platform."""


def bursts_of(words: int, per_burst: int = WORDS_PER_BURST) -> int:
    """Bursts that ``words`` take: ``ceil(words / per_burst)``."""
    return -(-words // per_burst)


def bus_corpus(points: Mapping[str, BusPoint], path: str) -> Corpus:
    """The points of one direction, one a run, as a corpus."""
    runs: Sequence[BusPoint] = list(points.values())
    return corpus_of(
        {
            "num_trans": [p.num_trans for p in runs],
            "nwords": [p.nwords for p in runs],
            BUS_TARGET: [p.span for p in runs],
        },
        path,
    )


def fit_bus(points: Mapping[str, BusPoint], path: str = "<bus points>") -> Fit:
    """``span = a * num_trans + b * nwords + c`` in cycles, for one direction. ``points`` by run; not empty."""
    return fit_linear(bus_corpus(points, path), BUS_TARGET, BUS_FEATURES)


@dataclass(frozen=True)
class BusTiming:
    """What a memory charges for its transfers: the law of each direction that has one, else one word a cycle."""

    clock: Clock
    laws: Mapping[Direction, TimingModel] = field(default_factory=dict)
    latency: PortLatency = field(default_factory=PortLatency)

    def span_cycles(self, direction: Direction, words: int, bursts: int | None) -> float | None:
        """What the law says; None without a law, or for a transfer whose number of bursts is not known."""
        law = self.laws.get(direction)
        if law is None or bursts is None:
            return None
        return law.cycles(_row(words, bursts))

    def ticks(self, direction: Direction, words: int, bursts: int | None) -> int:
        """Ticks of a transfer: by the law, or with the latency of the port and one word a cycle."""
        cycles = self.span_cycles(direction, words, bursts)
        return self.clock.ticks(word_span(words, self.latency) if cycles is None else cycles)

    def confidence(self, direction: Direction, words: int, bursts: int | None) -> Confidence:
        """How far :meth:`ticks` can be believed: one word a cycle is nobody's measurement."""
        law = self.laws.get(direction)
        if law is None or bursts is None:
            return uncalibrated("one word a cycle", from_seed=True)
        return law.confidence(_row(words, bursts))


def _row(words: int, bursts: int) -> Row:
    return {"num_trans": bursts, "nwords": words}
