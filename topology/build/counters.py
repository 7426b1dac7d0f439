"""Many parts or links from one entry: ``for: {c: 2, d: 16}`` and ``{c}``, ``{d}`` in its names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

from simcore.program.faults import Path, kind_of, shown
from topology.text.blocks import Reader

LARGEST_COUNT = 100_000
"""Most parts or links that one entry may stand for."""

_COUNTER = re.compile(r"\{(\w*)\}")
_NAME = re.compile(r"[A-Za-z_][\w\-\[\]]*(\.[A-Za-z_][\w\-\[\]]*)*")


def read_counters(reader: Reader, raw: object, path: Path) -> dict[str, int] | None:
    """The counters of an entry's ``for``; None if something is wrong."""
    if not isinstance(raw, dict):
        reader.add(path, f"for: expected a mapping of counters, got {kind_of(raw)}")
        return None
    total = 1
    for key, value in raw.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            reader.add((*path, key), f"for: {key} must be a whole number above 0, not {shown(value)}")
            return None
        total *= value
    if total > LARGEST_COUNT:
        reader.add(path, f"for: {total} entries from one (allowed: up to {LARGEST_COUNT})")
        return None
    return dict(raw)


def expanded(
    reader: Reader, names: Mapping[str, str], counters: Mapping[str, int], path: Path
) -> Iterator[tuple[str, ...]]:
    """The ``names`` (by their keys) for every value of the counters, the last one running fastest."""
    for key, name in names.items():
        for counter in _COUNTER.findall(name):
            if counter not in counters:
                known = ", ".join(counters) or 'none: the entry has no "for"'
                reader.add((*path, key), f"{key}: {{{counter}}} is no counter of the entry (allowed: {known})")
                return
        plain = _COUNTER.sub("0", name)
        if not _NAME.fullmatch(plain):
            reader.add((*path, key), f"{key}: {shown(name)} is no name (allowed: words joined by points: pe0.tcm)")
            return
    for values in itertools.product(*map(range, counters.values())):
        row = dict(zip(counters, values, strict=True))
        yield tuple(name.format(**row) for name in names.values())
