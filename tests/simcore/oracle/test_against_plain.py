"""The vectorised oracle against the plain one, over random blocks of every opcode."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.oracle import TIMINGS, Provenance, cost_block
from simcore.program.dtypes import DType
from simcore.program.engines import Engine
from simcore.program.instruction import Instruction, Operand
from simcore.program.opcodes import TRANSFER_OPCODES, Opcode
from simcore.program.vocabulary import PERF_MODE_NAMES, Space
from tests.simcore.oracle.blocks import columns_of
from tests.simcore.oracle.plain_oracle import plain_cost

ARCHES = {"sunda": "Trainium", "trn2": "Gen3", "core_v4": "CoreV4"}
OPCODES = {
    "every": [o.name for o in Opcode if o != Opcode.Loop],
    "operand-dependent": [
        "Matmult", "TensorTensor", "TensorScalarPtr", "TensorReduce", "CopyPredicated", "Memset", "DMACopy",
        "Activation", "CollectiveCompute", "TensorScalar",
    ],
}  # fmt: skip
TRANSFERS = sorted(o.name for o in TRANSFER_OPCODES)
WORDS = [None, "add", "ADD", "sub", "subtract", "mult", "elemwise_mul", "max", "divide"]
# Few sizes, types and places, so that the cases that need operands alike are met as often as the others.
ELEMENTS = [64, 64, 512, 512, 1, 99, 0, 3000]
PARTITIONS = [128, 128, 64, 17, 1]
DTYPES = [*["bfloat16"] * 12, *["float16", "float32"] * 4, *DType.__members__]
SPACES = [*["SB"] * 12, *["PSUM"] * 8, *["DRAM"] * 6, *Space.__members__]
ENGINES = [*["DVE"] * 8, *Engine.__members__]


def random_operands(rng: Random, most: int) -> list[Operand]:
    alike = rng.random() < 0.5
    dtype, space = rng.choice(DTYPES), rng.choice(SPACES)
    return [
        Operand(
            space=space if alike else rng.choice(SPACES),
            partitions=rng.choice(PARTITIONS),
            elements=(elements := rng.choice(ELEMENTS)),
            dtype=dtype if alike else rng.choice(DTYPES),
            free=[(rng.randrange(4), elements)] if elements and rng.random() < 0.2 else None,
            symbolic=rng.random() < 0.15,
        )
        for _ in range(rng.randint(0, most))
    ]


def random_instruction(rng: Random, opcodes: list[str], hwdge: bool, name: str = "") -> Instruction:
    opcode = rng.choice(opcodes)
    is_trigger = opcode == "DMATrigger"
    transfer = random_instruction(rng, TRANSFERS, hwdge, f"t{rng.getrandbits(60)}") if is_trigger else None
    return Instruction(
        name=name,
        opcode=opcode,
        engine=rng.choice(ENGINES),
        ins=random_operands(rng, 3),
        outs=random_operands(rng, 2),
        dge_type=rng.choice([None, "none", "swdge", *["hwdge"] * hwdge]),
        perf_mode=rng.choice(PERF_MODE_NAMES),
        is_transpose=rng.random() < 0.2,
        is_local=rng.random() < 0.5,
        acc=rng.random() < 0.3,
        is_tensor_tensor_scan=rng.random() < 0.2,
        is_scalar_tensor_tensor=rng.random() < 0.6,
        op=rng.choice(WORDS),
        op0=rng.choice(WORDS),
        op1=rng.choice(WORDS),
        constant=rng.choice([None, 0, 0.0, 1]),
        latency_estimate=rng.choice([None, 0, 4321]),
        cost=rng.choice([None, None, None, 77]),
        transfer=transfer,
    )


def disagreements(block: list[Instruction], arch: str, timing: str) -> list[object]:
    costs = cost_block(columns_of(block), arch=arch, timing=timing)
    flat = [e for i in block for e in ([i] if i.transfer is None else [i, i.transfer])]
    phases = zip(costs.read_init_ns.tolist(), costs.exec_ns.tolist(), costs.provenance.tolist(), strict=True)
    found: list[object] = []
    for event, (read_init, run, known) in zip(flat, phases, strict=True):
        plain = (0, event.cost, "given") if event.cost is not None else plain_cost(event, ARCHES[arch], timing)
        if (read_init, run, Provenance(known).name) != plain:
            found.append((event, (read_init, run, Provenance(known).name), plain))
    return found


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("opcodes", OPCODES)
def test_random_blocks_cost_the_same_in_both(timing, arch, opcodes):
    # An instruction's cost depends on nothing else in its block, so a large block needs no shrinking.
    @settings(max_examples=10)
    @given(st.randoms(use_true_random=True))
    def check(rng: Random) -> None:
        block = [random_instruction(rng, OPCODES[opcodes], arch != "sunda") for _ in range(400)]
        assert disagreements(block, arch, timing)[:1] == []

    check()
