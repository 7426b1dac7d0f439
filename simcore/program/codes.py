"""Words of program files -> the codes that columns store; ``None`` is "not said" where a field may be left out."""

from __future__ import annotations

from simcore.program.dtypes import DType
from simcore.program.edges import EdgeKind
from simcore.program.engines import Engine
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import PERF_MODE_NAMES, CollectiveKind, DgeType, Space

OPCODE_CODES = {o.name: int(o) for o in Opcode}
ENGINE_CODES = {e.name: int(e) for e in Engine}
DTYPE_CODES = {d.name: int(d) for d in DType}
SPACE_CODES = {s.name: int(s) for s in Space}
EDGE_CODES: dict[str | int, int] = {**{k.name: int(k) for k in EdgeKind}, **{int(k): int(k) for k in EdgeKind}}
DGE_CODES: dict[str | None, int] = {None: int(DgeType.unassigned), **{d.name: int(d) for d in DgeType}}
PERF_MODE_CODES: dict[str | None, int] = {None: 0, **{n: i for i, n in enumerate(PERF_MODE_NAMES)}}
KIND_CODES: dict[str | int | None, int] = {
    None: -1,
    **{k.name: int(k) for k in CollectiveKind},
    **{int(k): int(k) for k in CollectiveKind},
}
