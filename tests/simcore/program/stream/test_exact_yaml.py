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


def test_an_exponent_that_would_fill_the_memory_is_refused():
    with pytest.raises(InputError) as caught:
        decode_yaml(b"x: 1.0e-999999999\n", "f.yaml", exact=True)
    assert str(caught.value) == 'f.yaml:1:4: "1.0e-999999999" is not a readable number'
