"""Writing a program in one format and reading it back changes nothing that the record says."""

from __future__ import annotations

from hypothesis import given, settings

from simcore.program.build import program_from_record
from simcore.program.instruction import ProgramRecord
from simcore.program.npz import program_from_npz
from simcore.program.read import program_from_bytes
from simcore.program.stream import write_stream_json, write_stream_yaml
from tests.simcore.program.sameness import assert_same, npz_bytes
from tests.simcore.program.strategies import program_records


@given(program_records())
@settings(max_examples=60)
def test_a_programs_own_record_gives_the_same_program(record: ProgramRecord) -> None:
    program = program_from_record(record)
    assert_same(program_from_record(program.record()), program)


@given(program_records())
@settings(max_examples=60)
def test_stream_json_gives_the_program_back(record: ProgramRecord) -> None:
    program = program_from_record(record)
    for written in (record, program.record()):
        assert_same(program_from_bytes(write_stream_json(written).encode(), "p.json"), program)


@given(program_records())
@settings(max_examples=60)
def test_stream_yaml_gives_the_program_back(record: ProgramRecord) -> None:
    program = program_from_record(record)
    assert_same(program_from_bytes(write_stream_yaml(program.record()).encode(), "p.yaml"), program)


@given(program_records())
@settings(max_examples=60)
def test_columns_give_the_program_back(record: ProgramRecord) -> None:
    program = program_from_record(record)
    assert_same(program_from_npz(npz_bytes(program), "p.npz"), program)


@given(program_records())
@settings(max_examples=30)
def test_the_same_program_gives_the_same_bytes(record: ProgramRecord) -> None:
    first, second = program_from_record(record), program_from_record(record)
    assert npz_bytes(first) == npz_bytes(second)
    assert write_stream_json(first.record()) == write_stream_json(second.record())
