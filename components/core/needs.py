"""What the instructions of a block need of memory, read off their operands: no times, no parts (ADR-0062)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from components.core.demand import Demand, Streams
from components.core.haul import Moves
from components.core.hauler import Haul, Hauler, Spot
from components.core.work import Work
from components.memory.sbuf import Sbuf
from simcore.program.columns import Array, Columns, Flag, OperandFlag
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.engines import Lane
from simcore.program.lanes import lanes_of
from simcore.program.opcodes import COLLECTIVE_OPCODES, Opcode
from simcore.program.vocabulary import IN_DRAM, Space
from simcore.units import TICKS_PER_NS

COLLECTIVES = "collectives that stay in their core, or are no CollectiveCompute, move nothing over the fabric"
NOT_BY_DMA = "instructions that are no DMA have operands in DRAM, which move nothing"
ON_BARRIER_LANE = "instructions of the barrier lane have operands, which move nothing"


class Placement(Protocol):
    """Who says where an operand in DRAM lies."""

    def spot(self, tensor: str | None, addr: int | None, nbytes: int) -> Spot:
        """The place of an operand, by what the program says of it."""


@dataclass(frozen=True, slots=True)
class Needs:
    """By event. ``hauls``: what DMA instructions move. ``streams``: bytes of the SBUF inputs and outputs of others.

    ``left_out``: how many events need something that is not modelled, by the words for it. CollectiveComputes between
    cores are not among them: what those move, only all programs together say.
    """

    hauls: Mapping[int, tuple[Haul, ...]]
    streams: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]
    left_out: Mapping[str, int]

    def demands(
        self, works: list[Work], cost_ns: Array, fixed_ns: Array, hauler: Hauler, sbuf: Sbuf | None
    ) -> dict[Work, Demand]:
        """The demands of ``works``, the block's. ``cost_ns``, ``fixed_ns``: int64[n], all of a cost and its fixed part.

        Without ``sbuf`` the scratchpad takes no time, and only DMA instructions have demands.
        """
        fixed = fixed_ticks(cost_ns, fixed_ns)
        found: dict[Work, Demand] = {works[i]: Moves(hauler, hauls, fixed[i]) for i, hauls in self.hauls.items()}
        if sbuf is not None:
            found |= {works[i]: Streams(sbuf, *sizes, fixed[i]) for i, sizes in self.streams.items()}
        return found


def fixed_ticks(cost_ns: Array, fixed_ns: Array) -> list[int]:
    """Of each event the fixed part of its cost, which is never more than all of it (both int64[n])."""
    ticks: list[int] = (np.minimum(fixed_ns, cost_ns) * TICKS_PER_NS).tolist()
    return ticks


@dataclass(frozen=True, slots=True)
class _Operand:
    space: int
    nbytes: int
    addr: int | None
    tensor: str | None
    output: bool


def needs_of(columns: Columns, placement: Placement) -> Needs:
    """The needs of a block; operands are placed in program order.

    An engine streams its operands in SBUF that have an address pattern. A DMA instruction moves its k-th input to its
    k-th output, and as many bytes as the larger of the two has; inputs or outputs that are left over end, or begin, at
    the DMA engine. Operands without a pattern count for a DMA instruction that has no others.
    """
    hauls: dict[int, tuple[Haul, ...]] = {}
    streams: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    left_out: Counter[str] = Counter()
    lane = lanes_of(columns).tolist()
    for event, operands, symbolic in _operands(columns):
        opcode = Opcode(int(columns.opcode[event]))
        if opcode in COLLECTIVE_OPCODES:
            left_out[COLLECTIVES] += opcode != Opcode.CollectiveCompute or bool(columns.flags[event] & Flag.IS_LOCAL)
        elif opcode == Opcode.DMATrigger:
            continue
        elif lane[event] == Lane.DMA:
            if found := _hauls(operands or symbolic, placement):
                hauls[event] = found
        elif lane[event] == Lane.ALL:
            left_out[ON_BARRIER_LANE] += 1
        else:
            in_sbuf = [operand for operand in operands if operand.space == Space.SB]
            left_out[NOT_BY_DMA] += any(operand.space in IN_DRAM for operand in operands)
            if in_sbuf:
                inputs, outputs = ([o.nbytes for o in in_sbuf if o.output is out] for out in (False, True))
                streams[event] = tuple(inputs), tuple(outputs)
    return Needs(hauls, streams, +left_out)


def _operands(columns: Columns) -> Iterator[tuple[int, list[_Operand], list[_Operand]]]:
    """Every event with operands that lie in a memory: those with an address pattern, and those without."""
    c = columns
    nbytes = c.op_partitions.astype(np.int64) * c.op_elements * np.array(DTYPE_BYTES, dtype=np.int64)[c.op_dtype]
    rows = list(zip(c.op_space.tolist(), nbytes.tolist(), c.op_addr.tolist(), c.op_flags.tolist(), strict=True))
    begin = 0
    for event, count in enumerate(c.op_count.tolist()):
        if not count:
            continue
        extra = c.extras.get(event)
        tensors = extra.tensor if extra is not None and extra.tensor else (None,) * count
        operands: list[_Operand] = []
        symbolic: list[_Operand] = []
        for (space, size, addr, flags), tensor in zip(rows[begin : begin + count], tensors, strict=True):
            if space != Space.REG:
                chosen = symbolic if flags & OperandFlag.SYMBOLIC else operands
                output = bool(flags & OperandFlag.OUTPUT)
                chosen.append(_Operand(space, size, addr if addr >= 0 else None, tensor, output))
        begin += count
        if operands or symbolic:
            yield event, operands, symbolic


def _hauls(operands: list[_Operand], placement: Placement) -> tuple[Haul, ...]:
    inputs, outputs = ([operand for operand in operands if operand.output is out] for out in (False, True))
    hauls = []
    for k in range(max(len(inputs), len(outputs))):
        source = inputs[k] if k < len(inputs) else None
        target = outputs[k] if k < len(outputs) else None
        nbytes = max(operand.nbytes for operand in (source, target) if operand is not None)
        spots = [_spot(operand, nbytes, placement) for operand in (source, target)]
        in_sbuf = [operand is not None and operand.space == Space.SB for operand in (source, target)]
        if any(in_sbuf) or any(spot is not None for spot in spots):
            hauls.append(Haul(nbytes, spots[0], spots[1], in_sbuf[0], in_sbuf[1]))
    return tuple(hauls)


def _spot(operand: _Operand | None, nbytes: int, placement: Placement) -> Spot | None:
    if operand is None or operand.space not in IN_DRAM:
        return None
    return placement.spot(operand.tensor, operand.addr, nbytes)
