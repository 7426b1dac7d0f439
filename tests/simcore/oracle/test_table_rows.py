"""Every row of the cost tables costs an instruction of this list, with the phases that stand beside it."""

from __future__ import annotations

import pytest

from simcore.oracle import TIMINGS, Provenance, Rule, oracle_of
from simcore.oracle.rules import absences_of, rules_of
from simcore.program.instruction import Instruction
from simcore.program.opcodes import Opcode
from tests.simcore.oracle.blocks import cost_of, costs_of, dram, inst, psum, sb

BF, F32 = "bfloat16", "float32"


def unary(opcode: str, engine: str, n: int = 512, dtype: str = F32, **more) -> Instruction:
    return inst(opcode, engine, [sb(n, dtype)], [sb(n, dtype)], **more)


def binary(opcode: str, engine: str, dtype: str = F32, **more) -> Instruction:
    return inst(opcode, engine, [sb(512, dtype), sb(512, dtype)], [sb(512, dtype)], **more)


def split(opcode: str, engine: str, **more) -> Instruction:
    return inst(opcode, engine, [psum(512), sb(512)], [sb(512)], **more)


def matmult(stationary: int, moving: int, dtype: str = BF, **more) -> Instruction:
    opcode = more.pop("opcode", "Matmult")
    return inst(opcode, "PE", [sb(stationary, dtype), sb(moving, dtype)], [psum(moving, F32, stationary)], **more)


def load(opcode: str = "DMACopy", dtype: str = F32, **more) -> Instruction:
    return inst(opcode, "DMA", [dram(512, dtype, symbolic=more.pop("symbolic", False))], [], **more)


FAST = {"op0": "subtract", "op1": "mult", "is_scalar_tensor_tensor": True}

