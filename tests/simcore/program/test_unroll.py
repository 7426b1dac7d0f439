"""Unrolling: copies, their names, and which copy an edge comes from."""

from __future__ import annotations

import random
from typing import Any

import pytest

from simcore.errors import InputError
from simcore.program.program import Program
from simcore.program.unroll import UnrolledLoop, unroll
from tests.reference.plain_perfsim import simulate_block
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded, rows, scheduled


def op(name: str, *dependencies: Any, **fields: Any) -> dict[str, Any]:
    return {"name": name, "opcode": "NoOp", "engine": "SP", "cost": 10, "dependencies": list(dependencies), **fields}


def loop(name: str, trips: int, *body: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "opcode": "Loop", "engine": "Unassigned", "trip_count": trips, "body": list(body)}


def edges(program: Program) -> list[tuple[str, list[str]]]:
    (instructions,) = [block.instructions for _, block in program.blocks]
    return [(i.name, [d if isinstance(d, str) else d[0] for d in i.dependencies]) for i in instructions]


def test_an_edge_stays_in_its_iteration_and_leaves_the_loop_from_the_last() -> None:
    program = loaded(block_of(op("a"), loop("l", 3, op("b", "a"), op("c", "b")), op("d", "c", "l")))
    unrolled = unroll(program)
    assert edges(unrolled.program) == [
        ("a", []),
        ("b#0", ["a"]),
        ("c#0", ["b#0"]),
        ("b#1", ["a"]),
        ("c#1", ["b#1"]),
        ("b#2", ["a"]),
        ("c#2", ["b#2"]),
        ("d", ["c#2"]),
    ]
    assert unrolled.loops == ((UnrolledLoop("l", 1, 2, 3),),)


def test_nested_loops_keep_the_outer_iteration() -> None:
    inner = loop("inner", 2, op("b", "a"))
    program = loaded(block_of(loop("outer", 2, op("a"), inner, op("c", "b")), op("d", "b")))
    assert edges(unroll(program).program) == [
        ("a#0", []),
        ("b#0#0", ["a#0"]),
        ("b#0#1", ["a#0"]),
        ("c#0", ["b#0#1"]),
        ("a#1", []),
        ("b#1#0", ["a#1"]),
        ("b#1#1", ["a#1"]),
        ("c#1", ["b#1#1"]),
        ("d", ["b#1#1"]),
    ]


def test_a_program_without_loops_stays_as_it_is() -> None:
    program = loaded(block_of(op("a"), op("b", "a")))
    unrolled = unroll(program)
    assert unrolled.program.record() == program.record()
    assert unrolled.loops == ((),)


def test_a_loop_that_would_fill_the_memory_is_refused() -> None:
    program = loaded(block_of(loop("l", 10**11, op("a"))))
    with pytest.raises(InputError, match="block bb0: unrolled it has 100000000000 instructions"):
        unroll(program)


def written_out(instructions: list[dict[str, Any]], copies: dict[str, str], mark: str) -> list[dict[str, Any]]:
    """A plain second unrolling of a document: walks it and renames as it goes (``copies``: latest copy of a name)."""
    result = []
    for instruction in instructions:
        if instruction["opcode"] == "Loop":
            for k in range(instruction.get("trip_count", 1)):
                result += written_out(instruction["body"], copies, f"{mark}#{k}")
            continue
        copy = renamed(instruction, copies, mark)
        if "transfer" in instruction:
            copy["transfer"] = renamed(instruction["transfer"], copies, mark)
        result.append(copy)
    return result


def renamed(instruction: dict[str, Any], copies: dict[str, str], mark: str) -> dict[str, Any]:
    copy = {**instruction, "name": instruction["name"] + mark}
    given = [d if isinstance(d, list) else [d, "Flow"] for d in instruction.get("dependencies", [])]
    copy["dependencies"] = [[copies[name], kind] for name, kind in given if name in copies]
    copies[instruction["name"]] = copy["name"]
    return copy


def test_random_programs_run_as_if_they_had_been_written_out() -> None:
    loops = 0
    for seed in range(150):
        rng = random.Random(seed)
        document = random_program(rng, instructions=rng.randint(5, 60))
        program = unroll(loaded(document)).program
        for function in document["functions"]:
            for block in function["blocks"]:
                plain = written_out(block["instructions"], {}, "")
                loops += len(plain) > len(block["instructions"])
                block["instructions"] = plain
        for f, function in enumerate(program.functions):
            for b, block in enumerate(function.blocks):
                expected = simulate_block(document, f, b)
                assert rows(block, scheduled(program, block)) == [
                    (e.name, e.lane, e.start, e.duration, e.next_dispatch) for e in expected
                ]
    assert loops > 50
