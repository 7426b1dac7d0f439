"""Where in the kernel's text an instruction comes from: BIR's ``debug`` object and a record's ``file:line``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simcore.program.bir.findings import Findings


def read_source(found: Findings, where: str, holder: Mapping[str, Any]) -> str | None:
    """``file:line`` of the ``debug`` object, ``file`` when it has no line, None when it names no file."""
    debug = holder.get("debug")
    if debug is None:
        return None
    debug = found.mapping(where, "debug", debug)
    if debug is None or debug.get("file") in (None, ""):
        return None
    file = found.text(where, "debug: file", debug["file"])
    if file is None or debug.get("lineno") is None:
        return file
    line = found.integer(where, "debug: lineno", debug["lineno"], 0)
    return file if line is None else f"{file}:{line}"


def debug_keys(source: str | None) -> dict[str, Any]:
    """The ``debug`` object that reads as ``source``, or ``{}`` for none."""
    if not source:
        return {}
    file, _, line = source.rpartition(":")
    if file and line.isascii() and line.isdigit() and str(int(line)) == line:
        return {"debug": {"file": file, "lineno": int(line)}}
    return {"debug": {"file": source}}
