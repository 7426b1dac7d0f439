"""Columns of blocks that are larger than the pieces they are made in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from simcore.errors import InputError
from simcore.program.columnise import CHUNK
from simcore.program.columns import Columns, Flag
from simcore.program.read import program_from_bytes
from tests.simcore.program.marked import stream_json

MANY = 12 * CHUNK


def instruction(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "opcode": "NoOp", "engine": "SP", **fields}


def plain(count: int) -> list[dict[str, Any]]:
    return [instruction(f"i{k}") for k in range(count)]


def columns_of(instructions: list[dict[str, Any]]) -> Columns:
    text = stream_json(*map(json.dumps, instructions))
    return program_from_bytes(text.encode(), "p").blocks[0][1].columns


def test_edges_lead_over_any_distance() -> None:
    instructions = plain(MANY)
    instructions[-1]["dependencies"] = ["i0", ["i5000", "Anti"], [f"i{MANY - 2}", "Ordered"]]
    instructions[CHUNK]["dependencies"] = [f"i{CHUNK - 1}"]
    columns = columns_of(instructions)
    assert columns.dep_on.tolist() == [CHUNK - 1, 0, 5000, MANY - 2]
    assert columns.dep_kind.tolist() == [4, 4, 2, 1]
    assert columns.name_list() == [i["name"] for i in instructions]


@pytest.mark.parametrize("distance", [1, CHUNK - 1, CHUNK, 9 * CHUNK, MANY - 1])
def test_a_repeated_name_is_found_over_any_distance(distance: int) -> None:
    instructions = plain(MANY)
    instructions[-1]["name"] = instructions[-1 - distance]["name"]
    with pytest.raises(InputError) as caught:
        columns_of(instructions)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (MANY + 2, 10)
    assert "duplicate name" in problem.message


def test_an_edge_to_a_later_piece_is_refused() -> None:
    instructions = plain(MANY)
    instructions[0]["dependencies"] = [f"i{MANY - 1}"]
    with pytest.raises(InputError, match="comes later in the block"):
        columns_of(instructions)


def test_loops_and_triggers_may_stand_anywhere() -> None:
    instructions = plain(MANY)
    transfer = {"name": "x", "opcode": "Load", "engine": "DMA"}
    instructions[CHUNK - 1] |= {"opcode": "DMATrigger", "transfer": transfer}
    body = [instruction("in", dependencies=["i3", "x"])]
    instructions[9 * CHUNK] |= {"opcode": "Loop", "body": body, "trip_count": 3, "dependencies": ["i7"]}
    instructions[-1]["dependencies"] = [f"i{9 * CHUNK}", "x"]
    columns = columns_of(instructions)
    assert len(columns) == MANY + 1
    assert (columns.flags & Flag.TRANSFER).nonzero()[0].tolist() == [CHUNK]
    (loop,) = columns.loops
    assert (loop.begin, loop.end, loop.trip_count) == (9 * CHUNK + 1, 9 * CHUNK + 2, 3)
    assert columns.dep_on.tolist() == [3, CHUNK, CHUNK]
    assert columns.extras[MANY].loop_dependencies == ((f"i{9 * CHUNK}", 4),)


def test_attributes_of_any_piece_come_to_their_events() -> None:
    instructions = plain(MANY)
    instructions[2 * CHUNK] |= {"source": "k.py:7", "op": "add", "cost": 5}
    instructions[7 * CHUNK] |= {"op": "max", "op0": "add", "psum_writes": [1, 2]}
    columns = columns_of(instructions)
    assert columns.words == ("", "add", "max")
    assert columns.op[[2 * CHUNK, 7 * CHUNK]].tolist() == [1, 2]
    assert columns.op0[7 * CHUNK] == 1
    assert columns.cost_ns[2 * CHUNK] == 5
    assert columns.psum_writes[7 * CHUNK] == 6
    assert {k: e.source for k, e in columns.extras.items()} == {2 * CHUNK: "k.py:7"}


def test_edges_between_two_instructions_merge_to_the_strongest_at_the_first_place() -> None:
    edges = [["b", "Ordered"], ["a", 2], ["b", "Output"], "a", ["b", "Anti"]]
    columns = columns_of([instruction("a"), instruction("b"), instruction("c", dependencies=edges)])
    assert list(zip(columns.dep_on.tolist(), columns.dep_kind.tolist(), strict=True)) == [(1, 3), (0, 4)]
