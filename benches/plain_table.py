"""A plain table for the console, drawn as fast as its text can be joined where every cell fits on one line."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.table import Table

from benches.narrow_table import GAP, Column, narrow_lines


class PlainTable(Table):
    """A table without lines, its headings bold, of texts alone.

    Rich lays out each cell as a document of its own, about a millisecond a row: minutes for the events of a long
    program. It also breaks numbers in a table that is too wide for the console; here they stay whole
    (:mod:`benches.narrow_table`).
    """

    def __init__(self) -> None:
        super().__init__(box=None, pad_edge=False, header_style="bold")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = [[str(column.header), *map(str, column.cells)] for column in self.columns]
        widths = [max(map(cell_len, texts)) for texts in columns]
        if not columns:
            yield Segment.line()
            return
        if sum(widths) + len(GAP) * (len(widths) - 1) > options.max_width:
            yield from self._narrow(columns, console, options.max_width)
            return
        lines = self._lines(columns, widths)
        yield Segment(next(lines), console.get_style(self.header_style))
        yield Segment.line()
        # A segment per line: rich cuts the first line off a longer one again and again, which is quadratic.
        yield from (Segment(line + "\n") for line in lines)

    def _narrow(self, columns: list[list[str]], console: Console, width: int) -> RenderResult:
        bold = console.get_style(self.header_style)
        texts = [Column(c, of.justify == "right", of.no_wrap) for c, of in zip(columns, self.columns, strict=True)]
        for line, is_heading in narrow_lines(texts, width):
            yield Segment(line, bold if is_heading else None)
            yield Segment.line()

    def _lines(self, columns: list[list[str]], widths: list[int]) -> Iterator[str]:
        from_right = [column.justify == "right" for column in self.columns]
        for row in zip(*columns, strict=True):
            cells = []
            for text, width, right in zip(row, widths, from_right, strict=True):
                blanks = " " * (width - cell_len(text))
                cells.append(blanks + text if right else text + blanks)
            yield GAP.join(cells)
