"""A table that is too wide for its place keeps its numbers whole, and shows everything."""

from __future__ import annotations

from collections import Counter

import pytest

from benches.narrow_table import Column, folded, narrow_lines
from benches.schedule_report.text import table_of
from tests.benches.test_plain_table import drawn_as_given

FLOWS = [
    Column(["flow", "a", "b"], number=False),
    Column(["bytes", "1048576", "4096"], number=True),
    Column(["fair end ns", "45590.26", "91180.52"], number=True),
    Column(["bottleneck", "nc0 -> nc0.dma0", "sip0.cube2.r0c5 -> sip0.cube2.ucie-E.conn0"], number=False),
]


def lines(columns: list[Column], width: int) -> list[str]:
    """Without which of them are headings."""
    return [line for line, _ in narrow_lines(columns, width)]


def test_texts_are_folded_and_numbers_are_not():
    assert lines(FLOWS, 48) == [
        "flow    bytes  fair end ns  bottleneck",
        "a     1048576     45590.26  nc0 -> nc0.dma0",
        "b        4096     91180.52  sip0.cube2.r0c5 ->",
        "                            sip0.cube2.ucie-E.",
        "                            conn0",
    ]


def test_columns_that_do_not_fit_stand_below_behind_what_the_rows_begin_with():
    assert lines(FLOWS, 30) == [
        "flow    bytes  fair end ns",
        "a     1048576     45590.26",
        "b        4096     91180.52",
        "",
        "flow  bottleneck",
        "a     nc0 -> nc0.dma0",
        "b     sip0.cube2.r0c5 ->",
        "      sip0.cube2.ucie-E.conn0",
    ]


def test_rows_that_begin_with_numbers_are_told_apart_by_their_first_text():
    columns = [
        Column(["at ns", "1234567"], number=True),
        Column(["instruction", "mm0"], number=False),
        Column(["for ns", "7654321"], number=True),
    ]
    assert lines(columns, 22) == [
        "  at ns  instruction",
        "1234567  mm0",
        "",
        "instruction   for ns",
        "mm0          7654321",
    ]


@pytest.mark.parametrize("width", range(1, 90))
def test_no_width_breaks_a_number_or_loses_a_letter(width: int):
    shown = lines(FLOWS, width)
    words = " ".join(shown).split()
    for column in FLOWS:
        if column.number:
            assert set(column.texts[1:]) <= set(words)
        for text in column.texts:
            assert not Counter("".join(text.split())) - Counter("".join(words))
    assert all(len(line) <= max(width, 4 + 2 + 10) for line in shown)


def test_a_heading_of_two_lines_stands_on_its_column_and_both_are_bold():
    assert list(narrow_lines(FLOWS[::2], 14)) == [
        ("      fair end", True),
        ("flow        ns", True),
        ("a     45590.26", False),
        ("b     91180.52", False),
    ]


def test_names_are_folded_behind_their_signs_and_before_their_capitals():
    assert folded("baseline_fp32_s1024", 10) == ["baseline_", "fp32_s1024"]
    assert folded("TensorScalarPtr", 10) == ["Tensor", "ScalarPtr"]
    assert folded("x" * 7, 3) == ["xxx", "xxx", "x"]
    assert folded("as it is", 8) == ["as it is"]


def test_a_column_that_does_not_wrap_keeps_its_names():
    table = table_of("opcode", "source")
    table.columns[0].no_wrap = True
    table.add_row("TensorScalarPtr", "a guide of many words")
    assert drawn_as_given(table, 26) == (
        "opcode           source\nTensorScalarPtr  a guide\n                 of many\n                 words\n"
    )


def test_reports_use_it():
    table = table_of("flow", ">end ns", "why")
    table.add_row("a", "45612.70", "nc0 waits for nc1")
    assert drawn_as_given(table, 24) == (
        "flow    end ns  why\na     45612.70  nc0\n                waits\n                for nc1\n"
    )


def test_columns_that_say_the_same_are_all_shown():
    columns = [
        Column(["flow", "a"], number=False),
        *(Column(["off %", "0.000"], number=True) for _ in range(3)),
        Column(["why", "of many words"], number=False),
    ]
    assert lines(columns, 18) == [
        "flow  off %  off %",
        "a     0.000  0.000",
        "",
        "flow  off %  why",
        "a     0.000  of",
        "             many",
        "             words",
    ]


def test_what_rows_are_called_stays_whole():
    columns = [Column(["case", "h2d-1hop"], number=False), Column(["why", "sip0-io0"], number=False)]
    assert lines(columns, 15) == ["case      why", "h2d-1hop  sip0-", "          io0"]
