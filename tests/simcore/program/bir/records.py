"""Random program records that use every field, for the round trip through BIR.

Structure, names and edges are valid; a bank or a DGE type may be one that the generation does not have.
"""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from simcore.program.dtypes import DType
from simcore.program.edges import EdgeKind
from simcore.program.engines import Engine
from simcore.program.generations import ARCH_NAMES
from simcore.program.instruction import (
    BlockRecord,
    FunctionRecord,
    Instruction,
    Operand,
    Origin,
    ProgramRecord,
)
from simcore.program.opcodes import TRANSFER_OPCODES, Opcode
from simcore.program.vocabulary import PERF_MODE_NAMES, CollectiveKind, DgeType, Space

# Names that the writer could itself make up for locations, sets and transfers.
TENSORS = ("x", "x.1", "x_set", "sb", "sb.1", "psum", "q")
SOURCES = ("k.py:12", "k.py", "a:05", ":5", "a:b:3", "dir/k.py:0", "k.py:٣")
WORDS = ("add", "bypass", "CCE", "Transpose", "Replicate", "Copy", "Const")


def _maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


_free = st.lists(st.tuples(st.integers(0, 64), st.integers(1, 6)), min_size=1, max_size=3)


@st.composite
def operands(draw: st.DrawFn) -> Operand:
    free = draw(_maybe(_free))
    return Operand(
        space=draw(st.sampled_from([s.name for s in Space])),
        partitions=draw(st.integers(1, 128)),
        elements=math.prod(n for _, n in free) if free else draw(st.integers(0, 600)),
        dtype=draw(st.sampled_from([d.name for d in DType])),
        addr=draw(_maybe(st.integers(0, 9000))),
        bank=draw(_maybe(st.integers(0, 7))),
        free=free,
        symbolic=draw(st.booleans()),
        tensor=draw(_maybe(st.sampled_from(TENSORS))),
    )


_attributes = st.fixed_dictionaries(
    {},
    optional={
        "cost": st.integers(0, 5000),
        "psum_reads": st.lists(st.integers(0, 7), max_size=2),
        "psum_writes": st.lists(st.integers(0, 7), max_size=2),
        "psum_writer": st.booleans(),
        "region": st.integers(0, 3),
        "stream_id": st.integers(0, 3),
        "is_local": st.booleans(),
        "kind": st.sampled_from([k.name for k in CollectiveKind]) | st.integers(0, 10),
        "dge_type": st.sampled_from([d.name for d in DgeType]),
        "queue": st.integers(0, 12),
        "source": st.sampled_from(SOURCES),
        "latency_estimate": st.integers(0, 5000),
        "perf_mode": st.sampled_from(PERF_MODE_NAMES),
        "is_transpose": st.booleans(),
        "accumulate": st.booleans(),
        "op": st.sampled_from(WORDS),
        "op0": st.sampled_from(WORDS),
        "op1": st.sampled_from(WORDS),
        "acc": st.booleans(),
        "is_tensor_tensor_scan": st.booleans(),
        "is_scalar_tensor_tensor": st.booleans(),
        "constant": st.integers(-4, 4) | st.floats(-8, 8),
        "mode": st.sampled_from(WORDS),
    },
)

_STRUCTURED = {Opcode.Loop, Opcode.DMATrigger}
_PLAIN = [o.name for o in Opcode if o not in _STRUCTURED]
_TRANSFERS = [o.name for o in sorted(TRANSFER_OPCODES)]
_operand_lists = st.lists(operands(), max_size=3)


class _Names:
    """Names of a block so far: each new one is unique in the program, and what came before can be depended on."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.given: list[str] = []

    def edges(self, draw: st.DrawFn) -> list[Any]:
        if not self.given:
            return []
        kinds = st.sampled_from([k.name for k in EdgeKind])
        return draw(st.lists(st.tuples(st.sampled_from(self.given), kinds), max_size=3))

    def new(self) -> str:
        self.given.append(f"{self.prefix}.{len(self.given)}")
        return self.given[-1]


def _instruction(draw: st.DrawFn, names: _Names, depth: int) -> Instruction:
    shape = draw(st.sampled_from(["plain", "plain", "trigger", "loop"] if depth < 2 else ["plain", "trigger"]))
    opcode = {"plain": draw(st.sampled_from(_PLAIN)), "trigger": "DMATrigger", "loop": "Loop"}[shape]
    header: dict[str, Any] = {
        "dependencies": names.edges(draw),
        "name": names.new(),
        "opcode": opcode,
        "engine": draw(st.sampled_from([e.name for e in Engine])),
    }
    if shape == "loop":
        trip_count = draw(_maybe(st.integers(1, 9)))
        body = [_instruction(draw, names, depth + 1) for _ in range(draw(st.integers(0, 2)))]
        return Instruction(**header, trip_count=trip_count, body=body)
    instruction = Instruction(**header, **draw(_attributes), ins=draw(_operand_lists), outs=draw(_operand_lists))
    if shape == "trigger":
        own_name = draw(st.booleans())
        instruction.transfer = Instruction(
            dependencies=names.edges(draw),
            name=names.new() if own_name else f"{instruction.name}.transfer",
            opcode=draw(st.sampled_from(_TRANSFERS)),
            engine=draw(st.sampled_from(["DMA", "SP"])),
            ins=draw(_operand_lists),
            outs=draw(_operand_lists),
            **draw(_attributes),
        )
    return instruction


@st.composite
def programs(draw: st.DrawFn) -> ProgramRecord:
    functions = [
        FunctionRecord(
            name=name,
            blocks=[
                BlockRecord(
                    name=f"bb{b}",
                    instructions=[_instruction(draw, names, 0) for _ in range(draw(st.integers(0, 4)))],
                )
                for b in range(draw(st.integers(0, 2)))
                for names in [_Names(f"{name}.{b}")]
            ],
        )
        for name in draw(st.lists(st.sampled_from(["helper", "main", "tail"]), unique=True, max_size=3))
    ]
    return ProgramRecord(
        name=draw(st.sampled_from(["p", "two words"])),
        arch=draw(st.sampled_from(list(ARCH_NAMES))),
        arch_version=draw(_maybe(st.integers(10, 40))),
        modular_flow_runs=draw(st.integers(1, 3)),
        origin=draw(_maybe(st.builds(Origin, source=st.just("made"), licence=_maybe(st.just("MIT"))))),
        functions=functions,
    )
