"""Checks a Chrome trace as a viewer would read it, and reads the arrows off it.

The rules are those of the Trace Event Format (JSON object format) that Perfetto relies on: fields and their types,
named processes and threads, slices of one thread disjoint, arrows in pairs that each bind to a slice.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]

FIELDS = {
    "M": {"name", "ph", "pid", "args"},
    "X": {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"},
    "s": {"name", "cat", "ph", "id", "ts", "pid", "tid"},
    "f": {"name", "cat", "ph", "bp", "id", "ts", "pid", "tid"},
}
METADATA = {
    "process_name": ("name", str),
    "process_sort_index": ("sort_index", int),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}


@dataclass
class Trace:
    """A trace that has passed every check."""

    other: Record
    records: list[Record]
    processes: dict[int, str] = field(default_factory=dict)
    threads: dict[tuple[int, int], str] = field(default_factory=dict)
    slices: list[Record] = field(default_factory=list)
    arrows: set[tuple[int, str, str, str]] = field(default_factory=set)
    """(process, producer, consumer, kind) of each arrow."""


def checked(path: Path) -> Trace:
    """The trace in ``path``; an AssertionError names the first record that is wrong."""
    document = json.loads(path.read_text(), parse_float=Decimal)
    assert set(document) == {"displayTimeUnit", "otherData", "traceEvents"}
    assert document["displayTimeUnit"] in ("ms", "ns")
    trace = Trace(document["otherData"], document["traceEvents"])
    for record in trace.records:
        _check_fields(record)
        if record["ph"] == "M":
            _name(trace, record)
        elif record["ph"] == "X":
            trace.slices.append(record)
    for record in trace.records:
        if record["ph"] != "M":
            assert record["pid"] in trace.processes, record
            assert (record["pid"], record["tid"]) in trace.threads, record
    _check_disjoint(trace)
    _bind_arrows(trace)
    return trace


def _check_fields(record: Record) -> None:
    phase = record["ph"]
    assert phase in FIELDS, record
    optional = {"tid"} if phase == "M" else set()
    assert FIELDS[phase] <= set(record) <= FIELDS[phase] | optional, record
    for key in ("ts", "dur"):
        if key in record:
            assert type(record[key]) in (int, Decimal), record
            assert record[key] >= 0, record
    for key in ("pid", "tid", "id"):
        assert type(record.get(key, 0)) is int, record
    for key in ("name", "cat"):
        assert type(record.get(key, "")) is str, record
    assert record.get("bp", "e") == "e", record


def _name(trace: Trace, record: Record) -> None:
    key, kind = METADATA[record["name"]]
    assert set(record["args"]) == {key}, record
    assert type(record["args"][key]) is kind, record
    assert ("tid" in record) == record["name"].startswith("thread"), record
    if record["name"] == "process_name":
        assert record["pid"] not in trace.processes, record
        trace.processes[record["pid"]] = record["args"]["name"]
    elif record["name"] == "thread_name":
        assert (record["pid"], record["tid"]) not in trace.threads, record
        trace.threads[record["pid"], record["tid"]] = record["args"]["name"]


def _check_disjoint(trace: Trace) -> None:
    by_thread = defaultdict(list)
    for record in trace.slices:
        by_thread[record["pid"], record["tid"]].append(record)
    for records in by_thread.values():
        records.sort(key=lambda r: (r["ts"], r["ts"] + r["dur"]))
        for before, after in pairwise(records):
            assert before["ts"] + before["dur"] <= after["ts"], (before, after)


def _bind_arrows(trace: Trace) -> None:
    """Binds each end of an arrow to the slice that a viewer binds it to: the last one begun on its thread."""
    latest: dict[tuple[int, int], Record] = {}
    begun: dict[int, tuple[Record, Record]] = {}
    ended: set[int] = set()
    for record in sorted((r for r in trace.records if r["ph"] != "M"), key=lambda r: r["ts"]):
        thread = record["pid"], record["tid"]
        if record["ph"] == "X":
            latest[thread] = record
            continue
        bound = latest[thread]
        assert bound["ts"] <= record["ts"], record
        # Inside the slice, not on the border where another may begin; a slice of no length has nothing but its border.
        assert record["ts"] < bound["ts"] + bound["dur"] or record["ts"] == bound["ts"], (bound, record)
        if record["ph"] == "s":
            assert record["id"] not in begun, record
            begun[record["id"]] = record, bound
        else:
            assert record["id"] not in ended, record
            ended.add(record["id"])
            start, producer = begun[record["id"]]
            assert (start["name"], start["cat"], start["pid"]) == (record["name"], record["cat"], record["pid"])
            trace.arrows.add((record["pid"], producer["name"], bound["name"], record["name"]))
    assert set(begun) == ended
