"""What counts as an instruction's measured duration, and what is left out."""

from __future__ import annotations

import json

import pytest

from simcore.errors import InputError
from simcore.oracle.learned.features import NAMES
from simcore.oracle.learned.samples import HALF_SPEED, QUEUED, samples_of
from simcore.program.opcodes import Opcode
from simcore.program.read import program_from_bytes
from tests.simcore.oracle.learned.small_profiles import copies, copy
from tests.simcore.perfsim.blocks import block_of, loaded
from tests.simcore.program.profile.small import load_row, packet, profile, row

WEIGHTS = "fp32_mode=LOW transpose_mode=DISABLED src=fp32@0x4000[-1,0,0][128,1,1] 128*128"
MATMUL = "acc_flags=3 fp32_mode=LOW src=fp32@0x6000[1,0,0][128,1,1] dst=0x2000000[1,0,0][128,1,1] 128*128"


def sampled(document: dict):
    return samples_of(program_from_bytes(json.dumps(document).encode(), "profile"))


def matmul(start: int) -> list[dict]:
    """A weight load of 100 ns, and 150 ns after it began a matmul of 100 ns: 200 ns in which either is under way."""
    return [
        row(1, "I-1", start, opcode="LDWEIGHTS", label="Tensor", operands=WEIGHTS),
        row(2, "I-1", start + 150, opcode="MATMUL", label="Tensor", operands=MATMUL),
    ]


def clock(*states: tuple[int, int, int]) -> list[dict]:
    return [{"timestamp": t, "duration": d, "k": k, "n": 8, "subgraph": "sg00"} for t, d, k in states]


def test_a_duration_is_what_the_profile_says():
    samples = sampled(copies(64, 128))
    assert samples.measured_ns.tolist() == [228, 356]
    assert samples.features[:, NAMES.index("elements")].tolist() == [64, 128]
    assert samples.features[:, NAMES.index("log2_partition_bytes")].tolist() == pytest.approx([8.0056245, 9.0028150])
    assert samples.left_out == {}


def test_time_between_the_pieces_of_an_instruction_does_not_count():
    samples = sampled(profile(*matmul(1000)))
    assert (samples.opcode.tolist(), samples.measured_ns.tolist()) == ([Opcode.Matmult], [200])


@pytest.mark.parametrize(
    "states",
    [
        [(0, 1100, 8), (1100, 9000, 4)],  # slows down on the way
        [(0, 1000, 4), (1000, 9000, 4)],
        [(5000, 1000, 8)],  # not recorded yet
        [],
    ],
)
def test_the_tensor_engine_counts_only_at_recorded_full_speed(states):
    samples = sampled(profile(*matmul(1000), ham=clock(*states)))
    assert len(samples) == 0
    assert samples.left_out == {HALF_SPEED: 1}


def test_other_engines_count_at_any_clock():
    samples = sampled(profile(copy(0, 0, 64, 228), ham=clock((0, 10_000, 4))))
    assert samples.measured_ns.tolist() == [228]


def test_a_transfer_counts_from_its_trigger_and_not_behind_another_of_its_queue():
    rows = [load_row(1, "I-1", 1000), load_row(2, "I-2", 1200), load_row(3, "I-3", 9000)]
    packets = [part for end in (3000, 4000, 12_000) for part in (packet(end - 500, 65536), packet(end - 10, 4))]
    samples = sampled(profile(*rows, dma=packets))
    found = dict(zip(samples.event.tolist(), samples.measured_ns.tolist(), strict=True))
    # Events: trigger, transfer, trigger, ... The first ends its trigger at 1100, the third at 9100.
    assert found == {0: 100, 1: 1900, 2: 100, 4: 100, 5: 2900}
    assert samples.left_out == {QUEUED: 1}


def test_a_program_without_measurements_is_refused():
    with pytest.raises(InputError, match="document: holds no measurements"):
        samples_of(loaded(block_of({"name": "a", "opcode": "NoOp", "engine": "PE"})))
