"""A program record to BIR JSON, version 2. Reading the result gives the record back (ADR-0010 says how)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from simcore.errors import ModelBug
from simcore.program.bir.access import Scope
from simcore.program.bir.attributes import attribute_keys
from simcore.program.bir.extension import (
    INSTRUCTION_FIELDS,
    KEY,
    PROGRAM_FIELDS,
    TRANSFER_FIELDS,
    extension,
)
from simcore.program.bir.findings import Findings
from simcore.program.bir.instructions import read_fields
from simcore.program.bir.lowered_dma import DESCRIPTOR_MODES, DmaBlock, Queues, read_transfer
from simcore.program.bir.memory import Memory
from simcore.program.bir.order import main_first
from simcore.program.bir.source import debug_keys
from simcore.program.bir.write_memory import MemoryWriter
from simcore.program.edges import EdgeKind
from simcore.program.generations import ARCH_NAMES
from simcore.program.instruction import Dependency, FunctionRecord, Instruction, Operand, ProgramRecord
from simcore.program.opcodes import Opcode

VERSION = 2

_DEFAULT = Instruction(name="", opcode="", engine="")
_DESCRIPTORS: dict[str | None, str] = {mode: opcode for opcode, mode in DESCRIPTOR_MODES.items() if mode is not None}


def write_bir(record: ProgramRecord, notes: list[str]) -> dict[str, Any]:
    """``record`` (a valid program) as a BIR document of plain dicts and lists; ``notes`` gets remarks on the result.

    The function ``main`` comes first, keys with their default are left out. Memory locations are made from the operands
    and DMA queues from the triggers' transfers. What BIR has no key for stands in ``kernbench`` objects.
    """
    order = main_first(record.functions)
    queues = _QueueWriter()
    writers = [_FunctionWriter(record.functions[k], queues) for k in order]
    functions = [w.function() for w in writers]
    document: dict[str, Any] = {
        "version": VERSION,
        "arch": ARCH_NAMES.get(record.arch, record.arch),
        "functions": functions,
    }
    if queues.queues:
        document["queues"] = list(queues.queues.values())
    document |= extension(record, ProgramRecord(name="", arch=document["arch"]), PROGRAM_FIELDS)
    if order != sorted(order):
        document.setdefault(KEY, {})["function_order"] = order
    extended = sum(w.extended for w in writers)
    if extended:
        subject = "1 instruction has" if extended == 1 else f"{extended} instructions have"
        notes.append(f'{subject} values without a key in BIR; they stand in "{KEY}" objects, which other tools ignore')
    return document


@dataclass(slots=True)
class _QueueWriter:
    """DMA queues by name; blocks are numbered in their queue."""

    queues: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, ring: int | None, block: dict[str, Any]) -> tuple[str, str]:
        """Puts ``block`` at the end of the queue for ``ring``; returns the names of queue and block."""
        queue_name = "dma_queue" if ring is None else f"dma_queue_{ring}"
        empty = {"name": queue_name, "blocks": [{"name": f"{queue_name}_block", "instructions": []}]}
        blocks = self.queues.setdefault(queue_name, empty)["blocks"][0]["instructions"]
        name = f"dma_block_{len(blocks)}"
        blocks.append({"name": name, "block_id": len(blocks), **block})
        return queue_name, name


class _FunctionWriter:
    """Writes one function; counts the instructions that need a ``kernbench`` object."""

    def __init__(self, record: FunctionRecord, queues: _QueueWriter) -> None:
        self.record = record
        self.queues = queues
        self.memory = MemoryWriter.of(o for b in record.blocks for o in _operands(b.instructions))
        self.extended = 0

    def function(self) -> dict[str, Any]:
        """The function with its allocations and blocks."""
        blocks = [
            {"name": block.name, "instructions": [self._instruction(i) for i in block.instructions]}
            for block in self.record.blocks
        ]
        return {"name": self.record.name, "allocations": self.memory.allocations, "blocks": blocks}

    def _instruction(self, instruction: Instruction) -> dict[str, Any]:
        keys = {
            "name": instruction.name,
            "opcode": instruction.opcode,
            "engine": instruction.engine,
            "origin": "Internal",
            "engine_id": 0,
            "scheduled_start": 0,
            "scheduled_end": 0,
            "optin_passes": [],
            "ins": [self.memory.operand(o) for o in instruction.ins],
            "outs": [self.memory.operand(o) for o in instruction.outs],
        }
        if instruction.dependencies:
            keys["dependencies"] = [list(_edge(d)) for d in instruction.dependencies]
        keys |= debug_keys(instruction.source)
        keys |= attribute_keys(instruction.opcode, _said(instruction))
        if instruction.body is not None:
            keys |= self._loop(instruction, instruction.body)
        if instruction.transfer is not None:
            keys |= self._transfer(instruction, instruction.transfer)
        read_back = Instruction(
            name="", opcode="", engine="", **read_fields(Findings(""), "", instruction.opcode, keys)
        )
        own = extension(instruction, read_back, INSTRUCTION_FIELDS)
        self.extended += bool(own)
        return keys | own

    def _loop(self, loop: Instruction, body: list[Instruction]) -> dict[str, Any]:
        trips = 1 if loop.trip_count is None else loop.trip_count
        block = {"name": f"{loop.name}.body", "instructions": [self._instruction(i) for i in body]}
        return {"LoopAxis": {"name": loop.name, "lb": 0, "ub": trips, "stride": 1}, "blocks": [block]}

    def _transfer(self, trigger: Instruction, transfer: Instruction) -> dict[str, Any]:
        """Puts the transfer into a queue; returns the trigger's keys that lead there."""
        mode = transfer.mode if transfer.opcode == Opcode.DMACopy.name else None
        opcode = _DESCRIPTORS.get(mode, Opcode.DMADescriptorCopy.name)
        descriptor: dict[str, Any] = {"opcode": opcode, "engine": "DMA"}
        block = {
            "opcode": Opcode.DMABlock.name,
            "engine": "DMA",
            "dma_trigger": trigger.name,
            **(debug_keys(transfer.source) if transfer.source != trigger.source else {}),
            "blocks": [{"instructions": [descriptor]}],
        }
        edges: list[Dependency | str] = [_edge(d) for d in transfer.dependencies]
        own = extension(structs.replace(transfer, dependencies=edges), _as_read(trigger, block), TRANSFER_FIELDS)
        self.extended += bool(own)
        descriptor["ins"] = [self.memory.operand(o) for o in transfer.ins]
        descriptor["outs"] = [self.memory.operand(o) for o in transfer.outs]
        queue, name = self.queues.add(trigger.queue, block | own)
        return {"queue": queue, "dma_blocks": [name]}


