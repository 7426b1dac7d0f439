"""Whether constants can be fitted to profiles: every reason against it, named by its table, before any estimator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simcore.errors import Problem
from simcore.oracle.helpers import DMA_ENGINES
from simcore.program.profile.complete import lacking, same_runs
from simcore.program.program import Program
from simcore.timing.device.lowering import Kind
from simcore.timing.device.observe import Observed

_SHOWN = 5


def reasons_against(profiles: Sequence[Observed]) -> list[Problem]:
    """All that keeps ``profiles`` from telling a device's constants."""
    found = [Problem(text, profile.program.file) for profile in profiles for text in _of_one(profile)]
    for program, earlier in same_runs([profile.program for profile in profiles]):
        text = f"the same run as {_named(earlier)}: its observations would count twice (allowed: each run once)"
        found.append(Problem(text, program.file))
    return found


def _named(program: Program) -> str:
    return program.file if program.file != "<program>" else program.name


def _of_one(profile: Observed) -> Iterator[str]:
    yield from lacking(profile.program, profile.measured)
    lost = [transfer.name for _, transfer in profile.triggers if transfer.name not in profile.packets]
    if lost and profile.measured.packets:
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        yield f'the table "dma": the packets of {", ".join(lost[:_SHOWN])}{more} could not be told apart'
    engines = sorted(profile.on_engine)
    if engines and engines[-1] - engines[0] >= DMA_ENGINES:
        yield f'the table "dma": packets on DMA engines {engines[0]} to {engines[-1]} (a core has {DMA_ENGINES})'
    if any(op.kind is Kind.matmul for op in profile.ops):
        yield from _of_the_clock(profile)


def _of_the_clock(profile: Observed) -> Iterator[str]:
    """The PE's durations say nothing unless its clock is known: half speed looks like twice the cycles."""
    states = profile.measured.throttle
    if not states:
        yield 'the table "ham" records no PE clock, and the kernel uses the PE'
    other = sorted({(s.k, s.n) for s in states if s.k != s.n and 2 * s.k != s.n})
    if other:
        told = ", ".join(f"{k} of {n}" for k, n in other)
        yield f'the table "ham": the PE clock at {told} steps (the device model knows all of them and half)'
