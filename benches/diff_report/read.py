"""Files -> sides: results of ``perfsim --json`` and ``run --json``, or programs, which are estimated here."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from decimal import Decimal

import msgspec
import numpy as np

from benches.diff_report.side import LATEST_NS, Side, SideBlock, estimated
from benches.exact_ns import Ns
from benches.schedule_report.model import BoundBy, Event
from simcore.errors import InputError, Problem, hint
from simcore.perfsim.estimate import prepare, run
from simcore.program.columns import Array
from simcore.program.engines import Lane
from simcore.program.instruction import SCHEMA as PROGRAM_SCHEMA
from simcore.program.read import program_from_bytes
from simcore.schedule import Cause, Schedule
from simcore.units import TICKS_PER_NS

RESULT_SCHEMAS = ("kernbench.perfsim/1", "kernbench.run/1")
DEVICE_SCHEMA = "kernbench.device-run/1"

_GZIP = b"\x1f\x8b"
_PICOSECOND = Decimal("0.001")
_SHOWN = 20
"""Faults of one file that are listed before the rest is counted."""


class _Head(msgspec.Struct):
    schema: str | None = None


class _Block(msgspec.Struct):
    function: str
    block: str
    events: list[Event] | None = None


class _Result(msgspec.Struct):
    program: str
    arch: str
    timing: str
    blocks: list[_Block]
    memory: str | None = None
    topology: str | None = None
    device: str | None = None


class _Several(msgspec.Struct):
    devices: list[msgspec.Raw] | None = None


class _Device(msgspec.Struct):
    device: str


def read_side(
    path: str | os.PathLike[str], *, timing: str = "hwm", arch: str | None = None, device: str | None = None
) -> Side:
    """The result in ``path``, or the estimate of the program in it, under ``timing`` on ``arch``.

    ``device``: whose result of those that ran together. Raises InputError with every fault of the file.
    """
    file = os.fspath(path)
    data = _bytes_of(file)
    schema = _schema_of(data)
    if schema in RESULT_SCHEMAS:
        return _side_of(_decoded(_of_device(data, device, file), file), schema, file)
    if schema is not None and schema.startswith("kernbench.") and schema != PROGRAM_SCHEMA:
        allowed = ", ".join((*RESULT_SCHEMAS, "or a program"))
        if schema == DEVICE_SCHEMA:
            schema = f"a run on a platform ({schema})"
        raise InputError([Problem(f"{schema} has no events to compare (allowed: {allowed})", file)])
    return estimated(run(prepare(program_from_bytes(data, file), arch=arch, timing=timing)), file)


def _bytes_of(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:
            data = opened.read()
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", file)]) from error
    if data[:2] == _GZIP:
        try:
            return gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError([Problem(f"damaged gzip data: {error}", file)]) from error
    return data


def _schema_of(data: bytes) -> str | None:
    """The ``schema`` of a JSON mapping; None for anything else, which only the readers of programs can judge."""
    try:
        return msgspec.json.decode(data, type=_Head).schema
    except msgspec.DecodeError:
        return None


def _of_device(data: bytes, device: str | None, file: str) -> bytes | msgspec.Raw:
    """``data``, or of the results of several devices that of ``device``."""
    try:
        several = msgspec.json.decode(data, type=_Several).devices
        results = {msgspec.json.decode(one, type=_Device).device: one for one in several or ()}
    except msgspec.ValidationError as error:
        raise _misfit(error, file) from error
    if several is None:
        return data
    if device is None:
        text = f"the result of {len(results)} devices (say with --device which one to compare)"
        raise InputError([Problem(text, file)])
    if device not in results:
        raise InputError([Problem(f'--device: no device "{device}" in it {hint(device, list(results))}', file)])
    return results[device]


def _misfit(error: msgspec.ValidationError, file: str) -> InputError:
    message, _, where = str(error).partition(" - at ")
    return InputError([Problem(message, file, where=where.strip("`") or None)])


def _decoded(data: bytes | msgspec.Raw, file: str) -> _Result:
    try:
        return msgspec.json.decode(data, type=_Result)
    except msgspec.ValidationError as error:
        raise _misfit(error, file) from error


def _side_of(result: _Result, schema: str, file: str) -> Side:
    problems: list[Problem] = []
    blocks = []
    for block in result.blocks:
        where = f"block {block.function}/{block.block}"
        if block.events is None:
            command = schema.removeprefix("kernbench.").removesuffix("/1")
            message = f"no events in it (make it with kernbench {command} --events --json)"
            problems.append(Problem(message, file, where=where))
            continue
        faults = [f"{where}: {fault}" for fault in _faults(block.events)]
        problems += [Problem(fault, file) for fault in faults[:_SHOWN]]
        if len(faults) > _SHOWN:
            problems.append(Problem(f"{where}: and {len(faults) - _SHOWN} more faults", file))
        if not faults:
            blocks.append(_block_of(block, block.events))
    if problems:
        raise InputError(problems)
    place = f"{result.device} of {result.topology}" if result.device is not None else None
    return Side(file, schema, result.program, result.arch, result.timing, tuple(blocks), result.memory, place)


def _faults(events: list[Event]) -> Iterator[str]:
    """What is wrong with a block's events. Producers come first, which also keeps a walk back along bounds finite."""
    place: dict[str, int] = {}
    for k, event in enumerate(events):
        if event.name in place:
            yield f'two events are named "{event.name}"'
        times = [event.start, event.duration, event.next_dispatch] + ([event.ready.at] if event.ready else [])
        if not all(_is_time(time) for time in times) or not _is_time(event.start + event.duration):
            yield f'event "{event.name}": a time that is no whole number of picoseconds from 0 to {LATEST_NS} ns'
        elif not event.start <= event.next_dispatch <= event.start + event.duration:
            yield f'event "{event.name}": next_dispatch {event.next_dispatch} lies outside of its start and end'
        if not 0 <= event.lane <= max(Lane):
            yield f'event "{event.name}": no lane {event.lane} (allowed: 0 to {max(Lane)})'
        place.setdefault(event.name, k)
    for k, event in enumerate(events):
        for on in (_start_of(event).on, event.ready.on if event.ready else None):
            if on is not None and place.get(on, -1) >= k:
                yield f'event "{event.name}": waits for "{on}", which does not come before it'