HWM = [
    ("gen3", matmult(128, 512), 166, 214, "documented"),
    ("gen3", matmult(128, 512, opcode="MatmultSparse"), 166, 214, "assumed"),
    ("core_v4", matmult(128, 512, opcode="MatmultMx"), 166, 214, "assumed"),
    ("gen3", inst("Memset", "Pool", [], [sb(512)]), 52, 533, "documented"),
    ("core_v4", unary("Activation", "Activation", dtype=BF), 185, 426, "documented"),
    ("core_v4", unary("Activation", "Activation", dtype=F32), 143, 426, "documented"),
    ("core_v4", unary("Activation", "Activation", dtype="int8"), 83, 426, "documented"),
    ("gen3", unary("Activation", "Activation", dtype=BF), 185, 426, "assumed"),
    ("sunda", unary("Activation", "Activation", dtype=F32), 122, 365, "assumed"),
    ("sunda", unary("Activation", "Activation", dtype="int8"), 71, 365, "assumed"),
    ("core_v4", unary("Exponential", "Activation", dtype=BF), 185, 426, "assumed"),
    ("core_v4", unary("Exponential", "Activation", dtype=F32), 143, 426, "assumed"),
    ("core_v4", unary("Exponential", "Activation", dtype="int8"), 83, 426, "assumed"),
    ("gen3", unary("TensorCopy", "Activation", dtype=BF), 185, 426, "assumed"),
    ("gen3", unary("TensorScalar", "Activation", dtype=F32), 143, 426, "assumed"),
    ("gen3", unary("Reciprocal", "Activation", dtype="int8"), 83, 426, "assumed"),
    ("gen3", unary("ReadActivationAccumulator", "Activation"), 53, 0, "assumed"),
    ("gen3", unary("DveReadAccumulator", "DVE"), 66, 0, "assumed"),
    ("gen3", unary("TensorCopy", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("GenericCopy", "Pool"), 41, 426, "assumed"),
    ("gen3", unary("Pool", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("TensorCopyDynamicSrc", "DVE"), 52, 625, "assumed"),
    ("gen3", unary("TensorCopyDynamicDst", "DVE", 1200), 52, 1250, "assumed"),
    ("gen3", unary("BNStats", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("BNStatsAggregate", "DVE", 100), 52, 451, "assumed"),
    ("gen3", binary("BNGradients", "DVE"), 52, 1066, "assumed"),
    ("gen3", unary("StreamShuffle", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("StreamTranspose", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("RangeSelect", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("MaxIndex", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("MaxIndexAndMatchReplace", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("NonzeroWithCount", "DVE"), 52, 533, "assumed"),
    ("core_v4", unary("QuantizeMx", "DVE"), 41, 426, "assumed"),
    ("gen3", unary("Rand", "Pool"), 41, 426, "assumed"),
    ("gen3", unary("RandSetState", "Pool", 6), 41, 5, "assumed"),
    ("core_v4", unary("Rand2", "Pool"), 41, 426, "assumed"),
    ("gen3", unary("Reciprocal", "DVE", 10), 52, 83, "assumed"),
    ("gen3", inst("Select", "DVE", [sb(512), sb(512), sb(512)], [sb(512)]), 52, 1600, "assumed"),
    ("gen3", split("CopyPredicated", "DVE"), 52, 533, "assumed"),
    ("gen3", binary("CopyPredicated", "DVE"), 52, 1066, "assumed"),
    ("gen3", split("TensorTensor", "DVE", op="max"), 52, 533, "assumed"),
    ("gen3", binary("TensorTensor", "DVE", BF, op="sub"), 52, 533, "assumed"),
    ("gen3", binary("TensorTensor", "DVE", F32, op="sub"), 52, 1066, "assumed"),
    ("gen3", inst("TensorReduce", "DVE", [sb(512, BF)], [sb(1, BF)], op="max"), 52, 266, "assumed"),
    ("gen3", inst("TensorReduce", "DVE", [sb(512)], [sb(1)], op="max"), 52, 533, "assumed"),
    ("gen3", unary("TensorScalar", "DVE", acc=True), 118, 533, "assumed"),
    ("gen3", unary("TensorScalar", "DVE"), 52, 533, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE", is_tensor_tensor_scan=True), 52, 1066, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE", dtype=BF, **FAST), 52, 533, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE", dtype=F32, **FAST), 52, 1066, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE", acc=True), 118, 533, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE"), 52, 533, "assumed"),
    ("gen3", inst("Iota", "Pool", [], [sb(512, "int32")]), 125, 426, "assumed"),
    ("gen3", unary("IndirectCopy", "Pool"), 125, 53, "assumed"),
    ("gen3", unary("Gather", "Pool"), 125, 426, "assumed"),
    ("gen3", unary("GPSIMDSB2SB", "Pool"), 125, 426, "assumed"),
    ("gen3", load(symbolic=True), 1300, 873, "assumed"),
    ("sunda", load(), 1300, 963, "documented"),
    ("gen3", load(dge_type="none"), 1300, 712, "documented"),
    ("gen3", load(dge_type="hwdge"), 1716, 712, "assumed"),
    ("core_v4", load(), 1300, 712, "assumed"),
    ("gen3", load("Load", symbolic=True), 1300, 873, "assumed"),
    ("gen3", load("Load"), 1300, 712, "assumed"),
    ("gen3", load("CollectiveCompute", is_local=True, symbolic=True), 1300, 873, "assumed"),
    ("gen3", load("CollectiveCompute", is_local=True), 1300, 712, "assumed"),
    ("gen3", inst("CollectiveCompute", "Pool", [dram(512)], [dram(128)]), 10000, 926, "assumed"),
    ("gen3", inst("DMATrigger", "SP", transfer=load(name="t")), 0, 0, "documented"),
    ("gen3", inst("InlineASMBytes", "Pool", latency_estimate=321), 0, 321, "given"),
]  # fmt: skip

PUBLIC = [
    ("gen3", matmult(32, 16, F32, is_transpose=True), 0, 13, "public"),
    ("gen3", matmult(128, 512, F32), 0, 853, "public"),
    ("gen3", matmult(128, 512, BF, perf_mode="DoubleRow"), 0, 106, "assumed"),
    ("gen3", matmult(128, 512, BF), 0, 213, "public"),
    ("gen3", unary("Activation", "Activation", acc=True), 53, 426, "public"),
    ("gen3", unary("Activation", "Activation", 16), 0, 53, "public"),
    ("gen3", unary("ActivationReadAccumulator", "Activation"), 53, 0, "public"),
    ("gen3", unary("TensorCopy", "Pool"), 0, 426, "public"),
    ("gen3", unary("TensorCopyDynamicDst", "DVE"), 0, 625, "public"),
    ("gen3", split("CopyPredicated", "DVE"), 0, 533, "public"),
    ("gen3", binary("CopyPredicated", "DVE"), 0, 1066, "public"),
    ("gen3", inst("CopyPredicated", "DVE", [psum(512)], [sb(512)]), 0, 1066, "assumed"),
    ("gen3", unary("TensorScalar", "DVE", acc=True), 66, 533, "public"),
    ("gen3", unary("TensorScalar", "Pool", acc=True), 53, 426, "assumed"),
    ("gen3", unary("TensorScalar", "Activation"), 0, 426, "public"),
    ("gen3", unary("TensorScalar", "Pool"), 0, 426, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE", 16, is_tensor_tensor_scan=True), 0, 66, "public"),
    ("gen3", unary("TensorScalarPtr", "Pool", is_tensor_tensor_scan=True), 0, 853, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE", 2, BF, **FAST), 0, 2, "public"),
    ("gen3", unary("TensorScalarPtr", "DVE", 3, BF, **FAST), 0, 6, "public"),
    ("gen3", unary("TensorScalarPtr", "Pool", dtype=BF, **FAST), 0, 853, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE", acc=True), 66, 533, "public"),
    ("gen3", unary("TensorScalarPtr", "Pool", acc=True), 53, 426, "assumed"),
    ("gen3", unary("TensorScalarPtr", "DVE"), 0, 533, "public"),
    ("gen3", unary("TensorScalarPtr", "Pool"), 0, 426, "assumed"),
    ("gen3", split("TensorTensor", "DVE"), 0, 533, "public"),
    ("gen3", binary("TensorTensor", "DVE", BF, op="Add"), 0, 533, "public"),
    ("gen3", binary("TensorTensor", "DVE", BF, op="divide"), 0, 1066, "public"),
    ("gen3", binary("TensorTensor", "Pool", BF, op="add"), 0, 853, "assumed"),
    ("gen3", inst("TensorReduce", "DVE", [sb(32, BF)], [sb(1, BF)], op="add"), 0, 16, "public"),
    ("gen3", inst("TensorReduce", "DVE", [sb(32)], [sb(1)], op="add"), 0, 33, "public"),
    ("gen3", inst("TensorReduce", "Pool", [sb(32)], [sb(1)], op="add"), 0, 26, "assumed"),
    ("gen3", unary("Reciprocal", "DVE"), 0, 4266, "public"),
    ("gen3", unary("Reciprocal", "Activation"), 0, 426, "assumed"),
    ("gen3", unary("Reciprocal", "Pool"), 0, 3413, "assumed"),
    ("gen3", unary("Dropout", "DVE", 1), 0, 66, "public"),
    ("gen3", unary("BNStats", "Pool"), 0, 426, "assumed"),
    ("gen3", unary("BNStatsAggregate", "DVE", 100), 0, 451, "public"),
    ("gen3", unary("BNStatsAggregate", "Pool", 100), 0, 361, "assumed"),
    ("gen3", unary("StreamTranspose", "DVE"), 0, 533, "public"),
    ("gen3", inst("Memset", "DVE", [], [sb(512, BF)], constant=0.0), 0, 266, "public"),
    ("gen3", inst("Memset", "DVE", [], [sb(512, BF)]), 0, 533, "public"),
    ("gen3", inst("Memset", "Pool", [], [sb(512, BF)], constant=0), 0, 426, "assumed"),
    ("gen3", unary("Max", "DVE", 8), 0, 8, "public"),
    ("gen3", unary("MatchReplace", "DVE", 8), 0, 66, "public"),
    ("gen3", inst("Iota", "Pool", [], [sb(512, "int32")]), 125, 426, "public"),
    ("gen3", unary("TensorScalarAffineSelect", "DVE"), 156, 533, "assumed"),
    ("gen3", unary("IndirectCopy", "Pool"), 125, 53, "assumed"),
    ("gen3", load("Save", dge_type="swdge"), 1300, 712, "assumed"),
    ("core_v4", load("Save", dge_type="hwdge"), 1900, 496, "assumed"),
    ("gen3", load("Save", dge_type="hwdge"), 1900, 712, "public"),
    ("gen3", load("CollectiveCompute", is_local=True), 1300, 712, "assumed"),
    ("gen3", inst("DMATrigger", "SP", transfer=load(name="t")), 0, 0, "assumed"),
    ("gen3", inst("CustomOp", "Pool", latency_estimate=0), 0, 0, "given"),
]  # fmt: skip

EXAMPLES = [("hwm", *e) for e in HWM] + [("public", *e) for e in PUBLIC]


@pytest.mark.parametrize(
    ("timing", "arch", "instruction", "read_init", "run", "known"),
    EXAMPLES,
    ids=[f"{t}-{a}-{i.opcode}-{k}" for k, (t, a, i, *_) in enumerate(EXAMPLES)],
)
def test_each_example_costs_what_its_row_says(timing, arch, instruction, read_init, run, known):
    costs = costs_of([instruction], arch, timing)
    got = (int(costs.read_init_ns[0]), int(costs.exec_ns[0]), Provenance(int(costs.provenance[0])).name)
    assert got == (read_init, run, known)


def spelt(rule: Rule) -> str:
    return f"{' '.join(o.name for o in rule.opcodes)} on {' '.join(rule.oracles)} [{rule.condition}]"


@pytest.mark.parametrize("timing", TIMINGS)
def test_every_row_of_the_table_is_used_by_an_example(timing):
    fired = set()
    for example_timing, arch, instruction, *_ in EXAMPLES:
        if example_timing == timing:
            costs = costs_of([instruction], arch, timing)
            fired.add(spelt(costs.rules[int(costs.rule[0])]))
    assert [spelt(r) for r in rules_of(timing) if spelt(r) not in fired] == []


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("arch", ["sunda", "gen3", "core_v4"])
def test_every_opcode_has_either_rows_or_a_reason_to_have_none(timing, arch):
    oracle = oracle_of(arch, timing)
    costed = {o for r in oracle.rules for o in r.opcodes}
    left_out = [o for a in absences_of(timing) if oracle.name in a.oracles for o in a.opcodes]
    assert sorted([*costed, *left_out]) == list(Opcode)


@pytest.mark.parametrize("timing", TIMINGS)
def test_every_row_names_its_source_and_no_row_follows_one_that_always_holds(timing):
    for arch in ("sunda", "gen3", "core_v4"):
        closed: set[Opcode] = set()
        for rule in oracle_of(arch, timing).rules:
            assert rule.source
            assert closed.isdisjoint(rule.opcodes), (rule.condition, closed & set(rule.opcodes))
            if not rule.conditions:
                closed.update(rule.opcodes)


@pytest.mark.parametrize("opcode", ["RandSetState", "MatmultSparse", "NonzeroWithCount", "MatmultMx", "Exponential"])
def test_an_instruction_that_the_generation_lacks_is_not_costed(opcode):
    assert cost_of(inst(opcode, "DVE", [sb(512)], [sb(512)]), "sunda") == (0, 0, "not_costed")
