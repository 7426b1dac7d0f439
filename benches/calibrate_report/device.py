"""What ``kernbench calibrate profile`` reports: every constant of a device platform, with how it was obtained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from pydantic import BaseModel
from rich.console import Console

from benches.schedule_report.text import table_of
from simcore.errors import InputError, Problem
from simcore.program.profile.files import load_profiles
from simcore.program.stream.json_text import decode_json, json_text
from simcore.staged_files import StagedFiles
from simcore.timing.device.constants import Constant, Obtained
from simcore.timing.device.files import DEVICE_PLATFORM_FILE, load_device_platform_file, stage_device_platform
from simcore.timing.device.fit import fit_device_platform
from simcore.timing.device.platform import DEVICE_PLATFORM_SCHEMA, DevicePlatform, StallPattern
from topology.platforms import load_device_platform, shipped_platforms

UNITS = {"ns": "ns", "gbs": "GB/s"}
"""Unit by the end of a constant's name; a constant of another name is a plain number."""


class ConstantRow(msgspec.Struct, frozen=True):
    """One constant. ``name`` is its place in the platform file, members of a list named by what tells them apart."""

    name: str
    value: float
    unit: str | None
    obtained: str
    points: int
    low: float | None
    high: float | None
    source: str


class StallRow(msgspec.Struct, frozen=True):
    """Observed losses of reads of one kind: how many reads, the mean over the engines and its extremes (ns)."""

    kind: str
    reads: int
    mean_ns: float
    least_ns: float
    most_ns: float


class DeviceFitReport(msgspec.Struct, frozen=True):
    """``kernbench.device-fit/1``: the platform that was written to ``file``, from ``profiles``."""

    schema: str
    platform: str
    arch: str
    file: str
    profiles: tuple[str, ...]
    constants: tuple[ConstantRow, ...]
    stalls: tuple[StallRow, ...]
    obtained: dict[str, int]


def fit_profiles(
    profiles: Sequence[Path], folder: Path, name: str, staged: StagedFiles, *, force: bool = False
) -> DeviceFitReport:
    """Fits a platform to ``profiles`` and writes it into ``folder``, to appear with all else in ``staged``.

    Raises InputError instead of replacing a device platform of more profiles, unless ``force``, or anything else.
    """
    platform = fit_device_platform(load_profiles(profiles), name=name)
    there = folder / DEVICE_PLATFORM_FILE
    if there.exists():
        _check_replaceable(there, platform, force=force)
    file = stage_device_platform(staged, platform, folder)
    return device_fit_report(platform, str(file))


def _check_replaceable(file: Path, platform: DevicePlatform, *, force: bool) -> None:
    document = decode_json(json_text(file.read_bytes(), str(file)), str(file))
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != DEVICE_PLATFORM_SCHEMA:
        text = f"holds something else than a device platform (schema {schema!r}); refusing to replace it"
        raise InputError([Problem(f"{text} (allowed: another folder)", str(file))])
    if force:
        return
    old, new = load_device_platform_file(file).profiles, platform.profiles
    if len(new) < len(old):
        text = f"was fitted to {len(old)} profiles; refusing to replace it with one of {len(new)} (--force does)"
        raise InputError([Problem(text, str(file))])


def shown_device(folder: Path) -> DeviceFitReport | None:
    """The report of the device platform in ``folder``, or shipped under that name; None for any other folder.

    Raises InputError for a file that is no platform at all.
    """
    file = folder / DEVICE_PLATFORM_FILE
    if file.is_file():
        document = decode_json(json_text(file.read_bytes(), str(file)), str(file))
        if not isinstance(document, dict) or document.get("schema") != DEVICE_PLATFORM_SCHEMA:
            return None
        return device_fit_report(load_device_platform(folder), str(file))
    if str(folder) in shipped_platforms():
        return device_fit_report(load_device_platform(folder), f"{folder} as shipped")
    return None


def device_fit_report(platform: DevicePlatform, file: str) -> DeviceFitReport:
    """The report of a platform."""
    rows = tuple(_rows(platform, ""))
    count = Counter(row.obtained for row in rows)
    hbm = platform.hbm
    return DeviceFitReport(
        schema="kernbench.device-fit/1",
        platform=platform.name,
        arch=platform.arch,
        file=file,
        profiles=platform.profiles,
        constants=rows,
        stalls=tuple(
            _stalls(kind, patterns)
            for kind, patterns in (("first", hbm.first), ("first_short", hbm.first_short), ("next", hbm.next))
            if patterns
        ),
        obtained={kind.value: count[kind.value] for kind in Obtained},
    )


def _rows(model: BaseModel, place: str) -> Iterator[ConstantRow]:
    for name in type(model).model_fields:
        value = getattr(model, name)
        here = f"{place}.{name}" if place else name
        if isinstance(value, Constant):
            yield _row(here, value)
        elif isinstance(value, BaseModel):
            yield from _rows(value, here)
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, BaseModel) and not isinstance(item, StallPattern):
                    yield from _rows(item, f"{here}[{_label(item)}]")


def _row(name: str, constant: Constant) -> ConstantRow:
    return ConstantRow(
        name=name,
        value=constant.value,
        unit=_unit(name),
        obtained=constant.obtained.value,
        points=constant.points,
        low=constant.low,
        high=constant.high,
        source=constant.source,
    )


def _unit(name: str) -> str | None:
    """The unit in the name itself, or in that of the group it belongs to."""
    ends = (part.rsplit("_", 1)[-1] for part in reversed(name.split(".")))
    return next((UNITS[end] for end in ends if end in UNITS), None)


def _label(item: BaseModel) -> str:
    """What tells a member of a list from the others: its words, and its truths by name."""
    words = []
    for name in type(item).model_fields:
        value = getattr(item, name)
        if isinstance(value, str):
            words.append(value)
        elif value is True:
            words.append(name)
    return " ".join(words)


def _stalls(kind: str, patterns: Sequence[StallPattern]) -> StallRow:
    means = [sum(pattern.lost_ns) / len(pattern.lost_ns) for pattern in patterns]
    return StallRow(
        kind=kind,
        reads=len(patterns),
        mean_ns=round(sum(means) / len(means), 1),
        least_ns=min(pattern.lost_ns[0] for pattern in patterns),
        most_ns=max(pattern.lost_ns[-1] for pattern in patterns),
    )


def print_device_fit(report: DeviceFitReport, console: Console, *, written: bool = True) -> None:
    """The constants as a table, then what no profile shows. ``written``: whether the file has come with the report."""
    console.print(f"platform {report.platform} ({report.arch}) from {', '.join(report.profiles)}", soft_wrap=True)
    table = table_of("constant", ">value", "unit", "obtained", ">points", "between")
    for row in report.constants:
        between = "" if row.low is None else f"{row.low:g} .. {row.high:g}"
        table.add_row(row.name, f"{row.value:.4g}", row.unit or "", row.obtained, str(row.points), between)
    console.print(table)
    for stalls in report.stalls:
        console.print(
            f"hbm.{stalls.kind}: {stalls.reads} reads lost {stalls.mean_ns:g} ns on average, "
            f"{stalls.least_ns:g} to {stalls.most_ns:g} by DMA engine"
        )
    console.print(", ".join(f"{count} {kind}" for kind, count in report.obtained.items() if count))
    assumed = report.obtained[Obtained.assumed.value]
    if assumed:
        console.print(f"{assumed} constants that no profile shows are assumed; their source says what stands in")
    console.print(f"{'written to ' if written else ''}{report.file}", soft_wrap=True)