def _start_of(event: Event) -> BoundBy:
    """What its start was bound by."""
    return event.started_by or event.bound_by


def _is_time(value: Ns) -> bool:
    if isinstance(value, Decimal):
        if not value.is_finite() or not 0 <= value <= LATEST_NS:
            return False
        return value == value.quantize(_PICOSECOND)
    return 0 <= value <= LATEST_NS


def _block_of(block: _Block, events: list[Event]) -> SideBlock:
    place = {event.name: k for k, event in enumerate(events)}
    causes = {cause.name: cause for cause in Cause}

    def index(name: str | None) -> int:
        return -1 if name is None else place.get(name, -1)

    def ticks(values: list[Ns]) -> Array:
        return np.array([int(value * TICKS_PER_NS) for value in values], dtype=np.int64)

    schedule = Schedule(
        lane=np.array([event.lane for event in events], dtype=np.uint8),
        start=ticks([event.start for event in events]),
        duration=ticks([event.duration for event in events]),
        next_dispatch=ticks([event.next_dispatch for event in events]),
        # Causes that only a machine with real memory has count by their names, kept beside.
        cause=np.array([causes.get(_start_of(event).cause, Cause.floor) for event in events], dtype=np.uint8),
        on=np.array([index(_start_of(event).on) for event in events], dtype=np.int32),
        ready_at=ticks([event.ready.at if event.ready else 0 for event in events]),
        ready_on=np.array([index(event.ready.on) if event.ready else -1 for event in events], dtype=np.int32),
        ticks_per_ns=TICKS_PER_NS,
    )
    return SideBlock(
        function=block.function,
        block=block.block,
        names=[event.name for event in events],
        schedule=schedule,
        cause=[_start_of(event).cause for event in events],
        on_name=[_start_of(event).on for event in events],
    )
