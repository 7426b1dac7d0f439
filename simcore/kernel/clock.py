"""The clock of the machine: an integer count of picosecond ticks, and the one test of what may move it."""

from __future__ import annotations

from typing import Any

from simpy.events import Timeout as SimpyTimeout

from simcore.kernel.errors import DelayRefused
from simcore.units import TICKS_PER_NS


class Timeout(SimpyTimeout):
    """An event that happens ``delay`` ticks from now; :meth:`Environment.schedule` refuses a delay that is not ticks.

    It leaves out SimPy's own ``delay < 0``, which answers with an untyped error and is false for NaN.
    """

    def __init__(self, env: Any, delay: int, value: Any = None) -> None:
        self.env = env
        self.callbacks = []
        self._value = value
        self._delay = delay
        self._ok = True
        env.schedule(self, 1, delay)


def refusal(delay: object, where: str, now_ticks: int) -> DelayRefused:
    """The error for a ``delay`` that is not a non-negative ``int``, saying what to do about it."""
    if type(delay) is int:
        advice = "the clock does not run backwards"
    elif hasattr(delay, "dtype"):
        advice = "convert it once with int() where it leaves its array"
    elif isinstance(delay, bool):
        advice = "a truth value is not a time"
    else:
        advice = "round to whole picoseconds where the time is computed (simcore.units)"
    shown = f"{delay!r} of type {type(delay).__name__}"
    return DelayRefused(where, now_ticks, f"a delay must be an int of picoseconds, 0 or more, not {shown}: {advice}")


def show_ticks(ticks: int) -> str:
    """``ticks`` picoseconds for a reader, exactly: ``12 ns``, ``0.5 ns``."""
    whole, rest = divmod(ticks, TICKS_PER_NS)
    return f"{whole}.{rest:03d}".rstrip("0").rstrip(".") + " ns"
