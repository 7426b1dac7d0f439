"""Loops: bodies, trip counts, and the bounds that are known only at run time."""

from __future__ import annotations

from typing import Any

import pytest

from simcore.errors import InputError
from simcore.program.bir import read_bir
from simcore.program.bir.expressions import constant_value
from simcore.program.limits import MAX_NESTING
from tests.simcore.program.bir.documents import document, instruction, loaded, only, stored


def loop(**axis: Any) -> dict[str, Any]:
    return {"name": "l", "opcode": "Loop", "LoopAxis": {"name": "i", **axis}, "blocks": []}


def test_a_version_1_document_with_loops_is_read() -> None:
    result = read_bir(stored("loops_v1"), "loops.json")
    block = result.record.functions[0].blocks[0]
    before, outer, triangle, dynamic, until, after = block.instructions
    assert (before.name, after.dependencies) == ("before", [("i", "Flow")])
    assert (outer.name, outer.engine, outer.trip_count) == ("i", "Unassigned", 4)
    assert outer.dependencies == [("before", "Ordered")]
    assert outer.body is not None and [i.name for i in outer.body] == ["head", "inner"]
    inner = outer.body[1]
    assert (inner.opcode, inner.engine, inner.trip_count) == ("Loop", "DVE", 3)
    assert inner.body is not None and [(i.name, i.dependencies) for i in inner.body] == [("tail", [("head", "Flow")])]
    assert [(i.name, i.opcode, i.trip_count) for i in (triangle, dynamic, until)] == [
        ("triangle", "Loop", 1),
        ("n", "Loop", 1),
        ("until", "Loop", 1),
    ]
    assert result.notes == [
        "instruction triangle: the bounds of this Loop vary; its body counts as one trip",
        "instruction n: the trip count of a DynamicForLoop is known only at run time; its body counts as one trip",
        "instruction until: the trip count of a DoWhile is known only at run time; its body counts as one trip",
    ]


@pytest.mark.parametrize(
    ("axis", "trips"),
    [
        ({"lb": 0, "ub": 10, "stride": 1}, 10),
        ({"ub": 10, "stride": 3}, 4),
        ({"lb": 1, "ub": 10, "stride": 3}, 3),
        ({"lb": 9, "ub": -1, "stride": -2}, 5),
        ({"lb": 10, "ub": -1, "stride": -2}, 6),
        ({"lb": 4, "ub": 4, "stride": 1}, 0),
        ({"lb": 5, "ub": 4, "stride": 1}, 0),
        ({"lb": {"const": 2}, "ub": [8], "stride": {"kind": "AffExprKind", "c": 2}}, 3),
    ],
)
def test_trips_are_the_range_over_the_stride_rounded_up(axis: dict[str, Any], trips: int) -> None:
    assert only(loaded(loop(**axis))).trip_count == trips


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ({"lb": 0, "stride": 1}, "LoopAxis.ub: missing"),
        ({"lb": 0, "ub": 2}, "LoopAxis.stride: missing"),
        ({"lb": True, "ub": 2, "stride": 1}, "LoopAxis.lb: expected an integer or an expression, got a boolean"),
        (
            {"lb": 0, "ub": {"terms": [{"AxisLabel": "k", "coef": 1}], "c": 0}, "stride": 0},
            "LoopAxis.stride: 0 never ends (allowed: any other integer)",
        ),
    ],
)
def test_a_loop_needs_bounds_and_a_stride(axis: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        loaded(loop(**axis))
    assert str(caught.value) == f"test.json: instruction l: {message}"


def test_a_loop_without_an_axis_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        loaded({"name": "l", "opcode": "Loop", "blocks": []})
    assert str(caught.value) == "test.json: instruction l: LoopAxis: missing (expected an object)"


def test_a_dynamic_loop_without_blocks_stays_an_instruction() -> None:
    result = loaded(instruction("DoWhile"))
    assert (only(result).opcode, only(result).body, result.notes) == ("DoWhile", None, [])


def test_loops_nest_as_deep_as_a_program_may_and_no_deeper() -> None:
    def nest(depth: int) -> dict[str, Any]:
        inner = instruction()
        for level in range(depth):
            axis = {"name": f"l{level}", "lb": 0, "ub": 1, "stride": 1}
            inner = {"opcode": "Loop", "LoopAxis": axis, "blocks": [{"instructions": [inner]}]}
        return inner

    assert only(loaded(nest(MAX_NESTING))).name == f"l{MAX_NESTING - 1}"
    with pytest.raises(InputError) as caught:
        loaded(nest(MAX_NESTING + 1))
    assert str(caught.value) == f"test.json: instruction l0: loops nest deeper than {MAX_NESTING}"


def _affine(c: int, *terms: Any) -> dict[str, Any]:
    return {"kind": "AffExprKind", "terms": list(terms), "c": c}


AXIS = {"kind": "AffIVKind", "axis": "i"}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (7, 7),
        ({"const": -2}, -2),
        ([3], 3),
        ([3, 4], None),
        ({"terms": [], "c": 9}, 9),
        ({"terms": [{"AxisLabel": "i", "coef": 2}], "c": 9}, None),
        ({"terms": [{"AxisLabel": "i", "coef": 0}], "c": 9, "op": "Div", "op_param": 2}, 4),
        ({"terms": [], "c": 9, "op": "Mod", "op_param": 4}, 1),
        ({"terms": [], "c": 9, "op": "Mod", "op_param": 0}, None),
        ({"terms": [], "c": 9, "op": "CCGetRank", "op_param": 4}, None),
        (_affine(5), 5),
        (_affine(5, {"idx": AXIS, "coeff": 0}), 5),
        (_affine(5, {"idx": AXIS, "coeff": 1}), None),
        (_affine(5, {"idx": _affine(2), "coeff": 3}), 11),
        ({"kind": "SumKind", "n_terms": 2, "terms": [_affine(5), _affine(6)]}, 11),
        ({"kind": "SumKind", "n_terms": 2, "terms": [_affine(5), AXIS]}, None),
        ({"kind": "MultKind", "var": _affine(5), "scale": -3}, -15),
        ({"kind": "FloorDivKind", "numer": _affine(-5), "denom": 2}, -3),
        ({"kind": "ModuloKind", "numer": _affine(-5), "denom": 3}, 1),
        ({"kind": "IntRuntimeValueKind", "regref": "r0"}, None),
        ({"kind": "CCDivKind", "numer": _affine(4), "denom": 2}, None),
        ({}, None),
        (True, None),
        ("7", None),
        (2.0, None),
    ],
)
def test_an_expression_has_a_value_if_nothing_in_it_varies(expression: object, value: int | None) -> None:
    assert constant_value(expression) == value


def test_an_endless_expression_has_no_value() -> None:
    expression: dict[str, Any] = _affine(1)
    for _ in range(5000):
        expression = {"kind": "MultKind", "var": expression, "scale": 1}
    assert constant_value(expression) is None
    assert loaded(loop(lb=0, ub=expression, stride=1)).notes == [
        "instruction l: the bounds of this Loop vary; its body counts as one trip"
    ]


def test_a_loop_may_not_stand_where_its_name_is_missing_too() -> None:
    data = document({"opcode": "Loop", "LoopAxis": {"ub": 1, "stride": 1}, "blocks": []})
    with pytest.raises(InputError) as caught:
        read_bir(data, "f.json")
    assert str(caught.value) == "f.json: functions[0].blocks[0].instructions[0]: name: missing (expected text)"
