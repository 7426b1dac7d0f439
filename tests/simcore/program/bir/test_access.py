"""Operands: what each kind becomes, and where an access pattern lies."""

from __future__ import annotations

from typing import Any

import pytest

from simcore.errors import InputError
from simcore.program.bir import read_bir
from simcore.program.instruction import Operand
from tests.simcore.program.bir.documents import document, instruction, loaded, only, stored

SB = {"name": "sb", "type": "SB", "addr": 4096, "dims": [128, 64], "base": 32}
PSUM = {"name": "ps", "type": "PSUM", "addr": 0, "dims": [128, 8192], "bank": 1}
DRAM = {"name": "dram", "type": "DRAM", "addr": 100, "dims": [65536]}


def pattern(memref: str, ap: list[Any], offset: int = 0, dtype: str = "float32") -> dict[str, Any]:
    return {"kind": "physical_ap", "memref": memref, "ap": ap, "offset": offset, "dtype": dtype}


def operand(given: dict[str, Any], *locations: dict[str, Any]) -> Operand:
    [read] = only(loaded(instruction(outs=[given]), locations=list(locations or (SB, PSUM, DRAM)))).outs
    return read


def problem(given: dict[str, Any], *locations: dict[str, Any], **root: Any) -> str:
    with pytest.raises(InputError) as caught:
        loaded(instruction(outs=[given]), locations=list(locations or (SB, PSUM, DRAM)), **root)
    [found] = caught.value.problems
    return found.message


def test_every_operand_kind_is_read() -> None:
    record = read_bir(stored("operand_kinds_v2"), "k.json").record
    every, fill, seed = record.functions[0].blocks[0].instructions
    assert every.ins == [
        Operand(space="SB", partitions=128, elements=64, dtype="float32", symbolic=True, tensor="x"),
        Operand(space="SB", partitions=128, elements=16, dtype="float32", symbolic=True, tensor="x"),
        Operand(
            space="DRAM", partitions=16, elements=8, dtype="bfloat16", free=[(4, 8)], symbolic=True, tensor="table"
        ),
        Operand(space="Unallocated", partitions=1, elements=1, dtype="int32", symbolic=True),
    ]
    assert every.outs == [Operand(space="SB", partitions=128, elements=64, dtype="float32", addr=0, tensor="x")]
    assert (fill.ins, fill.constant, fill.outs[0].elements, fill.outs[0].addr) == ([], 0.25, 1, 20)
    assert seed.outs == [Operand(space="RNGSTATE", partitions=128, elements=6, dtype="uint32", tensor="state")]


def test_offset_divides_into_partition_and_column_on_chip() -> None:
    # 64 bytes a row are 16 float32: element 35 is column 3 of the third row.
    read = operand(pattern("sb", [[16, 4], [1, 8]], offset=35))
    assert (read.addr, read.partitions, read.elements, read.free) == (4096 + 12, 4, 8, None)


def test_offset_is_linear_off_chip() -> None:
    read = operand(pattern("dram", [[16, 4], [1, 8]], offset=35, dtype="bfloat16"))
    assert (read.addr, read.partitions, read.elements) == (100 + 70, 4, 8)


def test_a_single_pair_is_one_element_per_partition() -> None:
    assert operand(pattern("dram", [[1, 100]])).elements == 1


@pytest.mark.parametrize(
    ("free", "kept"),
    [
        ([[1, 16]], None),
        ([[4, 4], [1, 4]], None),
        ([[99, 1], [4, 4], [7, 1], [1, 4]], None),
        ([[8, 2], [1, 4]], [(8, 2), (1, 4)]),
        ([[2, 8]], [(2, 8)]),
        ([[0, 4], [1, 4]], [(0, 4), (1, 4)]),
    ],
)
def test_a_free_pattern_is_kept_unless_it_is_contiguous(free: list[Any], kept: list[Any] | None) -> None:
    read = operand(pattern("sb", [[16, 128], *free]))
    assert (read.free, read.elements) == (kept, 8 if kept in ([(8, 2), (1, 4)], [(2, 8)]) else 16)


def test_a_backward_pattern_begins_where_its_last_element_lies() -> None:
    read = operand(pattern("sb", [[16, 8], [-2, 4]], offset=15))
    assert (read.addr, read.free) == (4096 + 9 * 4, [(2, 4)])


@pytest.mark.parametrize(
    ("offset", "addr", "bank", "location"),
    [
        (0, 0, 1, {}),
        (511, 2044, 1, {}),
        (512, 2048, 2, {}),
        (2048 + 1024, 4096, 3, {}),  # the second partition
        (512, 2048, 4, {"bank": -3}),
        (256, 2048 + 1024, 3, {"bank": 3, "addr": 2048}),
        (256, 1024 + 1024, 4, {"bank": 3, "addr": 1024}),
    ],
)
def test_the_bank_of_a_psum_access_follows_its_column(
    offset: int, addr: int, bank: int, location: dict[str, Any]
) -> None:
    read = operand(pattern("ps", [[2048, 64], [1, 8]], offset=offset), {**PSUM, **location})
    assert (read.addr, read.bank) == (addr, bank)


