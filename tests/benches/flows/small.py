"""Small traffic for tests: graphs written in a line, files, and results in few words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benches.flows.read import read_traffic
from benches.flows.traffic import Traffic
from simcore.errors import InputError


def link(src: str, dst: str, bw_gbs: float = 64, overhead_ns: float = 0, length_mm: float = 0) -> dict[str, Any]:
    return {"src": src, "dst": dst, "bw_gbs": bw_gbs, "length_mm": length_mm, "overhead_ns": overhead_ns}


def flow(name: str, path: Sequence[str], nbytes: int, start_ns: float = 0, **more: Any) -> dict[str, Any]:
    ends = {"src": path[0], "dst": path[-1], "path": list(path)}
    return {"name": name, **ends, "bytes": nbytes, "start_ns": start_ns, **more}


def document(links: list[dict[str, Any]], flows: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    """A traffic file over an inline graph of the links' ends."""
    nodes = list(dict.fromkeys(name for each in links for name in (each["src"], each["dst"])))
    written = {"schema": "kernbench.traffic/1", "graph": {"nodes": nodes, "links": links}, "flows": flows}
    return {**written, "options": options} if options else written


def traffic_of(folder: Path, content: dict[str, Any] | str, name: str = "t.yaml") -> Traffic:
    """The traffic of a file with that content."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_traffic(path)


def problems_of(folder: Path, content: dict[str, Any] | str) -> list[str]:
    """What is wrong with it, each ``line:column: message``."""
    try:
        traffic_of(folder, content)
    except InputError as error:
        return [str(problem).replace(f"{folder / 't.yaml'}:", "") for problem in error.problems]
    return []
