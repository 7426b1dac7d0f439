"""What a block's trace file is called, and that no two blocks of a program share a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum


class TracePrefix(StrEnum):
    """First part of the name: which step wrote the trace."""

    ESTIMATE = "perf_sim."
    """PerfSim's estimate; the only traces that go into a package."""
    AT_END = "perf_sim_at_end_trace."
    """The final read-out."""
    SCHEDULER = "ps_trace."
    """A scheduler's own simulation."""


SUFFIX = ".json"

MAX_STEM_BYTES = 240
"""Longest name without the ending and a number; file systems allow 255 bytes in all."""

_ILLEGAL = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
"""Characters that some file system does not allow in a name."""


def trace_file_names(prefix: TracePrefix, module: str, blocks: Iterable[tuple[str, str]]) -> list[str]:
    """The file name of each of ``blocks`` (function, block): ``<prefix><module>.<function>.<block>.json``.

    Illegal characters become ``_`` and overlong names are cut. A name that an earlier block has already (upper and
    lower case count as equal) gets ``~2``, ``~3``, ... before the ending.
    """
    taken: set[str] = set()
    last_number: dict[str, int] = {}
    names = []
    for function, block in blocks:
        stem = _cut(prefix + _ILLEGAL.sub("_", f"{module}.{function}.{block}"))
        name, key = stem, stem.casefold()
        while name.casefold() in taken:
            last_number[key] = last_number.get(key, 1) + 1
            name = f"{stem}~{last_number[key]}"
        taken.add(name.casefold())
        names.append(name + SUFFIX)
    return names


def _cut(stem: str) -> str:
    return stem.encode()[:MAX_STEM_BYTES].decode(errors="ignore")
