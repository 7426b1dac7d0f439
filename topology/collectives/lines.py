"""Lines: hop by hop along a row and a column of a grid to one member of it, or from that member to all.

What goes inwards goes along the rows first and then along the column of that member; what goes outwards the other way
round. Both sides of a line go at once. ``at`` is the row and the column of the member.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from topology.collectives.draft import Draft
from topology.collectives.send import Run, by_row, joined

Pick = Callable[[int, int], Run]
"""What goes between two members of a line: that of the first, who is farther out, and of all behind it."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The rows and the column of ``grid`` (ranks, row by row) that lead to ``at``. ``words``: what the phases in the
    rows and in the column are called after."""

    grid: Sequence[Sequence[int]]
    at: tuple[int, int]
    words: tuple[str, str]
    slotted: bool = True

    def reduce(self, draft: Draft, parts: Run) -> None:
        """The member ends with ``parts`` of all, added up."""
        for row in self.grid:
            self._inwards(draft, f"reduce_{self.words[0]}", row, self.at[1], lambda *_: parts, reduce=True)
        self._inwards(draft, f"reduce_{self.words[1]}", self._column, self.at[0], lambda *_: parts, reduce=True)

    def gather(self, draft: Draft, blocks: Sequence[Run]) -> None:
        """Everybody has a block; they stand row by row and follow each other. The member ends with all."""
        for row, own in zip(self.grid, self._by_row(blocks), strict=True):
            self._inwards(draft, f"gather_{self.words[0]}", row, self.at[1], _behind(own), reduce=False)
        whole = _behind(self._whole_rows(blocks))
        self._inwards(draft, f"gather_{self.words[1]}", self._column, self.at[0], whole, reduce=False)

    def broadcast(self, draft: Draft, parts: Run) -> None:
        """The member has ``parts``; all end with them."""
        self._outwards(draft, f"broadcast_{self.words[1]}", self._column, self.at[0], lambda *_: parts)
        for row in self.grid:
            self._outwards(draft, f"broadcast_{self.words[0]}", row, self.at[1], lambda *_: parts)

    def scatter(self, draft: Draft, blocks: Sequence[Run]) -> None:
        """The member has all blocks, which stand row by row and follow each other; everybody ends with the own one."""
        whole = _behind(self._whole_rows(blocks))
        self._outwards(draft, f"scatter_{self.words[1]}", self._column, self.at[0], whole)
        for row, own in zip(self.grid, self._by_row(blocks), strict=True):
            self._outwards(draft, f"scatter_{self.words[0]}", row, self.at[1], _behind(own))

    @property
    def _column(self) -> list[int]:
        return [row[self.at[1]] for row in self.grid]

    def _by_row(self, blocks: Sequence[Run]) -> list[Sequence[Run]]:
        return by_row(blocks, len(self.grid[0]))

    def _whole_rows(self, blocks: Sequence[Run]) -> list[Run]:
        return [joined(row) for row in self._by_row(blocks)]

    def _inwards(self, draft: Draft, phase: str, line: Sequence[int], at: int, pick: Pick, *, reduce: bool) -> None:
        steps = max(at, len(line) - 1 - at)
        for step, inner, outer in reversed(_hops(len(line), at)):
            draft.send(
                phase,
                steps - 1 - step,
                line[outer],
                line[inner],
                pick(outer, inner),
                reduce=reduce,
                slotted=self.slotted,
            )

    def _outwards(self, draft: Draft, phase: str, line: Sequence[int], at: int, pick: Pick) -> None:
        for step, inner, outer in _hops(len(line), at):
            draft.send(phase, step, line[inner], line[outer], pick(outer, inner), slotted=self.slotted)


def _hops(size: int, at: int) -> list[tuple[int, int, int]]:
    """Steps from ``at`` to the ends of a line with the members that they join; the longer side first, since it takes
    longer."""
    right = [(i - at, i, i + 1) for i in range(at, size - 1)]
    left = [(at - i, i, i - 1) for i in range(at, 0, -1)]
    return left + right if len(left) > len(right) else right + left


def _behind(blocks: Sequence[Run]) -> Pick:
    def pick(outer: int, inner: int) -> Run:
        return (blocks[0][0], blocks[outer][1]) if outer < inner else (blocks[outer][0], blocks[-1][1])

    return pick
