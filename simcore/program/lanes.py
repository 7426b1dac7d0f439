"""Where an instruction runs: its lane, and the descriptor ring of a DMA trigger. What the program says, no times."""

from __future__ import annotations

import numpy as np

from simcore.program.columns import Array, Columns, Flag, OperandFlag
from simcore.program.engines import Engine, Lane
from simcore.program.opcodes import DMA_OPCODES, Opcode
from simcore.program.vocabulary import DgeType, Space

RING_OF_ENGINE = {Engine.Pool: 0, Engine.Activation: 2, Engine.PE: 4, Engine.DVE: 6, Engine.SP: 8}
"""First of a trigger engine's two rings: the even one for loads, the odd one for stores."""

SOFTWARE_DGE_RING = 10
OTHER_RING = 11
"""Ring of triggers on an engine that has no rings of its own."""
INDIRECT_RING = 12

INDIRECT_OPCODES = frozenset(
    {
        Opcode.GenericIndirectLoad,
        Opcode.IndirectLoad,
        Opcode.GenericIndirectSave,
        Opcode.IndirectSave,
        Opcode.IndirectSaveAccumulate,
    }
)
"""Transfers whose addresses are known only at run time."""

STORE_OPCODES = frozenset({Opcode.Save, Opcode.GenericIndirectSave, Opcode.IndirectSave, Opcode.IndirectSaveAccumulate})
"""Transfers that are stores whatever their operands say."""


def _table(opcodes: frozenset[Opcode]) -> Array:
    table = np.zeros(256, dtype=bool)
    table[[int(o) for o in opcodes]] = True
    return table


_IS_DMA, _IS_INDIRECT, _IS_STORE = _table(DMA_OPCODES), _table(INDIRECT_OPCODES), _table(STORE_OPCODES)


def lanes_of(columns: Columns) -> Array:
    """uint8[n]: the lane of each event.

    DMA opcodes and transfers run on the DMA lane whatever their engine; collectives on their stream (47 on stream 0;
    48..50 on ``stream_id``, or on the DMA lane when local); everything else, DMATrigger too, on its engine's lane.
    """
    lane: Array = columns.engine.copy()
    opcode = columns.opcode
    lane[_IS_DMA[opcode] | ((columns.flags & Flag.TRANSFER) != 0)] = Lane.DMA
    streamed = (opcode >= Opcode.CollectiveCompute) & (opcode <= Opcode.CollectiveRecv)
    if streamed.any():
        local = (columns.flags & Flag.IS_LOCAL) != 0
        lane[streamed] = Lane.CCStream0 + np.maximum(columns.stream_id[streamed], 0).astype(np.uint8)
        lane[streamed & local] = Lane.DMA
    lane[opcode == Opcode.Collective] = Lane.CCStream0
    return lane


def rings_of(columns: Columns, triggers: Array) -> Array:
    """int64: the ring of each trigger (indices ``triggers``), from its ``queue`` or the table of this module.

    Without ``queue``: runtime-address transfers use the indirect ring, software-generated ones the SWDGE ring, all
    others their trigger engine's load or store ring.
    """
    transfer = triggers + 1
    own = columns.dge_type[transfer]
    dge = np.where(own == DgeType.unassigned, columns.dge_type[triggers], own)
    first_ring: Array = np.full(256, -1, dtype=np.int64)
    for engine, load_ring in RING_OF_ENGINE.items():
        first_ring[engine] = load_ring
    base = first_ring[columns.engine[triggers]]
    ring: Array = np.where(base < 0, OTHER_RING, base + _is_store(columns, transfer))
    ring[dge == DgeType.swdge] = SOFTWARE_DGE_RING
    ring[_IS_INDIRECT[columns.opcode[transfer]]] = INDIRECT_RING
    given = columns.queue[triggers]
    return np.where(given >= 0, given, ring)


def _is_store(columns: Columns, events: Array) -> Array:
    """bool: a store opcode, or a first output in DRAM."""
    outputs = np.flatnonzero(columns.op_flags & OperandFlag.OUTPUT)
    writers, first = np.unique(np.repeat(np.arange(len(columns)), columns.op_count)[outputs], return_index=True)
    to_dram = np.zeros(len(columns), dtype=bool)
    to_dram[writers] = columns.op_space[outputs[first]] == Space.DRAM
    chosen: Array = _IS_STORE[columns.opcode[events]] | to_dram[events]
    return chosen
