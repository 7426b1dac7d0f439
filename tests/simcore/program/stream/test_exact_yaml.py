"""Numbers of a YAML document can be kept exactly as their digits say."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from simcore.errors import InputError
from simcore.program.stream.yaml_text import decode_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("3.", Fraction(3)),
        ("1_000.25", Fraction(4001, 4)),
        ("1.5e+3", Fraction(1500)),
        ("0.30000000000000000001", Fraction(30000000000000000001, 10**20)),
    ],
)
def test_a_number_with_a_point_is_what_its_digits_say(text: str, value: Fraction):
    assert decode_yaml(f"x: {text}\n".encode(), "f.yaml", exact=True) == {"x": value}


def test_whole_numbers_infinite_and_nan_stay_what_they_are():
    document = decode_yaml(b"[7, .inf, .nan]", "f.yaml", exact=True)
    assert document[:2] == [7, math.inf]
    assert type(document[0]) is int
    assert math.isnan(document[2])


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("text", ["010", "-0644", "0_1_0", "1:30", "+1:30:00", "1:30.5", "0" * 5000 + "77"])
def test_a_number_that_yaml_1_2_reads_otherwise_is_refused(text: str, exact: bool):
    with pytest.raises(InputError) as caught:
        decode_yaml(f"y: 1\nx: {text}\n".encode(), "f.yaml", exact=exact)
    assert str(caught.value) == (
        f"f.yaml:2:4: {text} is one thing in YAML 1.1 and another in YAML 1.2 "
        "(allowed: decimal digits without a leading zero; quotes around text)"
    )


def test_zeros_and_digits_that_mean_the_same_in_both_versions_are_numbers():
    assert decode_yaml(b"[0, 00, 07, -0, 1_000, 0x10]", "f.yaml") == [0, 0, 7, 0, 1000, 16]
    assert decode_yaml(b"""["010", '1:30', 08, a:1]""", "f.yaml") == ["010", "1:30", "08", "a:1"]


def test_without_exact_a_number_with_a_point_is_a_float():
    assert decode_yaml(b"[0.1]", "f.yaml") == [0.1]


@pytest.mark.parametrize("text", ["1e5", "1E+5", "1.0e5", "100000.0", "0.001e+8"])
def test_a_number_with_an_exponent_is_one_as_in_json(text: str):
    assert decode_yaml(f'{{"x": {text}}}'.encode(), "f.json", exact=True) == {"x": 100_000}
    assert decode_yaml(f'{{"x": "{text}"}}'.encode(), "f.json", exact=True) == {"x": text}


@pytest.mark.parametrize(
    "text",
    ["1.0e-999999999", "1e400", "-1e+101", "1e-101", "1" + "0" * 101, "0." + "0" * 100 + "1", "0x1" + "0" * 99],
)
def test_a_number_that_would_fill_the_memory_or_is_no_double_is_refused(text: str):
    with pytest.raises(InputError) as caught:
        decode_yaml(f"x: {text}\n".encode(), "f.yaml", exact=True)
    (problem,) = caught.value.problems
    assert str(problem).startswith("f.yaml:1:4: ")
    assert problem.message.endswith("is not a readable number (allowed: 0, or from 1e-100 to 1e100 in size)")


def test_numbers_up_to_the_limits_are_what_they_are():
    document = decode_yaml(b"[1.0e+100, 1e-100, -1e100, 0.0, 0]", "f.yaml", exact=True)
    assert document == [10**100, Fraction(1, 10**100), -(10**100), 0, 0]
