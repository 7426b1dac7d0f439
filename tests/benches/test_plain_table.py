"""The plain table shows what rich's own shows where that fits, and takes no longer than its text."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.table import Table

from benches.plain_table import PlainTable

HEADINGS = [("event", "left"), ("start ns", "right"), ("", "left"), ("bound by", "left")]


def drawn(table: Table, width: int, rows: list[tuple[str, ...]]) -> str:
    """What a console ``width`` columns wide shows of ``table`` with ``rows``."""
    for heading, justify in HEADINGS:
        table.add_column(heading, justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return drawn_as_given(table, width)


def drawn_as_given(table: Table, width: int) -> str:
    """What a console ``width`` columns wide shows of ``table``."""
    out = io.StringIO()
    Console(file=out, width=width, highlight=False, markup=False, emoji=False).print(table)
    return out.getvalue()


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [("a", "0", "", "none")],
        [("[red]x[/red]", "10", "x", "dependency on a"), ("名前→é\u0301", "123456789", "", "engine on :smile:")],
        [("x" * 60, "1", "", "none"), ("", "", "", "")],
        [(" lead", "1", " ", "two  blanks ")],
    ],
    ids=["empty", "one", "odd names", "wide", "blanks"],
)
def test_it_is_rich_s_own_table_to_the_byte_where_it_fits(rows: list[tuple[str, ...]]):
    rich_s_own = Table(box=None, pad_edge=False, header_style="bold")
    assert drawn(PlainTable(), 120, rows) == drawn(rich_s_own, 120, rows)


def test_rows_that_fit_are_not_laid_out_cell_by_cell(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Table, "__rich_console__", None)
    assert drawn(PlainTable(), 80, [("a", "7", "", "none")] * 3).count("\n") == 4
