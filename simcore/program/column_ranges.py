"""The values that each column may hold, for those who fill columns and for those who read them from a file."""

from __future__ import annotations

from simcore.program.columns import Flag, OperandFlag
from simcore.program.dtypes import DType
from simcore.program.edges import EdgeKind
from simcore.program.engines import Engine
from simcore.program.generations import SBUF_PARTITIONS, Generation
from simcore.program.limits import (
    MAX_ADDR_BYTES,
    MAX_COST_NS,
    MAX_DIM,
    MAX_OPERANDS,
    MAX_REGION,
    MAX_STREAM,
    MAX_WORDS,
)
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import PERF_MODE_NAMES, QUEUE_COUNT, CollectiveKind, DgeType, Space


def column_ranges(generation: Generation) -> dict[str, tuple[int, int]]:
    """(lowest, highest) value by column name; -1 is "not said" where it is the lowest."""
    banks = (1 << generation.psum_banks) - 1
    return {
        "opcode": (0, max(Opcode)),
        "engine": (0, max(Engine)),
        "cost_ns": (-1, MAX_COST_NS),
        "flags": (0, sum(Flag)),
        "region": (0, MAX_REGION),
        "stream_id": (-1, MAX_STREAM),
        "collective_kind": (-1, max(CollectiveKind)),
        "dge_type": (0, max(DgeType)),
        "queue": (-1, QUEUE_COUNT - 1),
        "perf_mode": (0, len(PERF_MODE_NAMES) - 1),
        **dict.fromkeys(("op", "op0", "op1", "mode"), (0, MAX_WORDS)),
        "psum_reads": (0, banks),
        "psum_writes": (0, banks),
        "dep_kind": (0, max(EdgeKind)),
        "op_count": (0, MAX_OPERANDS),
        "op_space": (0, max(Space)),
        "op_dtype": (0, max(DType)),
        "op_flags": (0, sum(OperandFlag)),
        "op_partitions": (1, SBUF_PARTITIONS),
        "op_elements": (0, MAX_DIM),
        "op_addr": (-1, MAX_ADDR_BYTES),
        "op_bank": (-1, generation.psum_banks - 1),
    }
