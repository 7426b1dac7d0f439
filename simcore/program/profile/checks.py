"""Whether a profile is whole and of the version that the reader knows; what is wrong names its table."""

from __future__ import annotations

from typing import Any

from simcore.program.profile.tables import TIME_LIMIT_NS, Tables, whole

DATA_VERSION = 8
"""``metadata.data_version`` of the profiles that the reader was checked on."""

_PACKET_COUNTS = tuple(f"{kind}_dma_packet_count" for kind in ("static", "software_dynamic", "hardware_dynamic"))
_INSTRUCTION_COUNTS = {
    "tensor_engine_instruction_count": ("Tensor", "TensorMatrix"),
    "vector_engine_instruction_count": ("Vector",),
    "scalar_engine_instruction_count": ("Scalar",),
    "gpsimd_engine_instruction_count": ("GpSimd",),
    "sync_engine_instruction_count": ("Sync",),
}
"""The summary's count of an engine's instructions -> the labels of its rows."""

_UNLISTED = 1
"""Instructions of an engine that the summary may count beyond the rows: one profile of a known version does."""

_ROUNDING_NS = 1
"""Rows end at most this much after the profile's last stamp: all are rounded by themselves."""

_COUNT_LIMIT = 10**9


def check_version(tables: Tables, notes: list[str]) -> None:
    """Refuses another data version; one that is not told is a note."""
    rows = tables.rows("metadata")
    if not rows:
        return
    path, row = rows[0]
    if "data_version" not in row:
        notes.append(f"the table metadata tells no data_version: read as version {DATA_VERSION}")
        return
    version = whole(tables.faults, row, "data_version", path, _COUNT_LIMIT)
    if version is not None and version != DATA_VERSION:
        message = f"{version}, a profile of another version (allowed: {DATA_VERSION})"
        tables.faults.add((*path, "data_version"), message)


def check_whole(tables: Tables) -> None:
    """Refuses tables with fewer rows than the summary counts, and rows later than the profile's last stamp."""
    summary = tables.rows("summary")
    if len(summary) == 1:  # of several cores, each row counts its own
        _check_counts(tables, summary[0][1])
    last = tables.first("metadata").get("last_hw_timestamp")
    if isinstance(last, int):
        for table in ("instruction", "dma"):
            _check_stamps(tables, table, last)


def _check_counts(tables: Tables, counts: dict[str, Any]) -> None:
    packets = [counts.get(key) for key in _PACKET_COUNTS]
    if "dma" in tables.document and all(isinstance(count, int) for count in packets):
        counted, there = sum(int(count or 0) for count in packets), len(tables.rows("dma"))
        if there < counted:
            tables.faults.add(("dma",), f"{there} packets, but the table summary counts {counted}: rows are missing")
    if "instruction" not in tables.document:
        return
    labels = [row.get("label") for _, row in tables.rows("instruction")]
    for key, own in _INSTRUCTION_COUNTS.items():
        engine_count, there = counts.get(key), sum(label in own for label in labels)
        if isinstance(engine_count, int) and there + _UNLISTED < engine_count:
            message = f"{there} rows of {own[0]}, but the table summary counts {engine_count}: rows are missing"
            tables.faults.add(("instruction",), message)


def _check_stamps(tables: Tables, table: str, last_ns: int) -> None:
    late = 0
    for _, row in tables.rows(table):
        stamps = [row[key] for key in ("timestamp", "duration") if isinstance(row.get(key), int)]
        if len(stamps) == 2 and max(stamps) <= TIME_LIMIT_NS:  # others have a fault of their own
            late += sum(stamps) > last_ns + _ROUNDING_NS
    if late:
        message = f"{late} rows end after metadata's last_hw_timestamp {last_ns}: other units, or another run"
        tables.faults.add((table,), message)
