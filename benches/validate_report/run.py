"""From a request to the report: profiles read and joined, the timing made ready, everything predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.validate_report import leave_out
from benches.validate_report.build import SCHEMA, judge, summary_of
from benches.validate_report.join import Joined, join
from benches.validate_report.leave_out import Progress
from benches.validate_report.model import ValidateReport
from benches.validate_report.timings import Timing, timing_of
from simcore.errors import InputError, Problem
from simcore.program.profile.complete import same_runs
from simcore.program.profile.files import load_profiles
from simcore.program.read import load_program


@dataclass(frozen=True, slots=True)
class Request:
    """What a call of ``kernbench validate`` asks for."""

    profiles: tuple[Path, ...]
    timing: str
    program: Path | None
    leave_one_out: bool
    ablation: bool
    phases: int
    measured_throttle: bool


def run_validation(request: Request, progress: Progress) -> ValidateReport:
    """The report. Raises InputError with the faults of all profiles, or of the call, before anything is predicted."""
    problems = _faults_of_call(request)
    if problems:
        raise InputError(problems)
    timing = timing_of(request.timing, phases=request.phases, measured_throttle=request.measured_throttle)
    _check_fitter(request, timing)
    joined = _joined(request, progress)
    judged = []
    for one in joined:
        progress(f"{one.program.name} under {timing.name}")
        family = leave_out.family_of(one.program.name)
        judged.append(judge(one, timing.predictor, family=family))
    summary = summary_of(judged)
    held_out = families = rows = None
    if timing.fitter is not None and request.leave_one_out:
        throttle = request.measured_throttle
        held_out = leave_out.leave_one_out(joined, timing.fitter, progress, measured_throttle=throttle)
        families = leave_out.by_family(joined, timing.fitter, progress, measured_throttle=throttle) or None
    if timing.fitter is not None and request.ablation:
        rows = leave_out.ablation(joined, timing.fitter, progress)
    return ValidateReport(
        schema=SCHEMA,
        timing=timing.name,
        phases=timing.phases,
        measured_throttle=request.measured_throttle,
        profiles=[j.report for j in judged],
        mean_abs_error_pct=summary.mean_abs_error_pct,
        summary=summary,
        leave_one_out=held_out,
        families=families,
        ablation=rows,
    )


def _faults_of_call(request: Request) -> list[Problem]:
    problems = []
    if not request.profiles:
        problems.append(Problem("no profile given (allowed: one or more, or --trn1 CSV)", "PROFILE"))
    if request.program is not None and len(request.profiles) > 1:
        problems.append(Problem(f"{len(request.profiles)} profiles (allowed with it: one)", "--program"))
    if request.program is not None and (request.leave_one_out or request.ablation):
        problems.append(
            Problem("fitted timings take their programs from the profiles (allowed: without it)", "--program")
        )
    if (request.leave_one_out or request.ablation) and len(request.profiles) == 1:
        option = "--leave-one-out" if request.leave_one_out else "--ablation"
        problems.append(Problem("one profile left out leaves none to fit on (allowed: 2 profiles or more)", option))
    return problems


def _check_fitter(request: Request, timing: Timing) -> None:
    asked = [name for name, on in (("--leave-one-out", request.leave_one_out), ("--ablation", request.ablation)) if on]
    if timing.fitter is None and asked:
        message = f"{timing.name} is not fitted to profiles (allowed: platform:NAME, learned:DIR)"
        raise InputError([Problem(message, name) for name in asked])
    if timing.fitter is not None and request.ablation and not timing.fitter.effects:
        message = f"{timing.name} has no effects to switch off (allowed: platform:NAME)"
        raise InputError([Problem(message, "--ablation")])


def _joined(request: Request, progress: Progress) -> list[Joined]:
    profiles = load_profiles(_told(request.profiles, progress))
    twice = "the same run as {}: a profile left out would still be fitted on (allowed: each run once)"
    problems = [Problem(twice.format(earlier.file), profile.file) for profile, earlier in same_runs(profiles)]
    if problems:
        raise InputError(problems)
    predicted = load_program(request.program) if request.program is not None else None
    joined: list[Joined] = []
    for profile in profiles:
        try:
            joined.append(join(profile, predicted or profile))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return joined


def _told(paths: Sequence[Path], progress: Progress) -> Iterator[Path]:
    """``paths``, each told as it is taken."""
    for path in paths:
        progress(f"reading {path.name}")
        yield path
