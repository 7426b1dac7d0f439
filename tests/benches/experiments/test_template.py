"""Set-ups that compute: what ``let``, braces and ``for``/``do`` make of a document, and where their faults are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from benches.experiments.findings import Findings
from benches.experiments.template import MAX_ITEMS, Template


def filled(value: Any, **let: Any) -> Any:
    findings = Findings()
    template = Template(findings)
    result = template.filled(value, template.lets(let))
    assert list(findings.found) == []
    return result


def faults(value: Any, **let: Any) -> list[tuple[Any, str, int | None]]:
    findings = Findings()
    template = Template(findings)
    template.filled(value, template.lets(let))
    return [(f.path, f.message, f.at) for f in findings.found]


def test_a_text_that_is_one_value_becomes_the_number_and_others_keep_their_words():
    document = {"a": "{n}", "b": "{n / 4}", "c": "mm{n + 1}-{n}", "d": "plain", "e": 7, "f": None}
    assert filled(document, n=6) == {"a": 6, "b": Fraction(3, 2), "c": "mm7-6", "d": "plain", "e": 7, "f": None}


def test_a_later_name_of_let_may_use_an_earlier_one():
    assert filled(["{sum}"], a=2, b=0.1, sum="{a + b}") == [Fraction(21, 10)]


def test_a_loop_repeats_its_items_in_order_with_its_own_name():
    loop = {"for": {"k": 2}, "do": [{"name": "a{k}"}, {"name": "b{k}"}]}
    assert filled([{"name": "first"}, loop, {"name": "last"}]) == [
        {"name": name} for name in ("first", "a0", "b0", "a1", "b1", "last")
    ]


def test_loops_nest_and_count_with_what_is_around_them():
    inner = {"for": {"j": "{k + 1}"}, "do": ["{k}{j}"]}
    assert filled([{"for": {"k": "{n}"}, "do": [inner]}], n=3) == ["00", "10", "11", "20", "21", "22"]


def test_a_loop_of_no_turns_leaves_nothing():
    assert filled({"x": [{"for": {"k": 0}, "do": [1]}]}) == {"x": []}


def test_a_value_that_a_loop_made_is_traced_to_where_it_was_written():
    template = Template(Findings())
    inner = {"for": {"j": 2}, "do": ["x", {"deep": ["y"]}]}
    template.filled({"list": ["a", {"for": {"k": 2}, "do": ["b", inner]}]}, {})
    made = ["a", "b", "x", "deep", "x", "deep", "b", "x", "deep", "x", "deep"]
    assert [template.source(("list", k))[1:] for k in range(len(made))] == [
        (0,),
        *[(1, "do", 0), *[(1, "do", 1, "do", 0), (1, "do", 1, "do", 1)] * 2] * 2,
    ]
    assert template.source(("list", 5, "deep", 0)) == ("list", 1, "do", 1, "do", 1, "deep", 0)
    assert template.source(("other", 3)) == ("other", 3)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (["a{n + q}"], ((0,), 'unknown name "q" (allowed: n)', 6)),
        (["{n +}"], ((0,), "not a formula: it ends too early", 4)),
        (["{n > 1}"], ((0,), '"n > 1" is true or false, not a number', 1)),
        (["{makespan_ns(a)}"], ((0,), '"makespan_ns(a)": a set-up cannot read a result', 1)),
        (["{1 / (n - n)}"], ((0,), 'division by zero: "n - n" is 0', 6)),
        (["x{n / 4}"], ((0,), "{n / 4} is 3/2, which is no whole number", 1)),
        (["a}b"], ((0,), 'a brace without its other in "a}b"', 1)),
        ([{"for": {"k": 2}}], ((0,), "do: expected the list that is repeated, got nothing", None)),
        ([{"for": {"k": 2}, "do": 3}], ((0,), "do: expected the list that is repeated, got the number 3", None)),
        (
            [{"for": {"k": 2}, "do": [], "x": 1}],
            ((0, "x"), 'unknown key "x" (allowed: for, do)', None),
        ),
        (
            [{"for": 3, "do": []}],
            ((0, "for"), "for: expected one name with its number of turns, such as {k: 8}", None),
        ),
        (
            [{"for": {"n": 3}, "do": []}],
            ((0, "for", "n"), 'for: "n" cannot be the name (it is already used)', None),
        ),
        (
            [{"for": {"a b": 3}, "do": []}],
            ((0, "for", "a b"), 'for: "a b" cannot be the name (a name is one word, as a formula has it)', None),
        ),
        (
            [{"for": {"k": -1}, "do": []}],
            ((0, "for", "k"), "for.k: -1 is no number of turns (allowed: 0 to 100000)", None),
        ),
        (
            [{"for": {"k": "{n / 4}"}, "do": []}],
            ((0, "for", "k"), "for.k: 3/2 is no number of turns (allowed: 0 to 100000)", None),
        ),
        ([{"for": {"k": "x"}, "do": []}], ((0, "for", "k"), 'for.k: expected a number, got the text "x"', None)),
        (
            [{"for": {"k": 1000}, "do": [{"for": {"j": 1000}, "do": [1]}]}],
            ((0, "do", 0), f"the loops make more than {MAX_ITEMS} items", None),
        ),
    ],
)
def test_a_fault_is_told_once_at_its_place(value: Any, wanted: tuple[Any, str, int | None]):
    assert faults(value, n=6)[:1] == [wanted]


@pytest.mark.parametrize(
    ("let", "wanted"),
    [
        ({"a b": 1}, (("let", "a b"), 'let: "a b" is no name (a name is one word, as a formula has it)', None)),
        ({"max": 1}, (("let", "max"), 'let: "max" is no name (a name is one word, as a formula has it)', None)),
        ({"a": "x"}, (("let", "a"), 'let.a: expected a number, got the text "x"', None)),
        ({"a": True}, (("let", "a"), "let.a: expected a number, got a boolean", None)),
        ({"a": [1]}, (("let", "a"), "let.a: expected a number, got a list", None)),
        ({"a": float("inf")}, (("let", "a"), "let.a: inf is not a finite number", None)),
        ({"a": "{b}", "b": 1}, (("let", "a"), 'unknown name "b" (there is none)', 1)),
    ],
)
def test_what_let_cannot_name_is_refused(let: dict[str, Any], wanted: tuple[Any, str, int | None]):
    assert faults([], **let) == [wanted]


def test_let_is_a_mapping():
    findings = Findings()
    assert Template(findings).lets([1]) == {}
    assert [(f.path, f.message) for f in findings.found] == [(("let",), "let: expected a mapping, got a list")]
