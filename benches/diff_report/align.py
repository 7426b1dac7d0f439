"""Which event of one result is which of the other: by name, within blocks of one name."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass

from benches.diff_report.side import Side, SideBlock


@dataclass(frozen=True, slots=True)
class Alignment:
    """Events of block ``a`` and block ``b`` that have one name.

    ``in_a``: for each event of ``b`` its number in ``a``, or -1; ``in_b`` the other way round. ``reordered``: events of
    ``b`` that would have to move for the others to keep one order, as few as possible.
    """

    a: SideBlock
    b: SideBlock
    in_a: list[int]
    in_b: list[int]
    reordered: list[int]


def align(a: SideBlock, b: SideBlock) -> Alignment:
    """Aligns the events of two blocks."""
    of_a = {name: k for k, name in enumerate(a.names)}
    of_b = {name: k for k, name in enumerate(b.names)}
    in_a = [of_a.get(name, -1) for name in b.names]
    matched = [k for k, other in enumerate(in_a) if other >= 0]
    kept = set(_longest_increasing([in_a[k] for k in matched]))
    reordered = [k for position, k in enumerate(matched) if position not in kept]
    return Alignment(a, b, in_a, [of_b.get(name, -1) for name in a.names], reordered)


def blocks_by_name(a: Side, b: Side) -> tuple[list[tuple[SideBlock, SideBlock]], list[SideBlock], list[SideBlock]]:
    """(pairs of blocks of one function and name, blocks only in ``a``, blocks only in ``b``), each in order.

    Of several blocks of one name the first belongs to the first, and so on.
    """
    waiting: dict[tuple[str, str], list[SideBlock]] = defaultdict(list)
    for block in reversed(b.blocks):
        waiting[block.function, block.block].append(block)
    pairs, only_a = [], []
    for block in a.blocks:
        same = waiting[block.function, block.block]
        if same:
            pairs.append((block, same.pop()))
        else:
            only_a.append(block)
    left = {id(block) for blocks in waiting.values() for block in blocks}
    return pairs, only_a, [block for block in b.blocks if id(block) in left]


def _longest_increasing(values: list[int]) -> list[int]:
    """Positions of a longest increasing subsequence of distinct ``values``."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for position, value in enumerate(values):
        length = bisect_left(ends, value)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(value)
            at.append(position)
        else:
            ends[length], at[length] = value, position
    found: list[int] = []
    position = at[-1] if at else -1
    while position >= 0:
        found.append(position)
        position = before[position]
    return found[::-1]
