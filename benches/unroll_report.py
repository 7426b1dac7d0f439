"""What ``--unroll`` adds to a report: each loop's fill, steady interval and drain, and what a single trip misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import msgspec
from rich.console import Console

from benches.exact_ns import Ns, exact_ns
from benches.schedule_report.text import table_of
from simcore.explain.steady_state import LoopProfile, loop_profile
from simcore.perfsim.estimate import Prepared, prepare, run
from simcore.program.program import Program
from simcore.program.unroll import UnrolledLoop, unroll
from simcore.schedule import Schedule


class LoopReport(msgspec.Struct):
    """One outermost loop; ``prologue_ns + steady_ns + epilogue_ns == span_ns``.

    ``interval_ns`` is the steady time of one iteration (null: it never repeats), ``steady_from`` the first steady one.
    """

    function: str
    block: str
    name: str
    trip_count: int
    bottleneck: str
    prologue_ns: Ns
    interval_ns: float | int | None
    steady_from: int
    steady_ns: Ns
    epilogue_ns: Ns
    span_ns: Ns


class UnrollReport(msgspec.Struct):
    """``once_times_trips_ns`` places every body once and multiplies by its trips, ``unrolled_ns`` runs every trip.

    ``missed_ns`` is their difference: negative where iterations overlap each other.
    """

    once_times_trips_ns: Ns
    unrolled_ns: Ns
    missed_ns: Ns
    loops: list[LoopReport]


@dataclass(frozen=True, slots=True)
class Unrolling:
    """A program whose loops have been unrolled. ``prepared``: costed as the rolled program was, ``loops``: by block.

    ``once_times_trips_ns`` is PerfSim's estimate of the rolled program.
    """

    program: Program
    once_times_trips_ns: int
    prepared: Prepared
    loops: tuple[tuple[UnrolledLoop, ...], ...]

    @classmethod
    def of(cls, prepared: Prepared) -> Unrolling:
        """Unrolls the program of ``prepared``. Raises InputError if that gives too many instructions."""
        unrolled = unroll(prepared.program)
        return cls(
            program=prepared.program,
            once_times_trips_ns=run(prepared).whole_program_ns,
            prepared=prepare(unrolled.program, arch=prepared.arch, timing=prepared.timing, oracle=prepared.oracle),
            loops=unrolled.loops,
        )

    def report(self, schedules: Sequence[Schedule]) -> UnrollReport:
        """The report of ``schedules``, one per block of the unrolled program, on either model."""
        loops = []
        for (function, block), former, schedule in zip(self.program.blocks, self.loops, schedules, strict=True):
            for loop in former:
                profile = loop_profile(schedule, loop)
                if profile is not None:
                    loops.append(_loop_report(function.name, block.name, profile, schedule.ticks_per_ns))
        total = sum((exact_ns(s.makespan, s.ticks_per_ns) for s in schedules), start=0)
        return UnrollReport(self.once_times_trips_ns, total, total - self.once_times_trips_ns, loops)


def _loop_report(function: str, block: str, profile: LoopProfile, ticks_per_ns: int) -> LoopReport:
    return LoopReport(
        function=function,
        block=block,
        name=profile.name,
        trip_count=profile.trip_count,
        bottleneck=profile.bottleneck.name,
        prologue_ns=exact_ns(profile.prologue, ticks_per_ns),
        interval_ns=None if profile.interval is None else _number(profile.interval / ticks_per_ns),
        steady_from=profile.steady_from,
        steady_ns=exact_ns(profile.steady, ticks_per_ns),
        epilogue_ns=exact_ns(profile.epilogue, ticks_per_ns),
        span_ns=exact_ns(profile.span, ticks_per_ns),
    )


def _number(value: Fraction) -> float | int:
    return value.numerator if value.denominator == 1 else round(float(value), 3)


def print_unroll(report: UnrollReport, console: Console) -> None:
    """The same for people."""
    console.print(
        f"unrolled {report.unrolled_ns} ns; one trip of each body times its trips {report.once_times_trips_ns} ns "
        f"misses {report.missed_ns:+} ns",
        soft_wrap=True,
    )
    table = table_of(
        "loop", ">trips", "bottleneck", ">prologue ns", ">interval ns", ">from trip", ">steady ns", ">epilogue ns"
    )
    for loop in report.loops:
        interval = "-" if loop.interval_ns is None else loop.interval_ns
        row = (loop.trip_count, loop.bottleneck, loop.prologue_ns, interval, loop.steady_from, loop.steady_ns)
        table.add_row(f"{loop.function}/{loop.block}/{loop.name}", *map(str, (*row, loop.epilogue_ns)))
    if report.loops:
        console.print(table)
