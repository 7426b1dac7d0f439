"""Profiles -> a device platform. Each group of constants has its own estimator; none sees a simulated time."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from simcore.errors import InputError, Problem
from simcore.program.program import Program
from simcore.timing.device.constants import Constant
from simcore.timing.device.faults import faults_of
from simcore.timing.device.fit_dma import fit_dma
from simcore.timing.device.fit_engines import fit_engine_timing, fit_operations, fit_table_load
from simcore.timing.device.fit_pe import fit_pe
from simcore.timing.device.fit_stalls import fit_hbm
from simcore.timing.device.fit_throttle import fit_throttle
from simcore.timing.device.fittable import reasons_against
from simcore.timing.device.observe import Observed, observe
from simcore.timing.device.platform import DEVICE_PLATFORM_SCHEMA, DevicePlatform, DmaTiming, EngineTiming


def fit_device_platform(profiles: Sequence[Program], *, name: str = "device") -> DevicePlatform:
    """The platform of the device that ran ``profiles`` (programs with their measurements).

    Raises InputError, with every reason, for no profile, profiles of different generations, the same run twice, tables
    that lack what constants are fitted to (:mod:`simcore.timing.device.fittable`), and times from which constants
    follow that no device has. The order of profiles does not matter. What no profile shows is documented or assumed,
    and says so in its constant.
    """
    if not profiles:
        raise InputError([Problem("no profile to fit to (expected at least one)", "PROFILE")])
    arches = sorted({program.arch for program in profiles})
    if len(arches) > 1:
        text = f"profiles of {len(arches)} generations: {', '.join(arches)} (a platform is of one)"
        raise InputError([Problem(text, profiles[0].file)])
    observed = _observed(sorted(profiles, key=lambda program: (program.name, program.file)))
    try:
        return _fitted(observed, arches[0], name)
    except ValidationError as error:
        text = "the times give a constant that no device has"
        files = ", ".join(program.file for program in profiles)
        problems = [Problem(f"{text}: {error.title} {place}: {what}", files) for place, what in faults_of(error)]
        raise InputError(problems) from error


def _observed(programs: Sequence[Program]) -> list[Observed]:
    problems: list[Problem] = []
    observed: list[Observed] = []
    for program in programs:
        try:
            observed.append(observe(program))
        except InputError as error:
            problems += error.problems
    problems += reasons_against(observed)
    if problems:
        raise InputError(problems)
    return observed


def _fitted(observed: Sequence[Observed], arch: str, name: str) -> DevicePlatform:
    pe = fit_pe(observed)
    dma = fit_dma(observed)
    return DevicePlatform.model_validate(
        {
            "schema": DEVICE_PLATFORM_SCHEMA,
            "name": name,
            "arch": arch,
            "profiles": tuple(profile.program.name for profile in observed),
            "engines": tuple(_without_preparation(engine, dma) for engine in fit_engine_timing(observed)),
            "operations": fit_operations(observed),
            "pe": pe,
            "table_load_ns": fit_table_load(observed),
            "throttle": fit_throttle(observed, pe),
            "dma": dma,
            "hbm": fit_hbm(observed, dma),
        }
    )


def _without_preparation(engine: EngineTiming, dma: DmaTiming) -> EngineTiming:
    """GpSimd's first trigger starts when it has been prepared; the engine itself began that much earlier."""
    if engine.engine != "Pool":
        return engine
    start = engine.start_ns
    earlier = max(0.0, start.value - dma.software_preparation_ns.value)
    return engine.model_copy(update={"start_ns": _moved(start, earlier)})


def _moved(constant: Constant, value: float) -> Constant:
    return constant.model_copy(
        update={"value": round(value, 4), "source": f"{constant.source}, less the preparation of a transfer"}
    )
