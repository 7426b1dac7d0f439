"""The PE: passes of a matmul, what lies between them, and what a weight load costs that nothing hides."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from simcore.program.measured import MeasuredInstruction
from simcore.timing.device.constants import Constant, assumed, fitted, measured
from simcore.timing.device.lowering import DeviceOp
from simcore.timing.device.observe import FULL, HALF, Observed, clock_ghz
from simcore.timing.device.platform import MatmulClass, PeTiming

MULTIPLY, LOAD_WEIGHTS = "MATMUL", "LDWEIGHTS"
_STALLED_NS = 100
"""A weight load that begins less than this before the last multiplication's completion has nothing to hide behind."""

QUEUED_NS = 10
"""A weight load that begins within this of the multiplication before it is hidden by it."""

Key = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Pass:
    """A weight load and its multiplication; ``share`` of the instruction's documented cycles is this pass's."""

    op: DeviceOp
    load: MeasuredInstruction
    multiply: MeasuredInstruction
    passes: int

    @property
    def key(self) -> Key:
        """(dtype, transpose)."""
        return self.op.operation[3], self.op.transpose


def passes_of(profile: Observed) -> list[Pass]:
    """The PE's passes in order: the n-th weight load belongs to the n-th multiplication."""
    rows = profile.by_engine.get("PE", [])
    loads = [row for row in rows if row.opcode == LOAD_WEIGHTS]
    multiplications = [row for row in rows if row.opcode == MULTIPLY]
    count: dict[str, int] = defaultdict(int)
    for row in multiplications:
        count[row.program_name] += 1
    return [
        Pass(profile.op_of[multiply.program_name], load, multiply, count[multiply.program_name])
        for load, multiply in zip(loads, multiplications, strict=False)
        if load.program_name == multiply.program_name
    ]


def fit_pe(profiles: Sequence[Observed]) -> PeTiming:
    """The PE's classes and latencies, from passes within one clock speed."""
    ghz = clock_ghz(profiles[0].program.arch, "PE")
    steady: dict[Key, list[tuple[float, float, Pass]]] = defaultdict(list)
    stalled: dict[tuple[Key, float], list[tuple[float, Pass]]] = defaultdict(list)
    latency: dict[float, list[float]] = defaultdict(list)
    passes: dict[Key, int] = {}
    for profile in profiles:
        for before, this in pairwise(passes_of(profile)):
            passes[this.key] = this.passes
            speed = profile.speed_at(this.load.start_ns)
            if profile.speed_at(this.multiply.end_ns) != speed:
                continue
            if this.load.start_ns > before.multiply.end_ns - _STALLED_NS:
                stalled[this.key, speed].append((this.multiply.end_ns - this.load.start_ns, this))
            elif this.load.start_ns < before.multiply.start_ns + QUEUED_NS:
                interval = this.multiply.end_ns - before.multiply.end_ns
                steady[this.key].append((interval, speed, this))
                latency[speed].append(this.multiply.duration_ns - interval)
        for first in passes_of(profile)[:1]:
            passes[first.key] = first.passes
            speed = profile.speed_at(first.load.start_ns)
            stalled[first.key, speed].append((first.multiply.end_ns - first.load.start_ns, first))
    return _timing(ghz, passes, steady, stalled, latency)


def _timing(
    ghz: float,
    passes: dict[Key, int],
    steady: dict[Key, list[tuple[float, float, Pass]]],
    stalled: dict[tuple[Key, float], list[tuple[float, Pass]]],
    latency: dict[float, list[float]],
) -> PeTiming:
    rate = {key: _rate(steady[key], ghz) for key in passes}
    beyond: dict[tuple[Key, float], list[float]] = {
        state: [ns - _cycles_ns(p, rate[state[0]].value, ghz) / state[1] for ns, p in rows]
        for state, rows in stalled.items()
    }
    fixed_ns = _fixed_ns(beyond)
    classes = []
    for key in sorted(passes):
        gaps = {
            speed: [ns - _cycles_ns(p, rate[key].value, ghz) / speed for ns, s, p in steady[key] if s == speed]
            for speed in (FULL, HALF)
        }
        any_gap = {speed: _all_gaps(steady, rate, ghz, speed) for speed in (FULL, HALF)}
        classes.append(
            MatmulClass(
                dtype=key[0],
                transpose=key[1],
                passes=passes[key],
                cycles_per_documented=rate[key],
                gap_full_ns=_gap(gaps[FULL], any_gap[FULL]),
                gap_half_ns=_gap(gaps[HALF], any_gap[HALF]),
                stalled_full_ns=_stalled(beyond, key, FULL, fixed_ns, _hidden_ns(steady[key], rate[key], ghz, FULL)),
                stalled_half_ns=_stalled(beyond, key, HALF, fixed_ns, _hidden_ns(steady[key], rate[key], ghz, HALF)),
            )
        )
    what = "durations of multiplications in a row, less their interval"
    full, half = measured(latency[FULL], what), measured(latency[HALF], what)
    return PeTiming(
        classes=tuple(classes),
        latency_full_ns=full or half or assumed(0.0, "no profile shows two multiplications in a row"),
        latency_half_ns=half or full or assumed(0.0, "no profile shows two multiplications in a row"),
    )


