"""The word after ``--timing`` -> something that predicts and, where its constants come from profiles, can be fitted."""

from __future__ import annotations

from dataclasses import dataclass

from benches.validate_report.predictor import Fitter, Predictor
from simcore.errors import InputError, Problem, hint
from simcore.oracle.timing_names import LEARNED, PLATFORM, TIMINGS, learned_folder, platform_of
from topology.platforms import load_device_platform, shipped_platforms


@dataclass(frozen=True, slots=True)
class Timing:
    """A timing by name. ``phases``: runs per prediction; ``fitter`` is None where nothing is fitted to profiles."""

    name: str
    phases: int
    predictor: Predictor
    fitter: Fitter | None


def timing_of(word: str, *, phases: int, measured_throttle: bool) -> Timing:
    """The timing called ``word``. Raises InputError if there is none, or if it has no clock throttle to be given."""
    if (platform := platform_of(word)) is not None:
        from benches.validate_report.device import DeviceFitter

        runs = 1 if measured_throttle else phases
        fitter = DeviceFitter(word, runs=runs, measured_throttle=measured_throttle)
        shipped = load_device_platform(platform)
        return Timing(word, runs, fitter.with_constants_of(shipped), fitter)
    if measured_throttle:
        message = f"{word} has no PE clock throttle (allowed: with {PLATFORM}:NAME)"
        raise InputError([Problem(message, "--measured-throttle")])
    if learned_folder(word) is not None:
        from benches.validate_report.learned import LearnedFitter, LearnedPredictor

        return Timing(word, 1, LearnedPredictor(word), LearnedFitter(word))
    if word not in TIMINGS:
        named = [f"{PLATFORM}:{name}" for name in shipped_platforms()]
        allowed = [*TIMINGS, *named, f"{PLATFORM}:DIR", f"{LEARNED}:DIR"]
        raise InputError([Problem(f'unknown timing "{word}" {hint(word, allowed)}', "--timing")])
    from benches.validate_report.analytic import AnalyticPredictor

    return Timing(word, 1, AnalyticPredictor(word), None)
