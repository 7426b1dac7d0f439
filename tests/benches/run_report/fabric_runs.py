"""Programs on the cores of small and shipped systems, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from benches.run_report.execute import MachineBlock
from benches.run_report.on_fabric import FabricRun, place, run_on_fabric
from simcore.perfsim.estimate import Estimate, prepare, run
from simcore.program.program import Program
from simcore.schedule import Schedule
from tests.simcore.perfsim.blocks import loaded
from tests.topology.infinite import without_limits
from topology.loader import load_system
from topology.machine.devices import devices_of
from topology.machine.site import Site

TIMES = ("start", "duration", "next_dispatch")


@cache
def site_of(name: str) -> Site:
    """A shipped system."""
    return Site(load_system(name))


@cache
def free_site_of(name: str) -> Site:
    """A shipped system without limits."""
    return Site(without_limits(load_system(name)))


def estimate_of(program: Program, *, anti: bool = True) -> Estimate:
    """PerfSim's estimate of ``program``."""
    return run(prepare(program), include_anti_deps=anti)


def ran(site: Site, words: Sequence[str], *estimates: Estimate, algorithm: str = "ring") -> FabricRun:
    """Each estimate's program on the device at its place, or the only one on all of them."""
    devices = devices_of(site, words)
    programs = estimates * len(devices) if len(estimates) == 1 else estimates
    return run_on_fabric(site, place(site, list(zip(devices, programs, strict=True))), algorithm=algorithm)


def ran_document(site: Site, word: str, document: Mapping[str, Any]) -> list[MachineBlock]:
    """The blocks of a document on one device."""
    return ran(site, [word], estimate_of(loaded(document))).devices[0].blocks


def times_of(schedule: Schedule) -> dict[str, list[int]]:
    """Every start, duration and next-dispatch."""
    return {name: getattr(schedule, name).tolist() for name in TIMES}
