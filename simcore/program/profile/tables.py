"""The tables of a profile, and what they say about the chip and the unit of time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from simcore.program.faults import Faults, Path, kind_of, shown

REQUIRED = ("instruction", "dma", "semaphore_update", "metadata")
"""Without these a profile says too little; the others are used when they are there."""

TIME_LIMIT_NS = 10**15
"""Longest profile that is believed (eleven days)."""

_CHIPS = {"inf1": "inferentia", "inf2": "sunda", "trn1": "sunda", "trn2": "gen3", "trn3": "core_v4"}
_CHIP_PREFIX = re.compile(r"(inf1|inf2|trn1|trn2|trn3)(?:[a-z]*)\b")
_TRN1_PE_GHZ = 2.8
_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\dT(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z")


@dataclass(slots=True)
class Tables:
    """The decoded profile's tables; every row is a mapping."""

    document: dict[str, Any]
    faults: Faults

    def rows(self, table: str) -> list[tuple[Path, dict[str, Any]]]:
        """(path, row) of a table, in file order; none if the table is missing."""
        if table not in self.document:
            return []
        found: list[tuple[Path, dict[str, Any]]] = []
        for k, row in enumerate(self.faults.sequence(self.document[table], (table,))):
            if isinstance(row, dict):
                found.append(((table, k), row))
            else:
                self.faults.add((table, k), f"expected a row (a mapping), got {kind_of(row)}")
        return found

    def first(self, table: str) -> dict[str, Any]:
        """The only row of a one-row table, an empty one if it is missing."""
        rows = self.rows(table)
        return rows[0][1] if rows else {}


def open_tables(data: object, faults: Faults) -> Tables | None:
    """The tables of ``data``, or None if it is no profile at all; faults name every required table that is missing."""
    if not isinstance(data, dict):
        faults.add((), f"expected a mapping of tables, got {kind_of(data)}")
        return None
    for table in REQUIRED:
        if table not in data:
            faults.add((), f'the table "{table}" is missing (a profile needs: {", ".join(REQUIRED)})')
    return Tables(data, faults)


def arch_of(tables: Tables) -> str | None:
    """The generation's name, from the instance type or, where that is enough, the PE clock."""
    instance = tables.first("summary").get("instance_type")
    if isinstance(instance, str) and (match := _CHIP_PREFIX.match(instance)):
        return _CHIPS[match[1]]
    clock = tables.first("metadata").get("pe_clock_freq")
    if clock == _TRN1_PE_GHZ:
        return "sunda"
    got = "is missing" if instance is None else f"is {shown(instance)}"
    tables.faults.add(
        ("summary", 0, "instance_type"),
        f"it {got}, so the chip is not known (allowed: a text that begins with {', '.join(_CHIPS)}; a PE clock of "
        "2.8 GHz would do for trn1)",
    )
    return None


def check_time_unit(tables: Tables) -> None:
    """Makes sure that times are nanoseconds: the span of the hardware's stamps must be that of the dated ones."""
    rows = tables.rows("metadata")
    if not rows:
        if "metadata" in tables.document:
            tables.faults.add(("metadata",), "the table is empty")
        return
    path, row = rows[0]
    stamps = [
        whole(tables.faults, row, key, path, TIME_LIMIT_NS) for key in ("first_hw_timestamp", "last_hw_timestamp")
    ]
    dates = [_time_of_day_ns(tables.faults, row, key, path) for key in ("first_ts", "last_ts")]
    if None in stamps or None in dates:
        return
    (first, last), (begin, end) = (int(s or 0) for s in stamps), (int(d or 0) for d in dates)
    span = (end - begin) % (24 * 3600 * 10**9)
    if abs((last - first) - span) * 100 > span:
        tables.faults.add(
            path,
            f"stamps span {last - first} units but the dates {span} ns: only profiles whose times are "
            "nanoseconds can be read",
        )


def whole(faults: Faults, row: dict[str, Any], key: str, path: Path, high: int) -> int | None:
    """``row[key]`` as a whole number in 0..high (the profiler writes some as text); a missing key is a fault."""
    if key not in row:
        faults.add(path, f'missing key "{key}"')
        return None
    value = row[key]
    if isinstance(value, str) and len(value) <= 20 and value.isascii() and value.isdigit():
        value = int(value)
    return faults.integer(value, (*path, key), 0, high)


def _time_of_day_ns(faults: Faults, row: dict[str, Any], key: str, path: Path) -> int | None:
    value = row.get(key)
    match = _ISO_TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        got = "missing" if value is None else shown(value)
        faults.add((*path, key), f"{key}: {got} (allowed: a date such as 1970-01-01T00:00:00.000038091Z)")
        return None
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
    return seconds * 10**9 + int((match[4] or "").ljust(9, "0"))
