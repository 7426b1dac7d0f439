"""A corpus: typed columns with units, and every bad row at once with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.timing.corpus import corpus_of
from simcore.timing.corpus_csv import corpus_csv, parse_corpus, read_corpus


def faults(text: str, *numeric: str) -> list[str]:
    with pytest.raises(InputError) as refused:
        parse_corpus(text, "c.csv", numeric=numeric)
    return str(refused.value).splitlines()


def test_a_header_gives_names_and_units() -> None:
    corpus = parse_corpus("n [words],span_cyc,wait_ns,cycles,s,who,n_row\n1,2,3,4,5,me,6\n", "c.csv")
    assert [(c.name, c.unit) for c in corpus.columns] == [
        ("n", "words"),
        ("span_cyc", "cycles"),
        ("wait_ns", "ns"),
        ("cycles", "cycles"),
        ("s", None),
        ("who", None),
        ("n_row", None),
    ]


def test_a_column_is_of_numbers_or_of_text() -> None:
    corpus = parse_corpus("n,who\n1,4x4\n2.5,8\n-1e3,x\n", "c.csv")
    assert corpus.numbers("n").tolist() == [1.0, 2.5, -1000.0]
    assert corpus.column("who").cells == ("4x4", "8", "x")
    with pytest.raises(InputError, match=r'c\.csv:1: the column "who" holds text'):
        corpus.numbers("who")


def test_every_bad_row_is_reported_with_its_line() -> None:
    text = "n,cycles\n1,2\n,3\n4\n5,x\n6,nan\n7,1_0\n8,1e99\n9,-1e-99\n"
    assert faults(text, "n", "cycles") == [
        "c.csv:3: n: the cell is empty (expected a number)",
        "c.csv:4: 1 cells in a row of 2 columns",
        'c.csv:5: cycles: "x" is no number',
        'c.csv:6: cycles: "nan" is no number',
        'c.csv:7: cycles: "1_0" is no number',
        "c.csv:8: cycles: 1e99 is out of range (allowed: 0, or 1e-15 to 1e+15 in size)",
        "c.csv:9: cycles: -1e-99 is out of range (allowed: 0, or 1e-15 to 1e+15 in size)",
    ]


def test_a_row_after_a_cell_of_several_lines_keeps_its_line() -> None:
    assert faults('n,note\n1,"a\nb"\nx,c\n', "n") == ['c.csv:4: n: "x" is no number']


def test_faults_of_the_header_are_reported_together() -> None:
    assert faults("n,,n,measured_at\n1,2,3,4\n", "cyles", "measured_at") == [
        "c.csv:1: column 2 has no name",
        'c.csv:1: the column "n" stands twice',
        'c.csv:1: no column "cyles" (allowed: n, , n, measured_at)',
        'c.csv:1: "measured_at" says when a row was measured; it is no feature and no target',
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "c.csv: the file is empty (expected a header and rows)"),
        ("\n\n", "c.csv: the file is empty (expected a header and rows)"),
        ("n,y\n", "c.csv:1: no rows below the header"),
        ('n,y\n1,"2\n', "c.csv:2: not valid CSV: unexpected end of data"),
    ],
)
def test_a_file_without_rows_is_refused(text: str, fault: str) -> None:
    assert faults(text) == [fault]


def test_when_a_row_was_measured_is_kept_and_is_no_fact() -> None:
    corpus = parse_corpus("n,y,measured_at\n1,2,20240101\n", "c.csv")
    assert corpus.ranges(without="y") == {"n": (1.0, 1.0)}
    assert corpus_csv(corpus) == b"n,y,measured_at\n1,2,20240101\n"


def test_rows_are_picked_by_the_text_of_a_cell(shared: Path) -> None:
    corpus = read_corpus(shared / "data/waveflow/bus_points.csv").where("direction", "write")
    assert corpus.numbers("span_cycles").tolist() == [142.0, 574.0]
    assert corpus.lines == (4, 5)
    with pytest.raises(InputError, match=r'no row has direction = "wite" \(allowed: write; did you mean "write"\?\)'):
        corpus.where("direction", "wite")


def test_a_file_that_cannot_be_read_is_an_error_of_the_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_corpus(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"n\n\xff\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_corpus(tmp_path / "latin.csv")


def test_a_corpus_of_numbers_becomes_the_file_that_it_stands_for() -> None:
    assert corpus_csv(corpus_of({"n": [128, 0.1], "y": [2e16, -3]})) == b"n,y\n128,2e+16\n0.1,-3\n"
