"""Streaming: compute overlaps the load, so outputs are gated by arrivals or by the loop, whichever is later.

With pipeline latency L, interval II and inputs at ``in[k]``: ``out[k] = max(in[k] + L, out[k-1] + II)``. Two forms of
it: ``stream_ends`` knows only the first and the last arrival (the public waveflow project's form), ``stream_outputs``
knows every one. Both get the same answer when arrivals are evenly spaced; otherwise the first is a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice, pairwise

from simcore.timing.clock import Clock, Cycles
from simcore.timing.loop import LoopModel
from simcore.timing.model import Row


def last_output(first_in: int, last_in: int, latency: int, loop: int) -> int:
    """When the last output comes of a stream whose inputs come from ``first_in`` to ``last_in``, all in ticks.

    ``latency``: from an input to its output; ``loop``: from the first output to the last if all inputs are there.
    """
    return latency + max(last_in, first_in + loop)


def stream_ends(
    first_in: int, last_in: int, iterations: int, latency: Cycles, ii: Cycles, clock: Clock
) -> tuple[int, int]:
    """First and last output, in ticks, of ``iterations`` (1 or more) whose inputs arrive from ``first_in`` on.

    ``first_out = first_in + L`` and ``last_out = max(last_in + L, first_out + (m-1) II)``: exact if arrivals are
    evenly spaced, a lower bound if not. The part stays busy until the last output and tags its burst with the first.
    """
    _check(iterations, last_in - first_in)
    latency_ticks = clock.ticks(latency)
    # Latency and loop are rounded together, as one delay.
    loop_ticks = clock.ticks(Fraction(latency) + (iterations - 1) * Fraction(ii)) - latency_ticks
    return first_in + latency_ticks, last_output(first_in, last_in, latency_ticks, loop_ticks)


def stream_outputs(arrivals: Sequence[int], latency: Cycles, ii: Cycles, clock: Clock) -> list[int]:
    """Every output, in ticks, of iterations whose inputs arrive at ``arrivals`` (ticks, in order; not empty).

    The recurrence runs on exact fractions of a tick, so each output is rounded once, as a single delay would be.
    """
    _check(len(arrivals), min((b - a for a, b in pairwise(arrivals)), default=0))
    delay, step = Fraction(latency) * clock.period_ticks, Fraction(ii) * clock.period_ticks
    unit = math.lcm(delay.denominator, step.denominator)
    delay_units, step_units = int(delay * unit), int(step * unit)
    outputs = []
    out = arrivals[0] * unit + delay_units
    outputs.append(_nearest(out, unit))
    for arrival in islice(arrivals, 1, None):
        out = max(arrival * unit + delay_units, out + step_units)
        outputs.append(_nearest(out, unit))
    return outputs


def firing_ends(model: LoopModel, row: Row, first_in: int, last_in: int, clock: Clock) -> tuple[int, int]:
    """:func:`stream_ends` of the firing ``row``, with the latency and interval of ``model``."""
    return stream_ends(first_in, last_in, model.iterations(row), model.latency, model.ii, clock)


def iteration_arrivals(arrivals: Sequence[int], unroll: int) -> list[int]:
    """When each iteration has its input: the arrival of the last of its ``unroll`` elements."""
    ends = range(unroll - 1, len(arrivals), unroll)
    whole = [arrivals[k] for k in ends]
    return whole if len(arrivals) % unroll == 0 else [*whole, arrivals[-1]]


def burst_start(last_word: int, words: int, clock: Clock) -> int:
    """When the first of ``words`` (1 or more) came, in ticks, if they came one a cycle up to ``last_word``."""
    return last_word - clock.ticks(words - 1)


def _check(iterations: int, spacing: int) -> None:
    if iterations < 1:
        raise ValueError(f"a stream has at least one iteration, not {iterations}")
    if spacing < 0:
        raise ValueError("a later input of a stream cannot arrive before an earlier one")


def _nearest(units: int, unit: int) -> int:
    return (2 * units + unit) // (2 * unit)
