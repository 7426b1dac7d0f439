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
        ("1:30.5", Fraction(181, 2)),
    ],
)
def test_a_number_with_a_point_is_what_its_digits_say(text: str, value: Fraction):
    assert decode_yaml(f"x: {text}\n".encode(), "f.yaml", exact=True) == {"x": value}


def test_whole_numbers_infinite_and_nan_stay_what_they_are():
    document = decode_yaml(b"[7, .inf, .nan]", "f.yaml", exact=True)
    assert document[:2] == [7, math.inf]
    assert type(document[0]) is int
    assert math.isnan(document[2])


def test_without_exact_a_number_with_a_point_is_a_float():
    assert decode_yaml(b"[0.1]", "f.yaml") == [0.1]


def test_an_exponent_that_would_fill_the_memory_is_refused():
    with pytest.raises(InputError) as caught:
        decode_yaml(b"x: 1.0e-999999999\n", "f.yaml", exact=True)
    assert str(caught.value) == 'f.yaml:1:4: "1.0e-999999999" is not a readable number'
