"""Which instructions of several programs are one collective."""

from __future__ import annotations

from typing import Any

import pytest

from simcore.errors import InputError
from tests.simcore.perfsim.blocks import block_of, loaded
from topology.collectives.joining import ALONE, Joined, Member, joined
from topology.system import System

TILES = ["sip0.cube0.pe0", "sip0.cube1.pe0", "sip0.cube4.pe0", "sip0.cube5.pe0"]


def cc(name: str, kind: str | None = "AllReduce", elements: int = 64, **more: Any) -> dict[str, Any]:
    operand = {"space": "DRAM", "partitions": 4, "elements": elements, "dtype": "bfloat16"}
    fields = {"kind": kind, "ins": [operand], "outs": [operand], **more}
    return {"name": name, "opcode": "CollectiveCompute", "engine": "Pool", "cost": 10, **fields}


OTHER = {"name": "work", "opcode": "NoOp", "engine": "SP", "cost": 5}


def member(device: str, *instructions: dict[str, Any], file: str = "p.json") -> Member:
    document = block_of(*instructions)
    return Member(device, file, [block.columns for f in loaded(document).functions for block in f.blocks])


def joined_on(system: System, *programs: list[dict[str, Any]], algorithm: str = "ring") -> Joined:
    members = [member(TILES[k], *program, file=f"{k}.json") for k, program in enumerate(programs)]
    return joined(system, members, algorithm)


def test_number_k_of_a_stream_is_one_collective_wherever_it_stands(kernbench_2x4x4: System):
    """Streams may be interleaved otherwise on the other device."""
    one = [cc("a"), cc("b", "AllGather", stream_id=1), cc("c", elements=8)]
    two = [OTHER, cc("x", "AllGather", stream_id=1), cc("y"), cc("z", elements=8)]
    found = joined_on(kernbench_2x4x4, one, two)
    assert found.ranks == (0, 1) and found.left_out == {0: {}, 1: {}}
    assert [(j.name, j.block, j.events, j.plan.kind, j.plan.nbytes, list(j.plan.parts)) for j in found.collectives] == [
        ("a", 0, (0, 2), "all_reduce", 512, [0]),
        ("c", 0, (2, 3), "all_reduce", 64, [0]),
        ("b", 0, (1, 1), "all_gather", 1024, [1]),
    ]


def test_equal_collectives_have_one_plan(kernbench_2x4x4: System):
    found = joined_on(kernbench_2x4x4, *[[cc("a"), cc("b")]] * 2)
    assert found.collectives[0].plan is found.collectives[1].plan


def test_devices_without_collectives_are_no_ranks(kernbench_2x4x4: System):
    found = joined_on(kernbench_2x4x4, [OTHER], [cc("a")], [OTHER, cc("a")])
    assert found.ranks == (1, 2)
    assert found.collectives[0].events == (0, 1)


def test_a_collective_of_one_rank_moves_nothing(kernbench_2x4x4: System):
    found = joined_on(kernbench_2x4x4, [OTHER], [cc("a"), cc("b", "AllToAll"), cc("l", is_local=True)])
    assert (found.ranks, found.collectives, found.left_out) == ((1,), (), {1: {ALONE: 2}})


def test_what_is_not_planned_is_counted_and_keeps_its_number(kernbench_2x4x4: System):
    program = [cc("p", "Permute"), cc("q", None), cc("r", ins=[], outs=[]), cc("s"), cc("t", "Permute")]
    found = joined_on(kernbench_2x4x4, program, program)
    assert [joint.name for joint in found.collectives] == ["s"]
    assert found.left_out[0] == found.left_out[1]
    planned = "(planned: AllReduce, ReduceScatter, AllGather, AllToAll)"
    assert found.left_out[0] == {
        f"collectives of kind Permute move nothing over the fabric {planned}": 2,
        f"collectives of kind none move nothing over the fabric {planned}": 1,
        "collectives without input bytes move nothing over the fabric": 1,
    }


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (
            cc("x", "AllGather"),
            "1.json: instruction x: collective 0 of stream 0 in block 0 is AllGather of 512 bytes in elements of 2 on "
            "sip0.cube1.pe0 (1.json, instruction x), but AllReduce of 512 bytes in elements of 2 on sip0.cube0.pe0 "
            "(0.json, instruction a) (all devices do the same)",
        ),
        (cc("x", elements=32), "is AllReduce of 256 bytes in elements of 2 on sip0.cube1.pe0"),
        (cc("x", stream_id=1), "collective 0 of stream 1 in block 0 is AllReduce of 512 bytes in elements of 2 on"),
        (cc("x", stream_id=1), "collective 0 of stream 0 in block 0 is missing on sip0.cube1.pe0 (1.json), but"),
    ],
)
def test_devices_that_do_not_do_the_same_are_refused_with_both_places(
    kernbench_2x4x4: System, theirs: dict[str, Any], message: str
):
    with pytest.raises(InputError) as error:
        joined_on(kernbench_2x4x4, [cc("a")], [theirs])
    assert message in str(error.value)


def test_every_device_that_differs_is_told(kernbench_2x4x4: System):
    with pytest.raises(InputError) as error:
        joined_on(kernbench_2x4x4, [cc("a")], [cc("x"), cc("y")], [cc("a")], [cc("b", "AllGather"), cc("c")])
    assert [problem.file for problem in error.value.problems] == ["1.json", "3.json"]
    assert "collective 1 of stream 0 in block 0 is AllReduce" in error.value.problems[0].message


@pytest.mark.parametrize("algorithm", ["torus", "hierarchical"])
def test_other_algorithms_than_a_ring_need_a_grid(kernbench_2x4x4: System, algorithm: str):
    four = joined_on(kernbench_2x4x4, *[[cc("a")]] * 4, algorithm=algorithm)
    assert four.collectives[0].plan.algorithm == algorithm
    with pytest.raises(
        InputError, match=f"--collective: {algorithm} needs devices that fill a grid of kernbench_2x4x4"
    ):
        joined_on(kernbench_2x4x4, *[[cc("a")]] * 3, algorithm=algorithm)
    assert joined_on(kernbench_2x4x4, *[[OTHER]] * 3, algorithm=algorithm).collectives == ()


def test_an_unknown_algorithm_is_refused(kernbench_2x4x4: System):
    with pytest.raises(InputError, match=r'--collective: no algorithm "rings" \(allowed: ring, torus, hierarchical'):
        joined_on(kernbench_2x4x4, [OTHER], algorithm="rings")
