"""The bus law of a platform on disk: one file of points per run, one law fitted to all of them."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from simcore.errors import InputError, Problem
from simcore.staged_files import StagedFiles, make_folder
from simcore.timing.bus import BusTiming, fit_bus
from simcore.timing.bus_trace import BusPoint, PortTrace, measure_bus
from simcore.timing.clock import Clock
from simcore.timing.fit import Fit
from simcore.timing.linear import LinearModel
from simcore.timing.store.platform import Platform
from simcore.timing.store.records import (
    BUS_POINTS_SCHEMA,
    BUS_SCHEMA,
    BusRecord,
    BusRun,
    check_name,
    encoded,
    read_record,
    refuse_fewer,
)
from simcore.timing.transfers import DIRECTIONS, Direction, PortLatency

BUS_FILE, POINTS = "bus.json", "points"


class BusStep(msgspec.Struct, frozen=True):
    """What one calibration step measured, and which directions now have a law."""

    run_id: str
    point: BusRun
    fitted_directions: tuple[Direction, ...]


def add_run(platform: Platform, run: str, read: BusPoint | None, write: BusPoint | None) -> BusRun:
    """Keeps the points of ``run``; a run of the same name is replaced."""
    record = BusRun(BUS_POINTS_SCHEMA, read, write)
    folder = platform.path / POINTS
    target = folder / f"{check_name(run, 'run')}.json"
    make_folder(folder)
    with StagedFiles() as staged, staged.open(target) as out:
        out.write(encoded(record))
    return record


def runs(platform: Platform) -> dict[str, BusRun]:
    """The points of every run, by the run's name, sorted."""
    files = sorted((platform.path / POINTS).glob("*.json"))
    return {file.stem: read_record(file, BusRun, BUS_POINTS_SCHEMA) for file in files}


def fit_platform_bus(platform: Platform, *, force: bool = False) -> dict[Direction, Fit]:
    """Fits each direction that has points and keeps the laws; a direction without points keeps what it has.

    Raises InputError if no direction has a point, or if a law of more points would be replaced, unless ``force``.
    """
    fits: dict[Direction, Fit] = {}
    for direction in DIRECTIONS:
        if points := points_of(platform, direction):
            fits[direction] = fit_bus(points, os.fspath(platform.path / POINTS))
    if not fits:
        raise InputError([Problem("no bus points to fit", os.fspath(platform.path / POINTS))])
    file = platform.path / BUS_FILE
    old = read_laws(platform)
    laws: dict[Direction, LinearModel] = dict(old)
    for direction, fit in fits.items():
        before = old.get(direction)
        if before is not None and before.fit is not None:
            refuse_fewer(file, before.fit.n_points, fit.summary.n_points, force=force)
        assert isinstance(fit.model, LinearModel)
        laws[direction] = fit.model
    with StagedFiles() as staged:
        platform.stage_record(staged)
        with staged.open(file) as out:
            out.write(encoded(BusRecord(BUS_SCHEMA, laws.get("read"), laws.get("write"))))
    return fits


def read_laws(platform: Platform) -> dict[Direction, LinearModel]:
    """The stored laws, by direction; empty for a platform without any."""
    file = platform.path / BUS_FILE
    if not file.exists():
        return {}
    record = read_record(file, BusRecord, BUS_SCHEMA)
    laws: Mapping[Direction, LinearModel | None] = {"read": record.read, "write": record.write}
    return {direction: law for direction, law in laws.items() if law is not None}


def bus_timing(platform: Platform, clock: Clock, latency: PortLatency | None = None) -> BusTiming:
    """What a memory on ``platform`` charges at a simulation ``clock``; one word a cycle where no law is stored."""
    return BusTiming(clock, read_laws(platform), latency or PortLatency())


def calibrate_bus(platform: Platform, run: str, traces: Mapping[Direction, PortTrace]) -> BusStep:
    """Measures one run off the traces of its memory ports, and fits all runs."""
    points = {direction: measure_bus(trace) for direction, trace in traces.items()}
    record = add_run(platform, run, points.get("read"), points.get("write"))
    return BusStep(run, record, tuple(fit_platform_bus(platform)))


def points_of(platform: Platform, direction: Direction) -> dict[str, BusPoint]:
    """The points of one direction by run, sorted by the run's name."""
    found = {name: run.read if direction == "read" else run.write for name, run in runs(platform).items()}
    return {name: point for name, point in found.items() if point is not None}
