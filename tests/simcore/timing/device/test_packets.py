"""Transfers as packets: hardware one for each run, software up to 4 KiB, short runs alone."""

from __future__ import annotations

import pytest

from simcore.program.instruction import Instruction, Operand
from simcore.timing.device.packets import transfer_of


def moves(elements: int, *, dge: str, dtype: str = "float32", free: list[tuple[int, int]] | None = None) -> Instruction:
    there = Operand(space="DRAM", partitions=128, elements=elements, dtype=dtype, free=free)
    here = Operand(space="SB", partitions=128, elements=elements, dtype=dtype, addr=0)
    return Instruction(name="t", opcode="Load", engine="DMA", ins=[there], outs=[here], dge_type=dge)


@pytest.mark.parametrize(
    ("elements", "dge", "run_bytes", "runs_per_packet", "packets"),
    [
        (128, "hwdge", 512, 1, 128),
        (1024, "hwdge", 4096, 1, 128),
        (2048, "hwdge", 4096, 1, 256),
        (512, "swdge", 2048, 2, 64),
        (1024, "swdge", 4096, 1, 128),
        (128, "swdge", 512, 8, 16),
        (64, "swdge", 256, 1, 128),
    ],
)
def test_runs_become_packets(elements: int, dge: str, run_bytes: int, runs_per_packet: int, packets: int):
    transfer = transfer_of(moves(elements, dge=dge), "SP")
    assert (transfer.run_bytes, transfer.runs_per_packet, transfer.packets) == (run_bytes, runs_per_packet, packets)
    assert transfer.packet_bytes * packets == 128 * elements * 4


def test_a_run_is_what_lies_together_on_both_sides():
    transfer = transfer_of(moves(512, dge="hwdge", free=[(16384, 4), (1, 128)]), "SP")
    assert transfer.run_bytes == 512
    assert transfer.packets == 512


def test_packets_are_dealt_to_sixteen_engines_in_turn():
    transfer = transfer_of(moves(128, dge="hwdge"), "SP")
    assert [transfer.on_engine(engine) for engine in range(16)] == [8] * 16
    odd = transfer_of(moves(1, dge="hwdge", dtype="uint8"), "SP")
    assert sum(odd.on_engine(engine) for engine in range(16)) == odd.packets
