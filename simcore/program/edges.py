"""Dependency kinds. A pair of instructions has one edge; several reasons merge to the strongest (the maximum)."""

from __future__ import annotations

from enum import IntEnum


class EdgeKind(IntEnum):
    """Why an instruction must follow another (Anti: write after read, Output: write after write, Flow: true)."""

    Invalid = 0
    Ordered = 1
    Anti = 2
    Output = 3
    Flow = 4
