"""Why an instruction takes longer on real memory than in the ideal model: a word, and the part that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

HIDDEN = "hidden_before"
"""Delay that does not show: the ideal model had waited for something else meanwhile. Its ticks are below 0."""
HIDDEN_AT_END = "hidden_at_end"
"""The same at the end of a block: in the ideal model another instruction ends last."""
PARAMETERS = "core_parameters"
"""What a core's own parameters change, where a topology gives others than the cost model's."""
OVERHEAD = "overhead"
"""What a part on the way charges once, whatever the traffic."""
DMA_ENGINE = "dma_engine"
"""A wait for the turn at a DMA engine that serves one request of a direction at a time."""


class Why(NamedTuple):
    """``word``: the name of a :class:`simcore.schedule.Cause`, or a word of this module; ``part``: where, if at one."""

    word: str
    part: str = ""

    @property
    def label(self) -> str:
        """``link hbm>noc``, or the word alone."""
        return f"{self.word} {self.part}" if self.part else self.word


Piece = tuple[Why, int]
"""So many ticks, and why."""


def deducted(pieces: Sequence[Piece], ticks: int, first: int) -> list[Piece]:
    """``pieces`` without ``ticks`` of them: taken off number ``first``, then off the others from the last back.

    Raises ValueError if there are not as many.
    """
    left, kept = ticks, list(pieces)
    for place in [first, *range(len(kept) - 1, -1, -1)]:
        if not left or not kept:
            break
        why, length = kept[place]
        taken = min(left, length)
        kept[place] = (why, length - taken)
        left -= taken
    if left:
        raise ValueError(f"{ticks} ticks are to be taken off pieces that hold {ticks - left}")
    return [piece for piece in kept if piece[1]]


def total_of(pieces: Iterable[Piece]) -> dict[Why, int]:
    """The pieces by why, in the order in which each is first met."""
    total: dict[Why, int] = {}
    for why, ticks in pieces:
        if ticks:
            total[why] = total.get(why, 0) + ticks
    return total
