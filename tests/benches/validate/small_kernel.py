"""A kernel of five instructions as a profile shows it: load, multiply, two vector copies, store."""

from __future__ import annotations

from typing import Any

from tests.simcore.program.profile.small import after, load_row, packet, profile, row

MULTIPLY = "S[5] (Tensor)++@complete acc_flags=1 src=fp32@0x100[1,0][64,1] dst=0x2000000[1,0][64,1] 128*128"
WEIGHTS = "S[8] (qGpSimdDynamic)>=16 src=fp32@0x4ffc[-1,0][128,1] 128*128"
COPY_OUT = "S[5] (Tensor)>=1 src=fp32@0x2000000[1][64] dst=fp32@0x5000[1][64] channels=128"
COPY_AGAIN = "src=fp32@0x5000[1][64] dst=fp32@0x6000[1][64] channels=128"


def kernel(**tables: Any) -> dict[str, Any]:
    """The profile. The load runs 0 to 30, its packets 1300 to 1810; the matmul from 1850, its weights from 1820."""
    return profile(
        load_row(1, "ld", 0) | {"duration": 30},
        row(2, "mm", 1820, opcode="LDWEIGHTS", label="Tensor", operands=WEIGHTS, predecessors=after(1)),
        row(3, "mm", 1850, opcode="MATMUL", label="TensorMatrix", operands=MULTIPLY, predecessors=after(1)),
        row(4, "cp", 2000, operands=COPY_OUT, predecessors=after(3)),
        row(5, "cp2", 2080, operands=COPY_AGAIN, predecessors=after(4)),
        **{
            "dma": [packet(1300, 65536) | {"duration": 500}, packet(1800, 4)],
            "semaphore_update": [{"id": "S[5] (Tensor)", "timestamp": 1960, "value": 1, "subgraph": "sg00"}],
            **tables,
        },
    )
