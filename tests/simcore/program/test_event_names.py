"""Names of single events, without a list of all."""

from __future__ import annotations

import pytest

from simcore.program.build import program_from_record
from simcore.program.event_names import EventNames
from simcore.program.instruction import BlockRecord, FunctionRecord, Instruction, ProgramRecord


def names_of(*names: str) -> EventNames:
    block = BlockRecord(name="b", instructions=[Instruction(name=n, opcode="NoOp", engine="PE") for n in names])
    record = ProgramRecord(name="p", arch="gen3", functions=[FunctionRecord(name="f", blocks=[block])])
    return EventNames(program_from_record(record).functions[0].blocks[0].columns)


def test_each_event_has_its_name():
    names = names_of("a", "ядро", "c c")
    assert len(names) == 3
    assert [names[k] for k in (2, 0, 1)] == ["c c", "a", "ядро"]


def test_a_block_without_events_has_no_names():
    assert len(names_of()) == 0
    with pytest.raises(IndexError):
        names_of()[0]
