"""Small hand-made profiles, valid unless a test breaks them."""

from __future__ import annotations

from typing import Any

VECTOR_COPY = "src=fp32@0x4000[1][64] dst=fp32@0x5000[1][64] channels=128"
LOAD_512_BYTES = (
    "semaphore=8 sem_increment=16 src_elem_size=512 dst_elem_size=512 src_pattern=[512,1][128,1] "
    "dst_pattern=[262144,1][128,1] src_table_offset_imm=0x0 src_table_index=0 dst_addr_imm=0x802000004000"
)


def row(
    id_: int,
    name: str,
    start: int,
    *,
    opcode: str = "COPY",
    label: str = "Vector",
    operands: str = VECTOR_COPY,
    **more: Any,
) -> dict[str, Any]:
    """A kernel instruction of 100 ns on core sg00."""
    return {
        "id": id_,
        "bir_instruction_name": name,
        "bir_id": f"sg0000:{name}",
        "opcode": opcode,
        "label": label,
        "subgraph": "sg00",
        "pc": id_,
        "timestamp": start,
        "duration": 100,
        "operands": operands,
        **more,
    }


def load_row(id_: int, name: str, start: int, **more: Any) -> dict[str, Any]:
    """A DMA trigger on GpSimd that loads 128 rows of 512 bytes."""
    return row(
        id_,
        name,
        start,
        opcode="DMA_DIRECT2D",
        label="GpSimd",
        operands=LOAD_512_BYTES,
        hbm_read_bytes=65536,
        sbuf_write_bytes=65536,
        **more,
    )


def after(producer: int, kind: str = "FLOW_DEPENDENCE") -> list[dict[str, Any]]:
    """The ``predecessors`` of an instruction that follows ``producer``."""
    return [{"id": producer, "type": kind}]


def packet(start: int, nbytes: int, *, engine: int = 64, queue: int = 0) -> dict[str, Any]:
    """A DMA packet of 10 ns on core sg00, as the profiler writes it (numbers as text)."""
    return {
        "dma_engine": str(engine),
        "dma_queue": str(queue),
        "queue_type": "software_dynamic",
        "timestamp": start,
        "duration": 10,
        "transfer_size": nbytes,
        "subgraph": "sg00",
    }


def profile(*instructions: Any, **tables: Any) -> dict[str, Any]:
    """A profile of a trn2 core with these instructions; ``tables`` replace or add whole tables."""
    return {
        "instruction": list(instructions),
        "dma": [],
        "semaphore_update": [],
        "ham": [{"timestamp": 0, "duration": 10_000, "k": 8, "n": 8, "subgraph": "sg00"}],
        "metadata": [
            {
                "first_hw_timestamp": 0,
                "last_hw_timestamp": 38091,
                "first_ts": "1970-01-01T00:00:00Z",
                "last_ts": "1970-01-01T00:00:00.000038091Z",
                "pe_clock_freq": 2.4,
                "data_version": 8,
            }
        ],
        "summary": [{"instance_type": "trn2.3xlarge"}],
        "dma_queues_info": [{"subgraph": "sg00", "q_name": "qGpSimdDynamic", "q_idx": 0}],
        **tables,
    }
