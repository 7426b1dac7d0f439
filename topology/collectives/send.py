"""A collective as data: which rank sends which bytes to which other rank, and what each send waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Run = tuple[int, int]
"""Parts of a buffer, from the first to before the end."""


def joined(runs: Sequence[Run]) -> Run:
    """Runs that follow each other, as one."""
    return runs[0][0], runs[-1][1]


def by_row(runs: Sequence[Run], width: int) -> list[Sequence[Run]]:
    """Runs of a grid, which stand row by row, in rows of ``width``."""
    return [runs[i : i + width] for i in range(0, len(runs), width)]


@dataclass(frozen=True, slots=True)
class Extent:
    """Bytes of the buffer, ``nbytes`` of them from ``offset`` on."""

    offset: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Send:
    """``nbytes`` from rank ``src`` to rank ``dst``, which adds them to what it has (``reduce``) or replaces that.

    ``after``: names of the sends that come first: those by which ``src`` received what it now passes on, and its own
    send before this one on ``stream``. ``parts``: the parts of the stream's share of the buffer that are sent.
    ``slotted``: they go through a queue slot in the receiver's memory.
    """

    name: str
    src: int
    dst: int
    nbytes: int
    after: tuple[str, ...]
    stream: int
    phase: str
    reduce: bool
    parts: Run
    slotted: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """All sends of one collective over ``ranks`` ranks with a buffer of ``nbytes`` each; every send stands after those
    that it waits for.

    ``parts``: for each stream where in the buffer its parts lie. All ranks begin with all parts (``all_reduce``,
    ``reduce_scatter``, ``all_to_all``), with that of their own number (``all_gather``), or only the ``root`` has any
    (``broadcast``). All end with all parts, after ``reduce_scatter`` with that of their own number, after
    ``all_to_all`` with that of their own number from everybody. ``root``: also where data meet in a
    package, for the algorithms that have such a place; else None.
    """

    kind: str
    algorithm: str
    nbytes: int
    ranks: int
    root: int | None
    parts: Mapping[int, tuple[Extent, ...]]
    sends: tuple[Send, ...]

    @property
    def phases(self) -> list[str]:
        """The phases, in the order in which they first occur."""
        return list(dict.fromkeys(send.phase for send in self.sends))

    def steps(self) -> int:
        """Sends on the longest chain of sends each of which passes on what the one before has brought."""
        depth: dict[str, int] = {}
        arrived = {send.name: send.dst for send in self.sends}
        for send in self.sends:
            depth[send.name] = 1 + max((depth[n] for n in send.after if arrived[n] == send.src), default=0)
        return max(depth.values(), default=0)
