"""Prediction and measurement must be of the same instructions: every way in which they are not is told and counted."""

from __future__ import annotations

import copy
from dataclasses import replace

import msgspec
import pytest

from benches.validate_report.join import Mismatch, events_of, join, mismatches
from simcore.errors import InputError
from simcore.program.build import program_from_loaded
from simcore.program.instruction import Instruction
from simcore.program.loaded import Loaded
from simcore.program.measured import Measurement
from simcore.program.program import Program
from tests.benches.validate.conftest import Profiled
from tests.benches.validate.small_kernel import kernel
from tests.simcore.program.profile.small import profile, row


def _sides(program: Program) -> tuple[list[Instruction], Measurement]:
    assert program.measured is not None
    return events_of(program.blocks[0][1].columns), program.measured


def _found(program: Program, predicted: list[Instruction], measured: Measurement | None = None) -> list[Mismatch]:
    ran, own = _sides(program)
    return list(mismatches(ran, predicted, measured or own))


def test_a_profile_joins_with_its_own_program(programs: dict[str, Program]) -> None:
    for program in programs.values():
        assert join(program, program).columns is program.blocks[0][1].columns


def test_the_shipped_kernel_joins_with_the_profile_it_was_derived_from(programs: dict[str, Program]) -> None:
    from pathlib import Path

    import benches.kernels
    from simcore.program.read import load_program

    shipped = load_program(Path(benches.kernels.__file__).parent / "fused_attention_fp32_s512.yaml")
    assert join(programs["fused_fp32_s512"], shipped).measured.window_ns == 23119


def test_what_only_one_side_has_is_unmatched(profiled: Profiled) -> None:
    program = profiled(kernel())
    ran, _ = _sides(program)
    other = [*ran[:3], msgspec.structs.replace(ran[3], name="copy"), ran[4]]
    assert _found(program, other) == [
        Mismatch("unmatched", "cp", "ran, but is not in the predicted program"),
        Mismatch("unmatched", "copy", "is predicted, but the profile does not show it"),
    ]


def test_rows_without_an_instruction_and_instructions_without_rows_are_unmatched(profiled: Profiled) -> None:
    program = profiled(kernel())
    ran, measured = _sides(program)
    rows = tuple(replace(r, program_name="x") if r.program_name == "cp" else r for r in measured.instructions)
    assert _found(program, ran, replace(measured, instructions=rows)) == [
        Mismatch("unmatched", "cp", "is predicted, but no row of the profile belongs to it"),
        Mismatch("unmatched", "x", "was measured, but is no instruction of the kernel"),
    ]


def test_a_transfer_without_packets_is_unmatched(profiled: Profiled) -> None:
    program = profiled(kernel())
    ran, measured = _sides(program)
    packets = tuple(replace(p, transfer=None) for p in measured.packets)
    message = "is predicted, but the tables dma and dma_queues_info do not tell which packets are its"
    assert _found(program, ran, replace(measured, packets=packets)) == [Mismatch("unmatched", "ld.transfer", message)]


def test_an_instruction_that_is_predicted_twice_is_duplicated(profiled: Profiled) -> None:
    program = profiled(kernel())
    ran, _ = _sides(program)
    assert _found(program, [*ran, ran[3]]) == [
        Mismatch("duplicated", "cp", "is predicted 2 times"),
        Mismatch("reordered", "cp2", "started after cp on DVE, but comes before it in the program"),
    ]


def test_a_row_that_the_profile_shows_twice_is_duplicated(profiled: Profiled) -> None:
    program = profiled(kernel())
    ran, measured = _sides(program)
    again = tuple(r for row in measured.instructions for r in ((row, row) if row.program_name == "cp" else (row,)))
    assert _found(program, ran, replace(measured, instructions=again)) == [
        Mismatch("duplicated", "cp", "the profile shows hardware instruction 4 again"),
        Mismatch("duplicated", "cp", "the profile shows COPY at program counter 4 2 times in one run of it"),
    ]


def test_instructions_of_one_engine_in_another_order_are_reordered(profiled: Profiled) -> None:
    program = profiled(kernel())
    ran, _ = _sides(program)
    assert _found(program, [*ran[:3], ran[4], ran[3]]) == [
        Mismatch("reordered", "cp2", "started after cp on DVE, but comes before it in the program")
    ]


