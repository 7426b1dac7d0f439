"""Columns -> instructions: the inverse of :mod:`simcore.program.columnise`, for writers and for people."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from simcore.program.columns import Array, Columns, Extra, Flag, OperandFlag
from simcore.program.dtypes import DType
from simcore.program.edges import EdgeKind
from simcore.program.engines import Engine
from simcore.program.event_names import EventNames
from simcore.program.instruction import Instruction, Operand
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import PERF_MODE_NAMES, CollectiveKind, DgeType, Space

_NO_EXTRA = Extra()

# Enumerations are slow to look up and to combine, and a large block does it millions of times.
_OPCODES = tuple(opcode.name for opcode in Opcode)
_ENGINES = tuple(engine.name for engine in Engine)
_SPACES = tuple(space.name for space in Space)
_DTYPES = tuple(dtype.name for dtype in DType)
_KINDS = tuple(kind.name for kind in EdgeKind)
_COLLECTIVES = tuple(kind.name for kind in CollectiveKind)
_DGE_TYPES = tuple(None if dge is DgeType.unassigned else dge.name for dge in DgeType)
_IS_LOCAL, _PSUM_WRITER = int(Flag.IS_LOCAL), int(Flag.PSUM_WRITER)
_IS_TRANSPOSE, _ACCUMULATE, _ACC = int(Flag.IS_TRANSPOSE), int(Flag.ACCUMULATE), int(Flag.ACC)
_SCAN, _SCALAR_TENSOR_TENSOR = int(Flag.SCAN), int(Flag.SCALAR_TENSOR_TENSOR)
_READS_GIVEN, _WRITES_GIVEN = int(Flag.PSUM_READS_GIVEN), int(Flag.PSUM_WRITES_GIVEN)
_OUTPUT, _SYMBOLIC = int(OperandFlag.OUTPUT), int(OperandFlag.SYMBOLIC)


def instructions_of(columns: Columns) -> list[Instruction]:
    """The block's instructions in program order, loops nested and transfers inline."""
    events = Events(columns, columns.name_list())
    return _nest(columns, events.all())


class Events:
    """Turns event indices into instructions, one at a time; holds 16 bytes per event beside the names."""

    def __init__(self, columns: Columns, names: EventNames | list[str]) -> None:
        self.c = columns
        self.names = names
        self.dep_end: Array = np.cumsum(columns.dep_count, dtype=np.int64)
        self.op_end: Array = np.cumsum(columns.op_count, dtype=np.int64)

    def all(self) -> list[Instruction]:
        """Every event as an instruction; transfers are still separate."""
        return [self.one(i) for i in range(len(self.c))]

    def one(self, i: int) -> Instruction:
        """Event ``i`` without its transfer."""
        c, flags = self.c, int(self.c.flags[i])
        extra = c.extras.get(i, _NO_EXTRA)
        ins, outs = self.operands(i, extra)
        collective = c.collective_kind[i]
        return Instruction(
            name=self.names[i],
            opcode=_OPCODES[c.opcode[i]],
            engine=_ENGINES[c.engine[i]],
            ins=ins,
            outs=outs,
            dependencies=[*self.dependencies(i), *((n, _KINDS[k]) for n, k in extra.loop_dependencies)],
            cost=_unset(c.cost_ns[i]),
            psum_reads=_banks(c.psum_reads[i]) if flags & _READS_GIVEN else None,
            psum_writes=_banks(c.psum_writes[i]) if flags & _WRITES_GIVEN else None,
            region=int(c.region[i]),
            stream_id=_unset(c.stream_id[i]),
            kind=_COLLECTIVES[collective] if collective >= 0 else None,
            dge_type=_DGE_TYPES[c.dge_type[i]],
            queue=_unset(c.queue[i]),
            source=extra.source,
            latency_estimate=extra.latency_estimate,
            perf_mode=PERF_MODE_NAMES[c.perf_mode[i]] if c.perf_mode[i] else None,
            op=self.word(c.op[i]),
            op0=self.word(c.op0[i]),
            op1=self.word(c.op1[i]),
            constant=extra.constant,
            mode=self.word(c.mode[i]),
            is_local=flags & _IS_LOCAL != 0,
            psum_writer=flags & _PSUM_WRITER != 0,
            is_transpose=flags & _IS_TRANSPOSE != 0,
            accumulate=flags & _ACCUMULATE != 0,
            acc=flags & _ACC != 0,
            is_tensor_tensor_scan=flags & _SCAN != 0,
            is_scalar_tensor_tensor=flags & _SCALAR_TENSOR_TENSOR != 0,
        )

    def word(self, code: Any) -> str | None:
        return self.c.words[int(code)] if code else None

    def dependencies(self, i: int) -> list[tuple[str, str]]:
        return [(self.names[producer], _KINDS[kind]) for producer, kind in self.edges(i)]

    def edges(self, i: int) -> list[tuple[int, EdgeKind]]:
        """``(producer's event, kind)`` of each edge of event ``i``, in the columns' order."""
        end = int(self.dep_end[i])
        edges = range(end - int(self.c.dep_count[i]), end)
        return [(int(self.c.dep_on[e]), EdgeKind(int(self.c.dep_kind[e]))) for e in edges]

    def operands(self, i: int, extra: Extra) -> tuple[list[Operand], list[Operand]]:
        c, end, count = self.c, int(self.op_end[i]), int(self.c.op_count[i])
        sides: tuple[list[Operand], list[Operand]] = ([], [])
        for place, k in enumerate(range(end - count, end)):
            flags = int(c.op_flags[k])
            free = extra.free[place] if extra.free else None
            sides[1 if flags & _OUTPUT else 0].append(
                Operand(
                    space=_SPACES[c.op_space[k]],
                    partitions=int(c.op_partitions[k]),
                    elements=int(c.op_elements[k]),
                    dtype=_DTYPES[c.op_dtype[k]],
                    addr=_unset(c.op_addr[k]),
                    bank=_unset(c.op_bank[k]),
                    free=list(free) if free is not None else None,
                    symbolic=flags & _SYMBOLIC != 0,
                    tensor=extra.tensor[place] if extra.tensor else None,
                )
            )
        return sides


def _unset(value: Any) -> int | None:
    return int(value) if value >= 0 else None


def _banks(mask: Any) -> list[int]:
    return [b for b in range(int(mask).bit_length()) if int(mask) >> b & 1]


def _nest(columns: Columns, events: list[Instruction]) -> list[Instruction]:
    """Puts transfers into their triggers and events into their loops."""
    is_transfer: Array = (columns.flags & Flag.TRANSFER) != 0
    top: list[Instruction] = []
    bodies: list[list[Instruction]] = []
    loops = columns.loops
    next_loop, current = 0, -1
    for i in range(len(events) + 1):
        while True:
            if current >= 0 and loops[current].end == i and not _is_child(loops, next_loop, current):
                current = loops[current].parent
            elif next_loop < len(loops) and loops[next_loop].begin == i and loops[next_loop].parent == current:
                header = loops[next_loop].header
                body: list[Instruction] = []
                loop = msgspec.structs.replace(header, dependencies=list(header.dependencies), body=body)
                (bodies[current] if current >= 0 else top).append(loop)
                bodies.append(body)
                current, next_loop = next_loop, next_loop + 1
            else:
                break
        if i < len(events):
            place = bodies[current] if current >= 0 else top
            if is_transfer[i]:
                place[-1].transfer = events[i]
            else:
                place.append(events[i])
    return top


def _is_child(loops: tuple[Any, ...], candidate: int, parent: int) -> bool:
    return candidate < len(loops) and loops[candidate].parent == parent
