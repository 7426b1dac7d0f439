"""CollectiveCompute instructions as plans."""

from __future__ import annotations

import pytest

from simcore.errors import InputError
from tests.simcore.perfsim.blocks import loaded
from tests.topology.collectives.plain_data import faults, races
from topology.collectives.for_program import plan_for_instruction
from topology.collectives.layout import Grid, Layout

FOUR = Layout(("a", "b", "c", "d"), Grid(2, 2))


def columns_of(**fields: object):
    operand = {"space": "DRAM", "partitions": 4, "elements": 10, "dtype": "bfloat16"}
    before = {"name": "add", "opcode": "TensorTensor", "engine": "DVE", "ins": [operand], "outs": [operand]}
    collective = {
        "name": "cc",
        "opcode": "CollectiveCompute",
        "engine": "Pool",
        "kind": "AllReduce",
        "stream_id": 1,
        "ins": [operand],
        "outs": [operand],
    }
    document = {
        "schema": "kernbench.stream/1",
        "name": "p",
        "arch": "gen3",
        "functions": [
            {"name": "f", "blocks": [{"name": "b", "instructions": [before, {**collective, **fields}]}]},
        ],
    }
    return loaded(document).functions[0].blocks[0].columns


@pytest.mark.parametrize(
    ("kind", "planned", "nbytes"),
    [("AllReduce", "all_reduce", 80), ("ReduceScatter", "reduce_scatter", 80), ("AllGather", "all_gather", 320)],
)
@pytest.mark.parametrize("algorithm", ["ring", "torus", "hierarchical"])
def test_the_inputs_of_an_instruction_go_over_its_own_stream(kind: str, planned: str, nbytes: int, algorithm: str):
    plan = plan_for_instruction(columns_of(kind=kind), 1, FOUR, algorithm)
    assert (plan.kind, plan.nbytes, plan.ranks, list(plan.parts)) == (planned, nbytes, 4, [1])
    assert {send.stream for send in plan.sends} == {1}
    assert faults(plan) == races(plan) == []


@pytest.mark.parametrize("algorithm", ["ring", "torus"])
def test_an_all_to_all_goes_pairwise_whatever_others_do(algorithm: str):
    plan = plan_for_instruction(columns_of(kind="AllToAll"), 1, FOUR, algorithm)
    assert (plan.kind, plan.algorithm, plan.nbytes, list(plan.parts)) == ("all_to_all", "pairwise", 80, [1])
    assert [send.nbytes for send in plan.sends] == [20] * 12
    assert faults(plan) == races(plan) == []


def test_no_element_is_cut_in_two():
    wide = {"space": "DRAM", "partitions": 1, "elements": 7, "dtype": "float32"}
    plan = plan_for_instruction(columns_of(ins=[wide]), 1, FOUR, "ring")
    assert [extent.nbytes for extent in plan.parts[1]] == [4, 8, 8, 8]


def test_a_stream_that_is_not_said_is_the_first():
    assert list(plan_for_instruction(columns_of(stream_id=None), 1, FOUR, "ring").parts) == [0]


def test_what_cannot_be_planned_is_an_error_at_the_instruction():
    for fields, message in (
        ({"kind": "Permute"}, 'p.json: cc: collectives of kind "Permute" are not planned'),
        ({"kind": None}, 'p.json: cc: collectives of kind "none" are not planned'),
        ({"is_local": True}, "p.json: cc: a local collective stays in its core"),
        ({"ins": []}, "p.json: cc: no input operand with bytes"),
    ):
        with pytest.raises(InputError) as error:
            plan_for_instruction(columns_of(**fields), 1, FOUR, "ring", file="p.json")
        assert message in str(error.value)
    with pytest.raises(InputError, match="add: TensorTensor is no CollectiveCompute"):
        plan_for_instruction(columns_of(), 0, FOUR, "ring")
