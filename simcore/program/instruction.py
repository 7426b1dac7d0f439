"""What people and readers write: operands, instructions, blocks, functions, programs, in the stream format's words.

These records mirror a stream file field by field (names of opcodes, engines and dtypes are strings here), so one
class serves the file, the Python builder and every reader. :mod:`simcore.program.columns` is the same content as
flat arrays, which the models work on.
"""

from __future__ import annotations

import msgspec

SCHEMA = "kernbench.stream/1"


class Operand(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """One access of an instruction.

    ``elements`` counts per partition; ``addr`` is the byte offset inside a partition; ``bank`` a PSUM bank.
    ``free`` gives the free-dimension access pattern, ``[[step, num], ...]`` in elements, outermost first, when it is
    not contiguous; the product of its counts is ``elements``. ``symbolic`` marks a pattern without addresses (it does
    not count for a cost). ``tensor`` names what is accessed.
    """

    space: str
    partitions: int
    elements: int
    dtype: str
    addr: int | None = None
    bank: int | None = None
    free: list[tuple[int, int]] | None = None
    symbolic: bool = False
    tensor: str | None = None


Dependency = tuple[str, str | int]
"""``(producer's name, edge kind by name or number)``."""


class PlainInstruction(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """The fields that most instructions get by with: large files decode and columnise faster without the others."""

    name: str
    opcode: str
    engine: str
    ins: list[Operand] = []
    outs: list[Operand] = []
    dependencies: list[Dependency | str] = []
    cost: int | None = None
    psum_reads: list[int] | None = None
    psum_writes: list[int] | None = None


class Instruction(PlainInstruction, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """One instruction. Only ``name``, ``opcode`` and ``engine`` are required; None means "not said".

    ``cost`` (ns) replaces the oracle. ``psum_reads``/``psum_writes`` replace what the operands say; ``psum_writer``
    says that a bank is written but not which. ``transfer`` is the DMA that a DMATrigger starts; ``body`` and
    ``trip_count`` belong to a Loop. The last group are the IR's own attributes that a cost formula reads.
    """

    psum_writer: bool = False
    region: int = 0
    stream_id: int | None = None
    is_local: bool = False
    kind: str | int | None = None
    dge_type: str | None = None
    queue: int | None = None
    transfer: Instruction | None = None
    trip_count: int | None = None
    body: list[Instruction] | None = None
    source: str | None = None
    latency_estimate: int | None = None
    perf_mode: str | None = None
    is_transpose: bool = False
    accumulate: bool = False

    op: str | None = None
    op0: str | None = None
    op1: str | None = None
    acc: bool = False
    is_tensor_tensor_scan: bool = False
    is_scalar_tensor_tensor: bool = False
    constant: float | int | None = None
    mode: str | None = None


class BlockRecord(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """A basic block: instructions in program order."""

    name: str
    instructions: list[Instruction] = []


class FunctionRecord(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """A function: blocks in program order."""

    name: str
    blocks: list[BlockRecord] = []


class Origin(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Where a program comes from and under which licence it may be passed on."""

    source: str
    licence: str | None = None
    note: str | None = None


class ProgramHead(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """What a program says before its functions."""

    schema: str = SCHEMA
    name: str
    arch: str
    arch_version: int | None = None
    modular_flow_runs: int = 1
    origin: Origin | None = None


class ProgramRecord(ProgramHead, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """A whole program, as a stream file holds it."""

    functions: list[FunctionRecord] = []
