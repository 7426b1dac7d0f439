"""What a stream document says about one instruction, as PerfSim's rules ask for it: lane, edges, PSUM banks, ring.

Read from the plain dict; nothing of simcore is imported, so an error in a shared table cannot hide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]
"""One instruction, or one operand, as the document holds it."""

ENGINES = {"Unassigned": 0, "Pool": 1, "Activation": 2, "PE": 3, "DMA": 4, "DVE": 5, "SP": 6, "ALL": 7}
POOL, ACTIVATION, PE, DMA, DVE, SP, ALL = 1, 2, 3, 4, 5, 6, 7
STREAM_LANES = (8, 9, 10, 11)
LANES = 12

SPECIAL_OPCODES = {
    "DMA": 18,
    "Load": 19,
    "Save": 22,
    "DMACopy": 32,
    "ReadVarAddr": 41,
    "GenericIndirectLoad": 42,
    "IndirectLoad": 43,
    "GenericIndirectSave": 44,
    "IndirectSave": 45,
    "IndirectSaveAccumulate": 46,
    "Collective": 47,
    "CollectiveCompute": 48,
    "CollectiveSend": 49,
    "CollectiveRecv": 50,
    "DMATrigger": 67,
    "Loop": 105,
}
"""Numbers of the opcodes that a rule names; every other opcode is ordinary and has no number here."""
ORDINARY = -1
COLLECTIVE_COMPUTE, DMA_TRIGGER, LOOP = 48, 67, 105
COLLECTIVE_OPCODES = (47, 48, 49, 50)
DMA_LANE_OPCODES = (18, 19, 22, 32, 41, 42, 43, 44, 45, 46)

EDGE_KINDS = {"Invalid": 0, "Ordered": 1, "Anti": 2, "Output": 3, "Flow": 4}
ORDERED, ANTI, FLOW = 1, 2, 4

ARCH_NAMES = {"trn1": "sunda", "trn2": "gen3", "trn3": "core_v4"}
ARCH_VERSIONS = {"inferentia": 10, "sunda": 20, "gen3": 30, "core_v4": 40}

PSUM_BANK_BYTES = 2048
DTYPE_BYTES = {
    **dict.fromkeys(("uint8", "int8"), 1),
    **dict.fromkeys(("float8e3", "float8e4", "float8_e4m3fn", "float8_e8m0fnu", "float8e5"), 1),
    **dict.fromkeys(("float4_e2m1fn_x4", "uint16", "int16", "bfloat16", "float16"), 2),
    **dict.fromkeys(("float8_e4m3fn_x4", "float8_e5m2_x4", "uint32", "int32", "float32", "float32r"), 4),
    **dict.fromkeys(("uint64", "int64"), 8),
}

TRIGGER_SLOTS = {"Pool": 0, "Activation": 1, "PE": 2, "DVE": 3, "SP": 4}


def opcode_number(instruction: Record) -> int:
    return SPECIAL_OPCODES.get(instruction["opcode"], ORDINARY)


def lane_of(instruction: Record) -> int:
    """The lane that opcode and engine field give (a trigger's transfer goes to DMA instead)."""
    opcode = opcode_number(instruction)
    if opcode in DMA_LANE_OPCODES:
        return DMA
    if opcode == 47:
        return 8
    if opcode in (48, 49, 50):
        if instruction.get("is_local", False):
            return DMA
        return 8 + stream_id_of(instruction)
    return ENGINES[instruction["engine"]]


def stream_id_of(instruction: Record) -> int:
    stream_id: int = instruction.get("stream_id") or 0
    if not 0 <= stream_id <= 3:
        raise ValueError(f"{instruction['name']}: stream_id {stream_id} (0..3)")
    return stream_id


def edges_of(instruction: Record) -> dict[str, int]:
    """Producer's name -> edge kind, one edge per pair: the highest kind of those given."""
    merged: dict[str, int] = {}
    for dependency in instruction.get("dependencies", []):
        if isinstance(dependency, str):
            producer, kind = dependency, FLOW
        else:
            producer, kind = dependency
            if isinstance(kind, str):
                kind = EDGE_KINDS[kind]
        merged[producer] = max(kind, merged.get(producer, 0))
    return merged


def operand_banks(operand: Record) -> list[int] | None:
    """PSUM banks that an operand touches, or None when neither ``bank`` nor ``addr`` says which."""
    bank: int | None = operand.get("bank")
    addr: int | None = operand.get("addr")
    if bank is None:
        if addr is None:
            return None
        bank = addr // PSUM_BANK_BYTES
    first_byte = 0 if addr is None else addr % PSUM_BANK_BYTES
    size = DTYPE_BYTES[operand["dtype"]]
    if operand.get("free") is None:
        last_byte = first_byte + operand["elements"] * size - 1
    else:
        last_byte = first_byte + sum((num - 1) * step for step, num in operand["free"]) * size + size - 1
    return list(range(bank, bank + last_byte // PSUM_BANK_BYTES + 1))


@dataclass
class PsumUse:
    """What an instruction does to PSUM; a writer without ``writes`` writes a bank that is not known."""

    is_writer: bool
    writes: list[int]
    reads: list[int]


def psum_use(instruction: Record) -> PsumUse:
    """The instruction's own bank lists, each replacing what its operands say on that side."""
    reads = instruction.get("psum_reads")
    if reads is None:
        reads = []
        for operand in instruction.get("ins", []):
            if operand["space"] == "PSUM":
                reads += operand_banks(operand) or []
    is_writer = bool(instruction.get("psum_writer", False))
    writes = instruction.get("psum_writes")
    if writes is None:
        writes = []
        for operand in instruction.get("outs", []):
            if operand["space"] == "PSUM":
                is_writer = True
                writes += operand_banks(operand) or []
    return PsumUse(is_writer or len(writes) > 0, writes, reads)


def queue_of(trigger: Record) -> int:
    """The descriptor ring of a DMATrigger: its own ``queue``, else by what its transfer is."""
    if trigger.get("queue") is not None:
        return int(trigger["queue"])
    transfer: Record = trigger["transfer"]
    opcode = transfer["opcode"]
    if opcode == "IndirectSaveAccumulate":
        return 12
    if opcode in ("GenericIndirectLoad", "IndirectLoad", "GenericIndirectSave", "IndirectSave"):
        return 12
    if opcode in ("Collective", "CollectiveCompute", "CollectiveSend", "CollectiveRecv"):
        return 11
    dge_type = transfer.get("dge_type")
    if dge_type is None:
        dge_type = trigger.get("dge_type")
    if dge_type == "swdge":
        return 10
    if trigger["engine"] not in TRIGGER_SLOTS:
        return 11
    outs = transfer.get("outs", [])
    # The other saves never come here: they are runtime-address DMAs, on ring 12.
    is_store = opcode == "Save" or (len(outs) > 0 and outs[0]["space"] == "DRAM")
    return 2 * TRIGGER_SLOTS[trigger["engine"]] + (1 if is_store else 0)


def every_instruction(instructions: Sequence[Record]) -> Iterator[Record]:
    """All instructions in program order: transfers after their trigger, loop bodies after their Loop."""
    for instruction in instructions:
        yield instruction
        if instruction.get("transfer") is not None:
            yield instruction["transfer"]
        yield from every_instruction(instruction.get("body") or [])
