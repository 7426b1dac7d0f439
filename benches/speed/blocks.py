"""Blocks for measuring: of any size, every instruction with three edges and one PSUM bank, the same for a seed."""

from __future__ import annotations

import numpy as np

from simcore.program.columns import (
    EDGE_DTYPES,
    EVENT_DTYPES,
    NAME_SEPARATOR,
    OPERAND_DTYPES,
    Array,
    Columns,
    Flag,
)
from simcore.program.edges import EdgeKind
from simcore.program.engines import Engine
from simcore.program.opcodes import Opcode

EDGES = 3
FARTHEST_EDGE = 40
"""Producers are among so many instructions before; a compiler's edges are about as short."""

_MIX = (
    (Engine.PE, Opcode.Matmult),
    (Engine.PE, Opcode.Matmult),
    (Engine.DVE, Opcode.TensorTensor),
    (Engine.Activation, Opcode.Activation),
    (Engine.Pool, Opcode.Memset),
    (Engine.DMA, Opcode.Load),
)
_KINDS = (EdgeKind.Flow, EdgeKind.Flow, EdgeKind.Anti, EdgeKind.Output, EdgeKind.Ordered)
_UNSET = {"cost_ns", "stream_id", "collective_kind", "queue"}


def measured_block(instructions: int, seed: int = 1) -> Columns:
    """``instructions`` compute instructions and loads that carry their costs; half write their bank, half read it."""
    rng = np.random.default_rng(seed)
    n = instructions
    events: dict[str, Array] = {
        name: np.full(n, -1 if name in _UNSET else 0, dtype=kind) for name, kind in EVENT_DTYPES.items()
    }
    mix = rng.integers(0, len(_MIX), n)
    events["engine"] = np.array([engine for engine, _ in _MIX], dtype=np.uint8)[mix]
    events["opcode"] = np.array([opcode for _, opcode in _MIX], dtype=np.uint8)[mix]
    events["cost_ns"] = rng.integers(0, 2000, n)
    events["flags"][:] = Flag.PSUM_READS_GIVEN | Flag.PSUM_WRITES_GIVEN
    bank = (1 << rng.integers(0, 8, n)).astype(np.uint8)
    writes = rng.random(n) < 0.5
    events["psum_writes"], events["psum_reads"] = np.where(writes, bank, 0), np.where(writes, 0, bank)
    events["dep_count"] = np.minimum(np.arange(n), EDGES).astype(np.uint32)
    consumer = np.repeat(np.arange(n), events["dep_count"])
    back = 1 + rng.integers(0, FARTHEST_EDGE, len(consumer))
    edges = {
        "dep_on": np.maximum(consumer - back, 0).astype(EDGE_DTYPES["dep_on"]),
        "dep_kind": np.array(_KINDS, dtype=EDGE_DTYPES["dep_kind"])[rng.integers(0, len(_KINDS), len(consumer))],
    }
    operands: dict[str, Array] = {name: np.zeros(0, dtype=kind) for name, kind in OPERAND_DTYPES.items()}
    names = NAME_SEPARATOR.join(f"i{k}" for k in range(n)).encode()
    return Columns(
        names=np.frombuffer(names, dtype=np.uint8), **events, **edges, **operands, words=("",), loops=(), extras={}
    )