def _as_read(trigger: Instruction, block: dict[str, Any]) -> Instruction:
    """The transfer that a reader makes of ``block``, but for its operands."""
    queues = Queues({"": {"block": DmaBlock("block", "", block)}})
    transfer = read_transfer(Scope(Findings(""), Memory(), {}), queues, "", trigger, {"dma_blocks": ["block"]})
    if transfer is None:
        raise ModelBug(f"the DMA block written for {trigger.name} cannot be read")
    return transfer


def _said(instruction: Instruction) -> dict[str, Any]:
    """The fields that differ from their default."""
    values = ((name, getattr(instruction, name)) for name in INSTRUCTION_FIELDS)
    return {name: value for name, value in values if value != getattr(_DEFAULT, name)}


def _edge(dependency: Dependency | str) -> Dependency:
    """The dependency with its kind by name."""
    if isinstance(dependency, str):
        return dependency, EdgeKind.Flow.name
    producer, kind = dependency
    return producer, kind if isinstance(kind, str) else EdgeKind(kind).name


def _operands(instructions: list[Instruction]) -> Iterator[Operand]:
    """All operands, those of loop bodies and transfers after their owner's."""
    for instruction in instructions:
        yield from instruction.ins
        yield from instruction.outs
        if instruction.transfer is not None:
            yield from (*instruction.transfer.ins, *instruction.transfer.outs)
        yield from _operands(instruction.body or [])
