"""The honest figure: every profile predicted with constants from others, one at a time and family by family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from benches.validate_report.build import Judged, judge, summary_of
from benches.validate_report.join import Joined
from benches.validate_report.model import AblationRow, Aim, HeldOut, Summary
from benches.validate_report.predictor import Fitter

Fold = tuple[list[int], list[int]]
"""Numbers of the profiles that are held out, and of those that the constants come from."""

Progress = Callable[[str], None]
"""Told what is under way."""

MEAN_ABS_LIMIT_PCT = 3.0
WORST_LIMIT_PCT = 6.0
PE_BUSY_LIMIT_PCT = 6.0
START_LIMIT_NS = 1000.0
INSIDE_LEAST = 0.75
MEASURED_THROTTLE_LIMIT_PCT = 1.5
"""Mean absolute window error when the PE clock need not be predicted."""


def family_of(name: str) -> str:
    """The kernel family of a profile: its name up to the first underscore (``fused_fp32_s512`` is ``fused``)."""
    return name.split("_", 1)[0]


def leave_one_out(
    profiles: Sequence[Joined], fitter: Fitter, progress: Progress, *, measured_throttle: bool = False
) -> HeldOut:
    """Each profile predicted with constants from all the others (two profiles at least)."""
    judged = _predicted(profiles, _folds(profiles), fitter, progress)
    return _held_out("each profile, fitted on the others", judged, measured_throttle=measured_throttle)


def by_family(
    profiles: Sequence[Joined], fitter: Fitter, progress: Progress, *, measured_throttle: bool = False
) -> list[HeldOut]:
    """Each family predicted with constants from the others alone; none if all profiles are of one family."""
    numbers = sorted(range(len(profiles)), key=lambda k: (family_of(profiles[k].program.name), k))
    families = {f: list(g) for f, g in groupby(numbers, key=lambda k: family_of(profiles[k].program.name))}
    found = []
    for family, own in families.items() if len(families) > 1 else ():
        others = [k for k in range(len(profiles)) if k not in own]
        names = ", ".join(other for other in families if other != family)
        judged = _predicted(profiles, [(own, others)], fitter, progress)
        found.append(_held_out(f"{family}, fitted on {names}", judged, measured_throttle=measured_throttle))
    return found


def ablation(profiles: Sequence[Joined], fitter: Fitter, progress: Progress) -> list[AblationRow]:
    """The leave-one-out figure with nothing switched off, then with each effect off, worst effect first."""
    folds = _folds(profiles)
    whole = _row("nothing", summary_of(_predicted(profiles, folds, fitter, progress)))
    rows = [
        _row(effect, summary_of(_predicted(profiles, folds, fitter, progress, without=effect)))
        for effect in fitter.effects
    ]
    return [whole, *sorted(rows, key=lambda row: (-row.mean_abs_error_pct, row.without))]


def aims_of(summary: Summary, bands: Sequence[tuple[float, float]], *, measured_throttle: bool) -> list[Aim]:
    """The accuracy aims beside what ``summary`` reached; the one about bands only if some run has one."""
    limit = MEASURED_THROTTLE_LIMIT_PCT if measured_throttle else MEAN_ABS_LIMIT_PCT
    aims = [
        _at_most("mean absolute window error, %", summary.mean_abs_error_pct, limit),
        _at_most("worst window error, %", abs(summary.worst_error_pct), WORST_LIMIT_PCT),
        _at_most("median absolute start error, ns", summary.median_abs_start_error_ns, START_LIMIT_NS),
        _at_most("the same, worst profile, ns", summary.worst_median_abs_start_error_ns, START_LIMIT_NS),
    ]
    if summary.worst_pe_busy_error_pct is not None:
        aims.append(_at_most("worst PE busy error, %", abs(summary.worst_pe_busy_error_pct), PE_BUSY_LIMIT_PCT))
    if any(low < high for low, high in bands):
        share = round(summary.inside_band / summary.profiles, 2)
        aims.append(Aim("share of windows inside the band", INSIDE_LEAST, share, share >= INSIDE_LEAST))
    return aims


def _at_most(name: str, reached: float, limit: float) -> Aim:
    return Aim(name, limit, reached, reached <= limit)


def _folds(profiles: Sequence[Joined]) -> list[Fold]:
    """Each profile held out alone."""
    return [([k], [j for j in range(len(profiles)) if j != k]) for k in range(len(profiles))]


def _predicted(
    profiles: Sequence[Joined],
    folds: Sequence[Fold],
    fitter: Fitter,
    progress: Progress,
    *,
    without: str | None = None,
) -> list[Judged]:
    """The profiles of each fold's first list, predicted with constants from those of its second."""
    found: list[Judged] = []
    for held_out, others in folds:
        progress(f"{_names(profiles, held_out)}, fitted on the others" + (f", without {without}" if without else ""))
        predictor = fitter.fitted([profiles[k].program for k in others], without=without)
        fitted_on = [profiles[k].program.name for k in others]
        for k in held_out:
            name = profiles[k].program.name
            found.append(judge(profiles[k], predictor, family=family_of(name), fitted_on=fitted_on))
    return found


def _names(profiles: Sequence[Joined], numbers: Sequence[int]) -> str:
    return ", ".join(profiles[k].program.name for k in numbers)


def _held_out(what: str, judged: Sequence[Judged], *, measured_throttle: bool) -> HeldOut:
    summary, reports = summary_of(judged), [j.report for j in judged]
    aims = aims_of(summary, [r.band_ns for r in reports], measured_throttle=measured_throttle)
    return HeldOut(what, summary, reports, aims)


def _row(without: str, summary: Summary) -> AblationRow:
    return AblationRow(without, summary.mean_abs_error_pct, summary.bias_pct, summary.worst_error_pct)
