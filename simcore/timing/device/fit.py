"""Profiles -> a device platform. Each group of constants has its own estimator; none sees a simulated time."""

from __future__ import annotations

from collections.abc import Sequence

from simcore.errors import InputError, Problem
from simcore.program.program import Program
from simcore.timing.device.constants import Constant
from simcore.timing.device.fit_dma import fit_dma
from simcore.timing.device.fit_engines import fit_engine_timing, fit_operations, fit_table_load
from simcore.timing.device.fit_pe import fit_pe
from simcore.timing.device.fit_stalls import fit_hbm
from simcore.timing.device.fit_throttle import fit_throttle
from simcore.timing.device.observe import observe
from simcore.timing.device.platform import DEVICE_PLATFORM_SCHEMA, DevicePlatform, DmaTiming, EngineTiming


def fit_device_platform(profiles: Sequence[Program], *, name: str = "device") -> DevicePlatform:
    """The platform of the device that ran ``profiles`` (programs with their measurements).

    Raises InputError for no profile, a program without measurements, packets that could not be told apart, and profiles
    of different generations. Their order does not matter. What no profile shows is documented or assumed, and says so
    in its constant.
    """
    if not profiles:
        raise InputError([Problem("no profile to fit to (expected at least one)", "PROFILE")])
    arches = sorted({program.arch for program in profiles})
    if len(arches) > 1:
        text = f"profiles of {len(arches)} generations: {', '.join(arches)} (a platform is of one)"
        raise InputError([Problem(text, profiles[0].file)])
    observed = [observe(program) for program in sorted(profiles, key=lambda program: program.name)]
    pe = fit_pe(observed)
    dma = fit_dma(observed)
    return DevicePlatform.model_validate(
        {
            "schema": DEVICE_PLATFORM_SCHEMA,
            "name": name,
            "arch": arches[0],
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
