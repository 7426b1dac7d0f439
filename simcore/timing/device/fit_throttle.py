"""The PE's clock throttle: its window, and how much work in one window makes the next run at full speed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from simcore.timing.device.constants import Constant, assumed, fitted
from simcore.timing.device.fit_pe import passes_of
from simcore.timing.device.observe import FULL, Observed, clock_ghz
from simcore.timing.device.platform import PeTiming, ThrottleTiming

WINDOW_CYCLES = 4096
WINDOW_GHZ = 1.2
"""The documentation speaks of about 3 us; the states that profiles record last multiples of this many cycles."""

_EIGHTHS = 8


def fit_throttle(profiles: Sequence[Observed], pe: PeTiming) -> ThrottleTiming:
    """The window from how long states last; the share between what was too little and what was enough."""
    nominal_ns = WINDOW_CYCLES / WINDOW_GHZ
    # the last state is cut off by the end of the profile
    states = [state.duration_ns for p in profiles for state in p.measured.throttle[:-1]]
    lengths = [ns / round(ns / nominal_ns) for ns in states if round(ns / nominal_ns)]
    what = "durations of the throttle's states, as multiples of 4,096 cycles at 1.2 GHz"
    window = fitted(nominal_ns, lengths, what) if lengths else assumed(nominal_ns, what)
    short, enough = _shares(profiles, pe, nominal_ns)
    return ThrottleTiming(window_ns=window, needed_share=_needed(short, enough))


def _needed(short: list[float], enough: list[float]) -> Constant:
    what = "PE's work in the window before one at half and before one at full speed, by what full speed allows"
    if not short or not enough:
        return assumed(3 / _EIGHTHS, f"no profile shows both states; 3/8 ({what})")
    low, high = max(short), min(enough)
    eighths = [k / _EIGHTHS for k in range(1, _EIGHTHS) if low <= k / _EIGHTHS <= high]
    middle = (low + high) / 2
    return fitted(min(eighths, key=lambda share: abs(share - middle)) if eighths else middle, [low, high], what)


def _shares(profiles: Sequence[Observed], pe: PeTiming, window_ns: float) -> tuple[list[float], list[float]]:
    """Work before windows at half speed, and before windows at full speed."""
    short: list[float] = []
    enough: list[float] = []
    for profile in profiles:
        record = profile.measured.throttle
        if not record:
            continue
        origin = record[0].start_ns
        work = _work(profile, pe, origin, window_ns)
        end = record[-1].end_ns
        begin = profile.measured.window_start_ns
        first, last = int((begin - origin) // window_ns), int((end - origin) // window_ns)
        for number in range(first, last):
            full = profile.speed_at(origin + (number + 0.5) * window_ns) == FULL
            before = work[number - 1] / window_ns
            (enough if full else short).append(before)
    return short, enough


def _work(profile: Observed, pe: PeTiming, origin: int, window_ns: float) -> dict[int, float]:
    """Full-speed nanoseconds of multiplications by window, each counted back from its completion."""
    ghz = clock_ghz(profile.program.arch, "PE")
    rates = {c.key: c.cycles_per_documented.value for c in pe.classes}
    work: dict[int, float] = defaultdict(float)
    for one in passes_of(profile):
        speed = profile.speed_at(one.multiply.end_ns - pe.latency_full_ns.value)
        latency = pe.latency_full_ns if speed == FULL else pe.latency_half_ns
        end = one.multiply.end_ns - latency.value - origin
        left = one.op.cycles * rates[one.key] / one.passes / ghz
        while left > 1e-6:
            number = int((end - 1e-6) // window_ns)
            begin = number * window_ns
            speed = profile.speed_at(origin + end - 0.5)
            part = min(left, (end - begin) * speed)
            work[number] += part
            left -= part
            end -= part / speed
    return work
