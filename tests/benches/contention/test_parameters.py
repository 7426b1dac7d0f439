"""Parameters of benches: read by their annotations, refused with what is allowed."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

import pytest

from benches.contention.findings import Findings
from benches.contention.parameters import Between, Topology, parameters_of, read_settings, shown
from simcore.errors import InputError, ModelBug


def example(
    *,
    count: Annotated[int, Between(1, 8)] = 2,
    several: Annotated[tuple[int, ...], Between(1, 64)] = (1, 2, 3, 8),
    gbs: Annotated[Fraction, Between(0, 100, above=True)] = Fraction(5, 2),
    turns: Literal["flow", "port"] = "flow",
    warm: bool = False,
    topology: Topology = "trn2",
) -> Findings:
    raise NotImplementedError


KNOWN = parameters_of(example)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("count=8", 8),
        ("several=1..3,8", (1, 2, 3, 8)),
        ("several=16", (16,)),
        ("several=4, 2..3,4", (4, 2, 3)),
        ("gbs=0.1", Fraction(1, 10)),
        ("gbs=100", Fraction(100)),
        ("gbs=2/3", Fraction(2, 3)),
        ("turns=port", "port"),
        ("warm=true", True),
        ("warm=false", False),
        ("topology=my/own=file.yaml", "my/own=file.yaml"),
    ],
)
def test_a_value_is_read_as_its_annotation_says(setting: str, value: Any):
    (read,) = read_settings("example", KNOWN, [setting]).values()
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("count=9", "count: 9 is out of range (allowed: 1 to 8)"),
        ("count=-1", 'count: "-1" (expected a whole number)'),
        ("count=2.0", 'count: "2.0" (expected a whole number)'),
        ("count=", 'count: "" (expected a whole number)'),
        ("count=٣", 'count: "٣" (expected a whole number)'),
        ("several=8..1", 'several: "8..1" runs backwards'),
        ("several=1..99999", 'several: "1..99999" lists too many numbers (allowed: 64)'),
        ("several=1,,2", 'several: "1,,2" (expected whole numbers such as 4 or 1..8,16)'),
        ("several=0..2", "several: 0 is out of range (allowed: 1 to 64)"),
        ("gbs=0", "gbs: 0 is out of range (allowed: above 0, up to 100)"),
        ("gbs=1e9", 'gbs: "1e9" (expected a number)'),
        ("gbs=nan", 'gbs: "nan" (expected a number)'),
        ("gbs=1/0", 'gbs: "1/0" divides by 0'),
        ("turns=prot", 'turns: unknown word "prot" (allowed: flow, port; did you mean "port"?)'),
        ("warm=yes", 'warm: unknown word "yes" (allowed: true, false)'),
        (
            "cuont=1",
            'no parameter "cuont" (allowed: count, several, gbs, turns, warm, topology; did you mean "count"?)',
        ),
        ("count", "expected NAME=VALUE"),
    ],
)
def test_a_bad_value_is_refused_with_what_is_allowed(setting: str, message: str):
    with pytest.raises(InputError) as error:
        read_settings("example", KNOWN, [setting])
    first = error.value.problems[0]
    assert first.file == f"--set {setting}"
    assert first.message.removeprefix("bench example has ") == message


def test_all_faults_come_at_once_and_the_parameters_that_there_are_behind_them():
    with pytest.raises(InputError) as error:
        read_settings("example", KNOWN, ["count=x", "count=1", "none=1", "gbs=2"])
    lines = str(error.value).splitlines()
    assert [line.partition(": ")[0] for line in lines[:3]] == ["--set count=x", "--set count=1", "--set none=1"]
    assert lines[1].endswith("count is set twice")
    assert lines[3:] == [
        "bench example takes: count: whole number, 1 to 8 = 2",
        "bench example takes: several: whole numbers, 1 to 64 = 1..3,8",
        "bench example takes: gbs: number, above 0, up to 100 = 2.5",
        "bench example takes: turns: flow | port = flow",
        "bench example takes: warm: true | false = false",
        "bench example takes: topology: file or name of a system = trn2",
    ]


@pytest.mark.parametrize("parameter", KNOWN, ids=lambda p: p.name)
def test_what_is_shown_as_default_is_read_as_the_default(parameter):
    assert parameter.read(parameter.shown_default) == parameter.default


@pytest.mark.parametrize(
    ("value", "text"), [((1, 2, 4), "1,2,4"), ((1, 2, 3), "1..3"), ((5, 4), "5,4"), (Fraction(1, 3), "1/3"), (7, "7")]
)
def test_values_are_shown_as_they_would_be_set(value: object, text: str):
    assert shown(value) == text


def without_default(*, count: Annotated[int, Between(1, 2)]) -> Findings:
    raise NotImplementedError


def by_place(count: Annotated[int, Between(1, 2)] = 1) -> Findings:
    raise NotImplementedError


def without_bounds(*, count: int = 1) -> Findings:
    raise NotImplementedError


@pytest.mark.parametrize("function", [without_default, by_place, without_bounds])
def test_a_function_whose_parameters_cannot_be_set_is_a_fault_of_its_author(function):
    with pytest.raises(ModelBug):
        parameters_of(function)
