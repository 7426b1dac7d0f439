"""Tables that are wider than their place: texts are folded, numbers never are, and what is left goes below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, chop_cells

GAP = "  "
"""Between columns."""

LONGEST_KEY = 24
"""What rows are called stays whole up to this width: it is looked for, and copied."""

_PIECES = re.compile(r"\S*?(?:[._\-/>,:)\]]+|(?<=[a-z])(?=[A-Z])|(?=\s)|$)")
"""Of a word: names are folded behind their signs and before their capitals."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """``texts``: the heading, then a text per row. ``number``: to the right, and never folded; nor if ``whole``."""

    texts: list[str]
    number: bool
    whole: bool = False

    @property
    def full(self) -> int:
        """The width at which nothing is folded."""
        return max(map(cell_len, self.texts))

    @property
    def least(self) -> int:
        """The width below which a number, or a piece of a name, would be broken."""
        heading, *texts = self.texts
        kept = texts if self.number or self.whole else [piece for text in set(texts) for piece in _pieces(text)]
        return max(map(cell_len, [*heading.split(), *kept]), default=0)


def narrow_lines(columns: Sequence[Column], width: int) -> Iterator[tuple[str, bool]]:
    """Lines no wider than ``width``, each with whether it is of headings; wider ones if a single column is.

    Columns that do not fit beside the others even when their texts are folded come in tables of their own below, with
    the texts that the rows begin with in front of them.
    """
    first = _first_text(columns)
    named = [
        replace(column, whole=column.whole or (n == first and column.full <= LONGEST_KEY))
        for n, column in enumerate(columns)
    ]
    for number, group in enumerate(_groups(named, width)):
        if number:
            yield "", False
        yield from _lines(group, _widths(group, width))


def _pieces(text: str) -> list[str]:
    return [piece for word in text.split() for piece in _PIECES.findall(word) if piece]


def _taken(columns: Sequence[Column]) -> int:
    return sum(column.least for column in columns) + len(GAP) * (len(columns) - 1)


def _groups(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """As many of the columns as fit, then the others behind the keys of the rows."""
    keys = _keys(columns, width)
    groups: list[list[Column]] = [[]]
    for column in columns:
        here = groups[-1]
        if here and here != keys and _taken([*here, column]) > width:
            groups.append(here := list(keys))
        if column not in here:
            here.append(column)
    return groups


def _first_text(columns: Sequence[Column]) -> int:
    return next((n for n, column in enumerate(columns) if not column.number), 0)


def _keys(columns: Sequence[Column], width: int) -> list[Column]:
    """What tells rows apart: the columns of texts that they begin with, or else the first of texts, or the first."""
    first = _first_text(columns)
    keys = [columns[first]]
    for column in columns[first + 1 :]:
        if first or column.number or _taken([*keys, column]) > width // 2:
            break
        keys.append(column)
    return keys


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """The least of each column, and of what is left over as much for each as it needs, the smallest needs first."""
    widths = [column.least for column in columns]
    spare = max(0, width - _taken(columns))
    in_need = sorted(range(len(columns)), key=lambda n: columns[n].full - widths[n])
    for served, n in enumerate(in_need):
        more = min(columns[n].full - widths[n], spare // (len(in_need) - served))
        widths[n] += more
        spare -= more
    return widths


def _lines(columns: Sequence[Column], widths: Sequence[int]) -> Iterator[tuple[str, bool]]:
    rows = zip(*[column.texts for column in columns], strict=True)
    for number, row in enumerate(rows):
        cells = [folded(text, width) for text, width in zip(row, widths, strict=True)]
        for line in range(max(map(len, cells))):
            parts = []
            for column, cell, width in zip(columns, cells, widths, strict=True):
                # A heading of two lines stands on its column; a text of two begins where its row does.
                at = line - (max(map(len, cells)) - len(cell)) if number == 0 else line
                text = cell[at] if 0 <= at < len(cell) else ""
                blanks = " " * (width - cell_len(text))
                parts.append(blanks + text if column.number else text + blanks)
            yield GAP.join(parts).rstrip(), number == 0


def folded(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width``: between words, inside a word only where it has no other place."""
    if cell_len(text) <= width:
        return [text]
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for piece in _pieces(word):
            if cell_len(lines[-1] + piece) > width and lines[-1]:
                lines.append("")
            whole, *rest = chop_cells(lines[-1] + piece, width)
            lines[-1:] = [whole, *rest]
    return lines