def _cycles_ns(one: Pass, rate: float, ghz: float) -> float:
    return one.op.cycles * rate / one.passes / ghz


def _rate(rows: list[tuple[float, float, Pass]], ghz: float) -> Constant:
    """Cycles a pass takes by those documented for it, to the nearest quarter (the interval holds a small gap)."""
    ratios = [ns * speed / (p.op.cycles / p.passes / ghz) for ns, speed, p in rows]
    if not ratios:
        return assumed(1.0, "no profile shows two such multiplications in a row; as documented")
    return fitted(
        max(0.25, round(4 * median(ratios)) / 4), ratios, "intervals of multiplications, in documented cycles"
    )


def _all_gaps(
    steady: dict[Key, list[tuple[float, float, Pass]]], rate: dict[Key, Constant], ghz: float, speed: float
) -> Iterator[float]:
    return (
        ns - _cycles_ns(p, rate[key].value, ghz) / speed
        for key, rows in steady.items()
        for ns, s, p in rows
        if s == speed
    )


def _gap(own: list[float], all_: Iterator[float]) -> Constant:
    what = "intervals of multiplications, less their cycles"
    if (found := measured(own, what, mean=True)) is not None:
        return found
    others = list(all_)
    return assumed(fmean(others) if others else 0.0, f"no profile shows it; as for other matmuls ({what})")


def _fixed_ns(beyond: dict[tuple[Key, float], list[float]]) -> float:
    """The part of a stalled pass that does not depend on the clock: what full speed takes twice, less half speed."""
    both = [
        2 * median(beyond[key, FULL]) - median(beyond[key, HALF])
        for key in dict.fromkeys(key for key, _ in beyond)
        if (key, FULL) in beyond and (key, HALF) in beyond
    ]
    if both:
        return fmean(both)
    return min((median(values) for values in beyond.values()), default=0.0)


def _hidden_ns(rows: list[tuple[float, float, Pass]], rate: Constant, ghz: float, speed: float) -> float:
    """The most that a load can take which the passes in a row hide: the same span as that of one that nothing hides."""
    spans = (
        p.multiply.end_ns - p.load.start_ns - _cycles_ns(p, rate.value, ghz) / speed for _, s, p in rows if s == speed
    )
    return min(spans, default=math.inf)


def _stalled(
    beyond: dict[tuple[Key, float], list[float]], key: Key, speed: float, fixed_ns: float, hidden_ns: float
) -> Constant:
    """As seen; at the other speed its clocked part is halved or doubled, but not beyond what was seen to be hidden;
    else as of another class."""
    what = "start of a weight load that nothing hides to the end of its pass, less the cycles"
    if (key, speed) in beyond:
        found = measured(beyond[key, speed], what)
        assert found is not None
        return found
    other = HALF if speed == FULL else FULL
    if (key, other) in beyond:
        clocked = max(0.0, median(beyond[key, other]) - fixed_ns) * other / speed
        return fitted(min(fixed_ns + clocked, hidden_ns), beyond[key, other], f"{what}, from the other speed")
    kin = [v for (k, s), values in beyond.items() if s == speed and k[0] == key[0] for v in values]
    kin = kin or [v for (_, s), values in beyond.items() if s == speed for v in values]
    return assumed(
        min(median(kin) if kin else fixed_ns, hidden_ns), f"no profile shows it; as for other matmuls ({what})"
    )
