"""Formulas mean what Python means by them, in exact numbers, and everything else is refused at its character."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from benches.experiments.evaluate import Compared, number, truth
from benches.experiments.formula import FormulaFault, Name, Reading, is_word, parse
from tests.benches.experiments.written_twice import Written, number_formulas, truth_formulas


class Readings:
    """Names by value; a reading gives the length of its words."""

    def named(self, name: Name) -> Fraction:
        return {"half": Fraction(1, 2), "two": Fraction(2)}[name.text]

    def reading(self, reading: Reading) -> Fraction:
        return Fraction(sum(len(word.text) for word in reading.of))


PYTHON = {"F": Fraction, "floor": math.floor, "ceil": math.ceil, "abs": abs, "min": min, "max": max}


def by_python(written: Written) -> object:
    try:
        return eval(written.python, {"__builtins__": {}, **PYTHON})
    except ZeroDivisionError:
        return "division by zero"


def by_us(text: str, wanted: str) -> object:
    try:
        tree = parse(text, wanted)
        return number(tree, Readings()) if wanted == "a number" else truth(tree, Readings(), [])
    except FormulaFault as fault:
        return fault.message.partition(":")[0]


@given(number_formulas)
def test_a_number_is_what_python_computes_with_fractions(written: Written):
    assert by_us(written.ours, "a number") == by_python(written)


@given(truth_formulas)
def test_a_comparison_is_what_python_says_of_fractions_and_stops_where_python_stops(written: Written):
    assert by_us(written.ours, "true or false") == by_python(written)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2 - 0.3", Fraction(0)),
        ("1/3 * 3", Fraction(1)),
        ("min(1/16, 4/416)", Fraction(1, 104)),
        ("1e3 + 1_000 + 0x10 + .5", Fraction(4033, 2)),
        ("7 // 2 + -7 // 2 + 7 % 4", Fraction(2)),
        ("ceil(7/2) * floor(-7/2)", Fraction(-16)),
        ("+half * two", Fraction(1)),
        ("length(ab, 'c d')", Fraction(5)),
        ("  1 +\n 2  ", Fraction(3)),
    ],
)
def test_numbers_are_exact(text: str, value: Fraction):
    assert number(parse(text, "a number"), Readings()) == value


def test_every_comparison_that_was_made_is_told_with_both_sides():
    seen: list[Compared] = []
    assert truth(parse("1 < two <= 3 and not half > 1 or 1/0 > 1", "true or false"), Readings(), seen)
    assert [(c.left, c.left_value, c.operator, c.right, c.right_value, c.holds) for c in seen] == [
        ("1", 1, "<", "two", 2, True),
        ("two", 2, "<=", "3", 3, True),
        ("half", Fraction(1, 2), ">", "1", 1, False),
    ]


def test_a_chain_ends_at_its_first_pair_that_fails():
    seen: list[Compared] = []
    assert not truth(parse("1 < 0 < 1/0", "true or false"), Readings(), seen)
    assert [(c.left, c.right, c.holds) for c in seen] == [("1", "0", False)]


@pytest.mark.parametrize(
    ("text", "wanted", "at", "message"),
    [
        ("1 + ", "a number", 3, "not a formula: it ends too early"),
        ("1 +* 2", "a number", 3, "not a formula: "),
        ("(1", "a number", 0, "not a formula: "),
        ("", "a number", 0, "not a formula: it ends too early"),
        ("1; 2", "a number", 1, "not a formula: "),
        ("1 = 2", "true or false", 2, "not a formula: "),
        ("2 ** 3", "a number", 0, '"2 ** 3" cannot stand in a formula (allowed: '),
        ("1 + a.b", "a number", 4, '"a.b" cannot stand in a formula'),
        ("1 + 'text'", "a number", 4, "\"'text'\" cannot stand in a formula"),
        ("True", "a number", 0, '"True" cannot stand in a formula'),
        ("1 if 2 > 1 else 3", "a number", 0, "cannot stand in a formula"),
        ("1 in two", "true or false", 0, "cannot stand in a formula"),
        ("[1][0]", "a number", 0, "cannot stand in a formula"),
        ("(lambda: 1)()", "a number", 0, "cannot stand in a formula"),
        ("length(a, what=b)", "a number", 0, "cannot stand in a formula"),
        ("length(*a)", "a number", 7, '"*a" is no name'),
        ("length(1)", "a number", 7, '"1" is no name (write a name that is not one word in quotes)'),
        ("length(mm-1)", "a number", 7, '"mm-1" is no name'),
        ("1 < 2", "a number", 0, '"1 < 2" is true or false, not a number'),
        ("(1 < 2) + 1", "a number", 1, '"1 < 2" is true or false, not a number'),
        ("1 + 2", "true or false", 0, '"1 + 2" is a number, not true or false'),
        ("1 < 2 and 3", "true or false", 10, '"3" is a number, not true or false'),
        ("not 3", "true or false", 4, '"3" is a number, not true or false'),
        ("abs(1, 2)", "a number", 0, "abs() takes 1 numbers, not 2"),
        ("two * min(1)", "a number", 6, "min() takes 2 or more numbers, not 1"),
        ("1e31", "a number", 0, "1e31 is out of range"),
        ("1e-999999999", "a number", 0, "1e-999999999 is out of range"),
        ("1e999999999", "a number", 0, "1e999999999 is out of range"),
        ("1j", "a number", 0, '"1j" cannot stand in a formula'),
        ("-" * 100 + "1", "a number", 61, "nested deeper than 60 levels"),
        ("(" * 1000 + "1" + ")" * 1000, "a number", 2000, "longer than 2000 characters"),
        ("µ + length(1)", "a number", 11, '"1" is no name'),
        ("1 / (two - 2)", "a number", 5, 'division by zero: "two - 2" is 0'),
        ("1 // 0", "a number", 5, 'division by zero: "0" is 0'),
        ("1 % 0", "a number", 4, 'division by zero: "0" is 0'),
    ],
)
def test_what_is_no_formula_is_refused_at_its_character(text: str, wanted: str, at: int, message: str):
    with pytest.raises(FormulaFault) as caught:
        number(parse(text, wanted), Readings())
    assert (message in caught.value.message, caught.value.at) == (True, at), caught.value.message


@pytest.mark.parametrize("text", ["9" * 1999, "(" * 900 + "1" + ")" * 900, "1\0", "1 is 1", "0or 1", "é" * 900])
def test_a_strange_text_is_read_or_refused_but_never_breaks_anything(text: str):
    try:
        parse(text, "a number")
    except FormulaFault as fault:
        assert fault.message


def test_a_word_is_what_a_formula_takes_without_quotes():
    assert [w for w in ("dual", "mm0", "_x", "µ", "if", "min", "a b", "a-b", "1a", "None", "") if is_word(w)] == [
        "dual",
        "mm0",
        "_x",
        "µ",
    ]
