"""Writing BIR: what is read back is the record, and what is written is BIR."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from simcore.program.bir import read_bir, write_bir
from simcore.program.edges import EdgeKind
from simcore.program.instruction import (
    SCHEMA,
    BlockRecord,
    Dependency,
    FunctionRecord,
    Instruction,
    Operand,
    ProgramRecord,
)
from simcore.program.validate import faults_of
from tests.simcore.program.bir.documents import stored
from tests.simcore.program.bir.records import programs

VALID = ("before_lowering_v2", "operand_kinds_v2", "loops_v1", "after_lowering_v2")


def program(*instructions: Instruction, name: str = "p", arch: str = "gen3") -> ProgramRecord:
    block = BlockRecord(name="bb0", instructions=list(instructions))
    return ProgramRecord(name=name, arch=arch, functions=[FunctionRecord(name="main", blocks=[block])])


def written(record: ProgramRecord) -> Any:
    return json.loads(json.dumps(write_bir(record, [])))


def only_written(record: ProgramRecord) -> Any:
    [instruction] = written(record)["functions"][0]["blocks"][0]["instructions"]
    return instruction


def every_instruction(record: ProgramRecord) -> Iterator[Instruction]:
    pending = [i for f in record.functions for b in f.blocks for i in b.instructions]
    while pending:
        instruction = pending.pop()
        yield instruction
        pending += instruction.body or []
        pending += [instruction.transfer] if instruction.transfer is not None else []


def with_kind_name(dependency: Dependency | str) -> Dependency:
    name, kind = (dependency, "Flow") if isinstance(dependency, str) else dependency
    return name, kind if isinstance(kind, str) else EdgeKind(kind).name


@settings(max_examples=60)
@given(programs())
def test_a_record_survives_bir_and_the_text_is_stable(record: ProgramRecord) -> None:
    document = write_bir(record, [])
    text = json.dumps(document)
    assert json.loads(text) == document  # plain JSON values only: no tuple, no number that is no key
    read_back = read_bir(json.loads(text), "elsewhere.json").record
    assert read_back == record
    assert json.dumps(write_bir(read_back, [])) == text


@pytest.mark.parametrize("name", VALID)
def test_a_dump_survives_being_read_and_written(name: str) -> None:
    record = read_bir(stored(name), f"{name}.json").record
    assert read_bir(written(record), "elsewhere.json").record == record


@pytest.mark.parametrize("name", VALID)
def test_what_is_read_from_a_dump_keeps_the_rules_of_every_program(name: str) -> None:
    record = read_bir(stored(name), f"{name}.json").record
    assert faults_of(msgspec.json.decode(msgspec.json.encode({"schema": SCHEMA, **msgspec.to_builtins(record)}))) == []


def test_every_shared_case_survives_bir(shared: Path) -> None:
    files = sorted(f for f in (shared / "cases" / "perfsim").glob("*.json") if ".expected." not in f.name)
    assert files
    for file in files:
        record = msgspec.json.decode(file.read_bytes(), type=ProgramRecord)
        for instruction in every_instruction(record):
            instruction.dependencies = [with_kind_name(d) for d in instruction.dependencies]
        assert read_bir(written(record), "elsewhere.json").record == record, file.name


def test_version_1_becomes_version_2() -> None:
    record = read_bir(stored("loops_v1"), "loops_v1.json").record
    assert written(record)["version"] == 2


def test_main_comes_first_and_the_order_of_the_program_is_kept() -> None:
    names = ["a", "main", "b"]
    record = ProgramRecord(name="p", arch="gen3", functions=[FunctionRecord(name=n) for n in names])
    document = written(record)
    assert [f["name"] for f in document["functions"]] == ["main", "a", "b"]
    assert document["kernbench"]["function_order"] == [1, 0, 2]
    assert [f.name for f in read_bir(document, "x.json").record.functions] == names


def test_an_alias_of_an_architecture_is_written_by_its_own_name() -> None:
    document = written(program(arch="trn2"))
    assert document["arch"] == "gen3"
    assert read_bir(document, "x.json").record.arch == "trn2"


def test_what_bir_has_keys_for_needs_no_kernbench_object() -> None:
    tile = Operand(space="SB", partitions=128, elements=512, dtype="bfloat16", addr=4096, tensor="tile")
    bank = Operand(space="PSUM", partitions=128, elements=512, dtype="float32", addr=0, bank=3, tensor="acc")
    keys = only_written(
        program(
            Instruction(
                name="mm",
                opcode="Matmult",
                engine="PE",
                ins=[tile],
                outs=[bank],
                source="k.py:3",
                perf_mode="DoubleRow",
                is_transpose=True,
                accumulate=True,
            )
        )
    )
    assert keys == {
        "name": "mm",
        "opcode": "Matmult",
        "engine": "PE",
        "origin": "Internal",
        "engine_id": 0,
        "scheduled_start": 0,
        "scheduled_end": 0,
        "optin_passes": [],
        "ins": [
            {
                "kind": "physical_ap",
                "ap": [[512, 128], [1, 512]],
                "dtype": "bfloat16",
                "memsetref": "tile_set",
                "memref": "tile",
                "offset": 0,
            }
        ],
        "outs": [
            {
                "kind": "physical_ap",
                "ap": [[512, 128], [1, 512]],
                "dtype": "float32",
                "memsetref": "acc_set",
                "memref": "acc",
                "offset": 0,
            }
        ],
        "debug": {"file": "k.py", "lineno": 3},
        "is_transpose": True,
        "perf_mode": "DoubleRow",
        "accumulation_flag": 4,
    }


def test_memory_is_as_large_as_the_largest_access_and_placed_as_the_operands_are() -> None:
    small = Operand(space="SB", partitions=16, elements=3, dtype="float32", addr=64, tensor="t")
    wide = Operand(space="SB", partitions=8, elements=4, dtype="bfloat16", addr=64, tensor="t", free=[(8, 4)])
    elsewhere = Operand(space="SB", partitions=1, elements=1, dtype="uint8", addr=128, tensor="t")
    copy = Instruction(name="c", opcode="TensorCopy", engine="DVE", ins=[small, wide], outs=[elsewhere])
    [allocation] = written(program(copy))["functions"][0]["allocations"]
    common = {"Skind": "memory_location", "type": "SB", "base": 0, "allocated": True}
    assert allocation["memorylocations"] == [
        {**common, "name": "t", "dims": [16, 56], "addr": 64},
        {**common, "name": "t.1", "dims": [1, 8], "addr": 128},
    ]
    assert allocation["kernbench"] == {"tensor": "t"}


def test_a_transfer_becomes_a_block_of_its_ring_s_queue() -> None:
    out = Operand(space="SB", partitions=128, elements=8, dtype="float32", addr=0, tensor="t")
    transfer = Instruction(name="tr.transfer", opcode="DMACopy", engine="DMA", outs=[out], mode="CCE")
    trigger = Instruction(name="tr", opcode="DMATrigger", engine="SP", queue=10, transfer=transfer)
    document = written(program(trigger))
    [keys] = document["functions"][0]["blocks"][0]["instructions"]
    assert (keys["queue"], keys["dma_blocks"], keys["kernbench"]) == ("dma_queue_10", ["dma_block_0"], {"queue": 10})
    [queue] = document["queues"]
    [block] = queue["blocks"][0]["instructions"]
    assert queue["name"] == "dma_queue_10"
    assert (block["name"], block["block_id"], block["dma_trigger"]) == ("dma_block_0", 0, "tr")
    [descriptor] = block["blocks"][0]["instructions"]
    assert descriptor["opcode"] == "DMADescriptorCCE"
    assert "kernbench" not in block


def test_edges_are_written_as_pairs_with_the_kind_s_name() -> None:
    record = program(
        Instruction(name="a", opcode="NoOp", engine="SP"),
        Instruction(name="b", opcode="NoOp", engine="SP", dependencies=["a", ("a", 2), ("a", "Output")]),
    )
    b = written(record)["functions"][0]["blocks"][0]["instructions"][1]
    assert b["dependencies"] == [["a", "Flow"], ["a", "Anti"], ["a", "Output"]]


def test_the_notes_say_how_many_instructions_have_values_that_bir_has_no_key_for() -> None:
    notes: list[str] = []
    write_bir(program(Instruction(name="a", opcode="NoOp", engine="SP", cost=4)), notes)
    assert notes == [
        '1 instruction has values without a key in BIR; they stand in "kernbench" objects, which other tools ignore'
    ]
    write_bir(program(Instruction(name="a", opcode="NoOp", engine="SP")), notes)
    assert len(notes) == 1