def test_instructions_of_two_engines_may_stand_in_either_order(profiled: Profiled) -> None:
    program = profiled(profile(row(1, "a", 0), row(2, "b", 10, label="Scalar")))
    ran, _ = _sides(program)
    assert _found(program, [ran[1], ran[0]]) == []


def test_another_opcode_engine_or_operand_is_another_shape(profiled: Profiled) -> None:
    program = profiled(kernel())
    ran, _ = _sides(program)
    copied = copy.deepcopy(ran)
    copied[3].opcode = "Reciprocal"
    copied[3].engine = "Pool"
    copied[3].ins[0].elements = 32
    copied[4].outs[0].dtype = "bfloat16"
    assert _found(program, copied) == [
        Mismatch("differently shaped", "cp", "its opcode: Reciprocal in the prediction, TensorCopy in the measurement"),
        Mismatch("differently shaped", "cp", "its engine: Pool in the prediction, DVE in the measurement"),
        Mismatch(
            "differently shaped",
            "cp",
            "its inputs: PSUM[128x32]float32 in the prediction, PSUM[128x64]float32 in the measurement",
        ),
        Mismatch(
            "differently shaped",
            "cp2",
            "its outputs: SB[128x64]bfloat16 in the prediction, SB[128x64]float32 in the measurement",
        ),
    ]


def test_a_row_of_another_opcode_or_engine_is_another_shape(profiled: Profiled) -> None:
    program = profiled(kernel())
    ran, measured = _sides(program)
    rows = tuple(
        replace(r, opcode="RECIPROCAL", engine="Pool") if r.program_name == "cp" else r for r in measured.instructions
    )
    message = "measured as RECIPROCAL on Pool (hardware instruction 4), not TensorCopy on DVE"
    assert _found(program, ran, replace(measured, instructions=rows)) == [Mismatch("differently shaped", "cp", message)]


def test_all_mismatches_come_together_and_are_counted(profiled: Profiled) -> None:
    program = profiled(kernel())
    record = copy.deepcopy(program.record())
    instructions = record.functions[0].blocks[0].instructions
    instructions[-1].name = "other"
    instructions[-2].outs[0].elements = 32
    with pytest.raises(InputError) as caught:
        join(program, program_from_loaded(Loaded(record), file="p.yaml"))
    assert str(caught.value).split("\n") == [
        "p.yaml: instruction cp2: unmatched: ran, but is not in the predicted program",
        "p.yaml: instruction cp: differently shaped: its outputs: SB[128x32]float32 in the prediction, "
        "SB[128x64]float32 in the measurement",
        "p.yaml: instruction other: unmatched: is predicted, but the profile does not show it",
        "p.yaml: does not join with small.json: 2 unmatched, 0 duplicated, 0 reordered, 1 differently shaped",
    ]


def test_a_program_of_another_generation_or_of_several_blocks_does_not_join(profiled: Profiled) -> None:
    program = profiled(kernel())
    record = program.record()
    record.arch = "core_v4"
    with pytest.raises(InputError, match="a program for core_v4, but the profile is of gen3"):
        join(program, program_from_loaded(Loaded(record), file="p.yaml"))
    record = program.record()
    record.functions[0].blocks.append(msgspec.structs.replace(record.functions[0].blocks[0], name="more"))
    with pytest.raises(InputError, match="2 blocks"):
        join(program, program_from_loaded(Loaded(record), file="p.yaml"))


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"dma": []}, 'the tables "dma" and "dma_queues_info" show no packet of a queue that the kernel triggers'),
        ({"dma_queues_info": []}, 'the tables "dma" and "dma_queues_info" show no packet of a queue'),
        ({"semaphore_update": []}, 'the table "semaphore_update" shows no update, though instructions raise'),
    ],
)
def test_tables_without_what_the_test_needs_are_named(profiled: Profiled, tables: dict, said: str) -> None:
    program = profiled(kernel(**tables))
    with pytest.raises(InputError, match=said):
        join(program, program)


def test_waits_without_any_predecessors_are_refused(profiled: Profiled) -> None:
    document = kernel()
    for instruction in document["instruction"]:
        instruction.pop("predecessors", None)
    program = profiled(document)
    with pytest.raises(InputError, match='the table "instruction": rows wait for semaphores, but none names'):
        join(program, program)
