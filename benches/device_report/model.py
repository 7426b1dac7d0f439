"""The fields of ``kernbench.device-run/1``, as written by ``run --timing platform:... --json``. Times are ns."""

from __future__ import annotations

import msgspec


class DeviceEvent(msgspec.Struct, omit_defaults=True):
    """One instruction of the shown run. ``on``: the instruction that ``cause`` is about."""

    name: str
    opcode: str
    engine: str
    start_ns: float
    end_ns: float
    cause: str
    confidence: str
    on: str | None = None


class DeviceTransferEvent(msgspec.Struct):
    """One transfer of the shown run: first packet's start, last packet's end."""

    name: str
    start_ns: float
    end_ns: float


class PathStep(msgspec.Struct, omit_defaults=True):
    """A stretch of the shown run's critical path: from the start of ``on`` (or of the window) to that of ``name``."""

    name: str
    cause: str
    ns: float
    on: str | None = None


class DeviceBlock(msgspec.Struct, omit_defaults=True):
    """One block. ``window_ns`` is the mean over the runs, ``band_ns`` their 5 and 95 % quantiles.

    ``finish_ns``: when the last transfer has ended too, which is later than the window if no instruction waits for it.
    ``busy_ns`` by engine and ``full_speed_share`` of the window are means over the runs too. ``confidence`` counts
    instructions by how far their costs can be trusted. ``shown_phase_ns`` and the fields after it are of one run: the
    one asked for, or that whose window is nearest to the mean; ``waits_ns`` adds up its critical path by cause.
    """

    name: str
    window_ns: float
    band_ns: tuple[float, float]
    finish_ns: float
    busy_ns: dict[str, float]
    full_speed_share: float
    confidence: dict[str, int]
    shown_phase_ns: float
    shown_window_ns: float
    waits_ns: dict[str, float] | None = None
    path: list[PathStep] | None = None
    events: list[DeviceEvent] | None = None
    transfers: list[DeviceTransferEvent] | None = None


class DeviceReport(msgspec.Struct, omit_defaults=True):
    """The whole result; ``window_ns`` and ``band_ns`` are of runs of all blocks, one after another.

    ``runs``: 1 if a phase was asked for. ``measured_ns``: of a program from a profile, what the profile measured.
    """

    schema: str
    program: str
    platform: str
    arch: str
    profiles: tuple[str, ...]
    runs: int
    window_ns: float
    band_ns: tuple[float, float]
    blocks: list[DeviceBlock]
    notes: list[str] = []
    measured_ns: int | None = None
