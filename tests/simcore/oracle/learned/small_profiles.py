"""Hand-made profiles of vector copies, whose law is known: ``fixed + rate * elements``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.simcore.program.profile.small import profile, row


def copy(number: int, start: int, elements: int, duration: int, **more) -> dict:
    """A copy of ``elements`` per partition on the vector engine."""
    operands = f"src=fp32@0x4000[1][{elements}] dst=fp32@0x5000[1][{elements}] channels=128"
    return row(number, f"I-{number}", start, operands=operands, **more) | {"duration": duration}


def copies(*sizes: int, fixed: int = 100, rate: int = 2) -> dict:
    """A profile of copies of these sizes, one after another."""
    rows, start = [], 0
    for number, elements in enumerate(sizes):
        duration = fixed + rate * elements
        rows.append(copy(number, start, elements, duration))
        start += duration
    return profile(*rows)


def written(folder: Path, name: str, document: dict) -> Path:
    """``document`` as the file ``name`` in ``folder``."""
    path = folder / name
    path.write_text(json.dumps(document))
    return path