def test_a_location_without_address_or_bank_leaves_them_open() -> None:
    read = operand(pattern("ps", [[2048, 64], [1, 8]], offset=512), {"name": "ps", "type": "PSUM", "dims": [128, 8192]})
    assert (read.addr, read.bank) == (None, None)


def test_names_resolve_in_the_allocation_that_the_operand_names() -> None:
    data = document(instruction(outs=[{**pattern("t", [[16, 4]]), "memsetref": "second_set"}]))
    data["functions"][0]["allocations"] = [
        {"name": "first_set", "memorylocations": [{**SB, "name": "t"}]},
        {"name": "second_set", "memorylocations": [{**DRAM, "name": "t"}]},
    ]
    assert only(read_bir(data, "f.json")).outs[0].space == "DRAM"


def test_names_resolve_in_the_function_that_owns_the_location() -> None:
    data = document(instruction(outs=[{**pattern("sb", [[16, 4]]), "memref_owner_func": "other"}]))
    data["functions"].append({"name": "other", "allocations": [{"name": "s", "memorylocations": [SB]}], "blocks": []})
    assert read_bir(data, "f.json").record.functions[0].blocks[0].instructions[0].outs[0].addr == 4096


def test_an_unknown_owner_is_refused() -> None:
    given = {**pattern("sb", [[16, 4]]), "memref_owner_func": "mein"}
    assert problem(given) == (
        'outs[0]: memref_owner_func: unknown function "mein" (allowed: main; did you mean "main"?)'
    )


def test_a_set_of_several_locations_does_not_say_which_is_accessed() -> None:
    given = {"kind": "physical_ap", "memsetref": "all_set", "ap": [[16, 4]], "dtype": "uint8"}
    assert problem(given) == 'outs[0]: "all_set" has 3 memory locations: name one'


def test_a_row_shorter_than_an_element_has_no_pitch() -> None:
    assert problem(pattern("sb", [[1, 4]], dtype="int64"), {**SB, "dims": [128, 4]}) == (
        'outs[0]: memory location "sb" has no row of int64 (allowed: dims of [partitions, bytes per partition])'
    )


def test_a_backward_pattern_cannot_leave_its_location() -> None:
    assert problem(pattern("sb", [[16, 4], [-1, 8]], offset=3)) == (
        "outs[0]: the pattern reaches before its memory location"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ap": 5}, "outs[0]: ap: expected a list of [step, num] pairs"),
        ({"ap": [[1, 2, 3]]}, "outs[0]: ap: expected a list of [step, num] pairs"),
        ({"ap": [[1, 0]]}, "outs[0]: counts in neither ap nor access_shape (allowed: integers from 1 on)"),
        (
            {"ap": [[1, 1]], "memsetref": "al_set"},
            'outs[0]: memsetref: "al_set" names no allocation (allowed: all_set; did you mean "all_set"?)',
        ),
    ],
)
def test_a_symbolic_pattern_needs_counts_and_an_existing_set(given: dict[str, Any], message: str) -> None:
    found = problem({"kind": "symbolic_ap", "dtype": "uint8", **given})
    assert found == message


def test_declaring_a_name_twice_is_refused() -> None:
    data = document()
    data["functions"][0]["allocations"] = [
        {"name": "s", "memorylocations": [SB, SB]},
        {"name": "s", "memorylocations": []},
    ]
    with pytest.raises(InputError) as caught:
        read_bir(data, "f.json")
    assert [str(p) for p in caught.value.problems] == [
        'f.json: allocation s: memory location "sb" is declared twice',
        "f.json: allocation s: declared twice (names of allocations are unique in a function)",
    ]


def test_many_names_that_lead_nowhere_are_all_reported_without_a_long_search() -> None:
    locations = [{**SB, "name": f"location{k}"} for k in range(3)]
    outs = [pattern(f"locatoin{k}", [[16, 4]]) for k in range(150)]
    with pytest.raises(InputError) as caught:
        loaded(instruction(outs=outs), locations=locations)
    messages = [p.message for p in caught.value.problems]
    assert len(messages) == 150
    assert messages[1] == (
        'outs[1]: memref: "locatoin1" names no memory location '
        '(allowed: location0, location1, location2; did you mean "location1"?)'
    )
    assert messages[149] == 'outs[149]: memref: "locatoin149" names no memory location (3 are declared)'


@pytest.mark.parametrize(
    ("ap", "partitions", "elements", "free"),
    [
        ([[1, 512]], 128, 4, None),
        ([[64, 128], [1, 64]], 128, 64, None),
        ([[8, 300], [1, 4]], 100, 12, [(8, 3), (1, 4)]),
        ([[1, 131]], 1, 131, None),
    ],
)
def test_a_dram_pattern_is_folded_into_at_most_128_partitions(
    ap: list[Any], partitions: int, elements: int, free: list[Any] | None
) -> None:
    read = operand(pattern("dram", ap))
    assert (read.partitions, read.elements, read.free) == (partitions, elements, free)


def test_a_symbolic_dram_pattern_is_folded_too() -> None:
    given = {"kind": "symbolic_ap", "ap": [[1, 65536]], "dtype": "float32", "memsetref": "all_set"}
    read = operand(given, DRAM)
    assert (read.partitions, read.elements, read.free, read.symbolic) == (128, 512, None, True)
