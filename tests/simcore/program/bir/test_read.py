"""Reading BIR: the root, functions, headers and what single opcodes say."""

from __future__ import annotations

from typing import Any

import pytest

from simcore.errors import InputError
from simcore.program.bir import read_bir
from simcore.program.instruction import Instruction, Operand
from tests.simcore.program.bir.documents import document, instruction, loaded, only, stored


def problems(data: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_bir(data, "f.json")
    return [str(p) for p in caught.value.problems]


def test_a_dump_before_dma_lowering_gives_its_instructions() -> None:
    result = read_bir(stored("before_lowering_v2"), "dir/before.json.gz")
    assert (result.record.name, result.record.arch, result.notes) == ("before", "gen3", [])
    [function] = result.record.functions
    assert [(b.name, len(b.instructions)) for b in function.blocks] == [("bb0", 4), ("bb1", 0)]
    load, matmult, activation, store = function.blocks[0].instructions
    dram = Operand(space="DRAM", partitions=128, elements=512, dtype="bfloat16", addr=0, tensor="a")
    tile = Operand(space="SB", partitions=128, elements=512, dtype="bfloat16", addr=4096, tensor="a_tile")
    accumulator = Operand(space="PSUM", partitions=128, elements=512, dtype="float32", addr=2048, bank=3, tensor="acc")
    assert load == Instruction(
        name="ld", opcode="Load", engine="SP", ins=[dram], outs=[tile], dge_type="hwdge", source="kernel.py:12"
    )
    assert matmult == Instruction(
        name="mm",
        opcode="Matmult",
        engine="PE",
        ins=[
            Operand(space="SB", partitions=128, elements=128, dtype="bfloat16", addr=4864, tensor="a_tile"),
            Operand(
                space="SB", partitions=128, elements=256, dtype="bfloat16", addr=4096, free=[(2, 256)], tensor="a_tile"
            ),
        ],
        outs=[accumulator],
        dependencies=[("ld", "Flow")],
        perf_mode="DoubleRow",
        accumulate=True,
    )
    assert (activation.acc, activation.ins) == (True, [accumulator])
    assert activation.dependencies == [("mm", "Flow"), ("ld", "Ordered")]
    assert (store.dge_type, store.mode, store.dependencies) == ("swdge", "Transpose", [("act", "Flow")])
    assert store.ins == [Operand(space="SB", partitions=64, elements=512, dtype="float32", addr=8192, tensor="result")]


def test_every_fault_of_a_document_is_reported_at_once_and_by_name() -> None:
    allowed_edges = "(allowed: Invalid, Ordered, Anti, Output, Flow"
    found = problems(stored("faults_v2"))
    expected = [
        "f.json: version: 3 is unknown (allowed: 1, 2)",
        'f.json: unknown arch "gen33" (allowed: inferentia, sunda, gen3, core_v4, trn1, trn2, trn3; '
        'did you mean "gen3"?)',
        'f.json: allocation x_set: memory location x: unknown memory type "SBUF" (allowed: Unallocated, Input, Output, '
        'DRAM, SB, PSUM, RNGSTATE, REG; did you mean "SB"?)',
        "f.json: allocation x_set: memory location x: addr: expected an integer from 0 on, got the number -4",
        'f.json: instruction words: unknown engine "Pe" (allowed: Unassigned, Pool, Activation, PE, DMA, DVE, SP, ALL; '
        'did you mean "PE"?)',
        f'f.json: instruction words: dependencies[0]: unknown dependency kind "Flo" {allowed_edges}; '
        'did you mean "Flow"?)',
        f"f.json: instruction words: dependencies[1]: unknown dependency kind 7 {allowed_edges})",
        f"f.json: instruction words: dependencies[2]: unknown dependency kind a boolean {allowed_edges})",
        "f.json: instruction words: dependencies[3]: expected text, got the number 1",
        "f.json: instruction words: dependencies[4]: expected a name, [name, kind] or {name, kind}, got the number 3",
        "f.json: instruction words: dependencies[5]: expected a name, [name, kind] or {name, kind}, got a list",
        'f.json: instruction operands: ins[0]: unknown operand kind "physical" (allowed: physical_ap, symbolic_ap, '
        "symbolic_pwap, register_ap, imm_value, symbolic_imm_value, imm_array, register_access; "
        'did you mean "physical_ap"?)',
        'f.json: instruction operands: ins[2]: memref: "title" names no memory location (allowed: x, flat, tile; '
        'did you mean "tile"?)',
        'f.json: instruction operands: ins[3]: memory location "flat" has no row of float32 '
        "(allowed: dims of [partitions, bytes per partition])",
        "f.json: instruction operands: outs[0]: ap[0]: num: expected an integer from 1 on, got a boolean",
        "f.json: instruction operands: outs[0]: ap[1]: expected a [step, num] pair",
        "f.json: instruction operands: outs[0]: ap[2]: step: expected an integer, got the number 1.5",
        "f.json: instruction operands: outs[0]: ap[3]: num: expected an integer from 1 on, got the number 0",
        "f.json: instruction operands: outs[1]: ap: an empty pattern (allowed: [[step, num], ...], partitions first)",
        "f.json: instruction operands: outs[2]: offset: expected an integer from 0 on, got the number -1",
        "f.json: instruction operands: outs[3]: missing memref (the name of a memory location)",
        'f.json: instruction attributes: unknown dge_type "HDGE" (allowed: None, SWDGE, HWDGE, Unassigned; '
        'did you mean "HWDGE"?)',
        "f.json: instruction attributes: queue: expected an integer, got a boolean",
        "f.json: instruction attributes: mode: expected text, got the number 3",
        'f.json: instruction attributes: debug: lineno: expected an integer from 0 on, got the text "7"',
        "f.json: instruction trigger: DMATrigger without a transfer: dma_blocks names no DMA block",
        "f.json: instruction still: LoopAxis.stride: 0 never ends (allowed: any other integer)",
        "f.json: instruction half: LoopAxis.ub: expected an integer or an expression, got the number 4.5",
        "f.json: instruction half: blocks: missing (expected a list)",
        "f.json: functions[0].blocks[0].instructions[6]: name: missing (expected text)",
        "f.json: instruction extended: kernbench: Expected int | null, got str - at cost",
        "f.json: instruction extended: kernbench: Expected int, got bool - at psum_reads[0]",
        "f.json: functions[0].blocks[0].instructions[8]: instruction: expected an object, got the number 7",
    ]
    assert [p for p in found if p in expected] == expected
    rest = [p for p in found if p not in expected]
    assert [p.partition(" (allowed")[0] for p in rest] == [
        'f.json: instruction words: unknown opcode "Matmul"',
        'f.json: instruction operands: ins[1]: unknown dtype "float23"',
        'f.json: instruction extended: kernbench: unknown key "costs"',
    ]
    assert [p.partition("did you mean ")[2] for p in rest] == ['"Matmult"?)', '"float32"?)', '"cost"?)']


@pytest.mark.parametrize("data", [[], "text", None, 3])
def test_a_document_that_is_no_object_is_refused(data: Any) -> None:
    [problem] = problems(data)
    assert problem.startswith("f.json: document: ")


def test_an_empty_object_lacks_version_arch_and_functions() -> None:
    assert problems({}) == [
        "f.json: version: missing (expected an integer)",
        "f.json: missing arch (allowed: inferentia, sunda, gen3, core_v4, trn1, trn2, trn3)",
        "f.json: functions: missing (expected a list)",
    ]


def test_a_boolean_is_no_version() -> None:
    assert problems({**document(), "version": True}) == ["f.json: version: expected an integer, got a boolean"]


def test_functions_of_nki_kernels_are_noted_as_not_read() -> None:
    assert loaded(nki_functions=[{"name": "k"}]).notes == [
        "nki_functions: not read; only the instructions of functions are timed"
    ]
    assert loaded(nki_functions=[]).notes == []


def test_several_replica_groups_are_noted_as_not_read() -> None:
    assert loaded(instruction(replica_groups=[[0, 1], [2, 3]])).notes == [
        "instruction i: 2 replica_groups are not read; devices that run together are one group"
    ]
    assert loaded(instruction(replica_groups=[[0, 1, 2, 3]])).notes == []


def test_a_dependency_on_another_block_is_left_out_and_counted() -> None:
    first, second = instruction(), {**instruction(dependencies=["i", "j", "nobody"]), "name": "k"}
    data = document(first)
    blocks = data["functions"][0]["blocks"]
    blocks.append({"name": "bb1", "instructions": [{**instruction(), "name": "j"}, second]})
    result = read_bir(data, "f.json")
    assert result.record.functions[0].blocks[1].instructions[1].dependencies == [("j", "Flow"), ("nobody", "Flow")]
    assert result.notes == [
        "function main: 1 dependency leads to another block; blocks are timed apart, so none counts"
    ]


def test_a_loop_carried_dependency_and_unknown_keys_change_nothing() -> None:
    plain = only(loaded(instruction()))
    extra = instruction(
        loop_carried_dependencies=[["i", "Flow"]],
        sync_info={"on_wait": 4},
        predicates=[],
        anything={"deep": [1]},
        indirection_ins=[{"kind": "unheard of"}],
        ins=[],
    )
    assert only(loaded(extra)) == plain


@pytest.mark.parametrize(
    ("keys", "field", "value"),
    [
        ({"opcode": "Matmult", "start_tensor_calc": True}, "accumulate", False),
        ({"opcode": "Matmult", "start_tensor_calc": False}, "accumulate", True),
        ({"opcode": "Matmult", "accumulation_flag": 3, "start_tensor_calc": False}, "accumulate", False),
        ({"opcode": "Matmult", "accumulation_flag": 4}, "accumulate", True),
        ({"opcode": "MatmultMx", "perf_mode": "DoubleRow"}, "perf_mode", "DoubleRow"),
        ({"opcode": "MatmultSparse", "is_transpose": 1}, "is_transpose", True),
        ({"opcode": "Activation", "acc": "Idle"}, "acc", False),
        ({"opcode": "Activation", "acc": "LoadAccumulate"}, "acc", True),
        ({"opcode": "TensorTensor", "acc": True}, "acc", True),
        ({"opcode": "TensorTensor", "op": "mult"}, "op", "mult"),
        ({"opcode": "TensorReduce", "op": "max"}, "op", "max"),
        ({"opcode": "RegisterAlu", "op": "add"}, "op", None),
        ({"opcode": "TensorScalar", "op0": "add"}, "op0", "add"),
        ({"opcode": "TensorScalarPtr", "op1": "mult"}, "op1", "mult"),
        ({"opcode": "TensorScalarPtr", "is_tensor_tensor_scan": True}, "is_tensor_tensor_scan", True),
        ({"opcode": "TensorScalarPtr", "is_scalar_tensor_tensor": True}, "is_scalar_tensor_tensor", True),
        ({"opcode": "DMACopy", "mode": "CCE"}, "mode", "CCE"),
        ({"opcode": "Load", "mode": "CCE"}, "mode", None),
        ({"opcode": "Load", "dge_type": "HWDGE"}, "dge_type", "hwdge"),
        ({"opcode": "Load", "dge_type": "none"}, "dge_type", "none"),
        ({"opcode": "Load", "dge_type": 0}, "dge_type", "none"),
        ({"opcode": "Load", "dge_type": 3}, "dge_type", None),
        ({"opcode": "Load", "dge_type": "Unassigned"}, "dge_type", None),
        ({"opcode": "Load"}, "dge_type", None),
        ({"opcode": "Load", "queue": "qSPIO0"}, "queue", None),
        ({"opcode": "Load", "queue": 12}, "queue", 12),
        ({"opcode": "CollectiveCompute", "kind": "AllGather"}, "kind", "AllGather"),
        ({"opcode": "CollectiveCompute", "kind": 3}, "kind", 3),
        ({"opcode": "CollectiveCompute", "stream_id": 1}, "stream_id", 1),
        ({"opcode": "CollectiveCompute", "stream_id": {"terms": [], "c": 2}}, "stream_id", 2),
        ({"opcode": "CollectiveCompute", "is_local": True}, "is_local", True),
        ({"opcode": "InlineASMBytes", "latency_estimate": 300}, "latency_estimate", 300),
        ({"opcode": "Memset", "constant": 0}, "constant", 0),
        ({"opcode": "Memset", "constant": {"kind": "AffExprKind", "terms": [], "c": 5}}, "constant", 5),
        ({"opcode": "Memset", "mode": "Random"}, "mode", "Random"),
        ({"opcode": "NoOp", "debug": {"file": "a/k.py", "lineno": 4, "shape": [1]}}, "source", "a/k.py:4"),
        ({"opcode": "NoOp", "debug": {"file": "a/k.py"}}, "source", "a/k.py"),
        ({"opcode": "NoOp", "debug": {"lineno": 4}}, "source", None),
    ],
)
def test_a_key_gives_its_field(keys: dict[str, Any], field: str, value: object) -> None:
    read = getattr(only(loaded(instruction(**keys))), field)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"opcode": "Matmult", "is_transpose": "yes"}, 'is_transpose: expected true or false, got the text "yes"'),
        ({"opcode": "Memset", "constant": True}, "constant: expected a finite number, got a boolean"),
        ({"opcode": "Memset", "constant": float("nan")}, "constant: expected a finite number, got the number nan"),
        (
            {"opcode": "CollectiveCompute", "stream_id": True},
            "stream_id: expected an integer or an expression, got a boolean",
        ),
        ({"opcode": "CollectiveCompute", "kind": 1.5}, "kind: expected text, got the number 1.5"),
        ({"opcode": "NoOp", "debug": []}, "debug: expected an object, got a list"),
        ({"opcode": "NoOp", "ins": {}}, "ins: expected a list, got a mapping"),
        ({"opcode": "NoOp", "dependencies": "a"}, 'dependencies: expected a list, got the text "a"'),
        ({"opcode": "NoOp", "kernbench": 4}, "kernbench: expected an object, got the number 4"),
    ],
)
def test_a_value_of_another_type_is_refused(keys: dict[str, Any], message: str) -> None:
    assert problems(document(instruction(**keys))) == [f"f.json: instruction i: {message}"]


def test_an_attribute_that_varies_counts_as_not_said_and_is_noted() -> None:
    varying = {"kind": "AffIVKind", "axis": "k"}
    result = loaded(instruction("Matmult", accumulation_flag=varying, is_transpose=varying))
    assert (only(result).accumulate, only(result).is_transpose) == (False, False)
    assert result.notes == [
        "instruction i: is_transpose varies with a loop or a register; it counts as not said",
        "instruction i: accumulation_flag varies with a loop or a register; it counts as not said",
    ]


def test_the_kernbench_object_replaces_what_the_keys_around_it_say() -> None:
    read = only(loaded(instruction("Memset", constant=3, kernbench={"constant": None, "cost": 40, "region": 2})))
    assert (read.constant, read.cost, read.region) == (None, 40, 2)


def test_the_root_s_kernbench_object_gives_the_program_s_own_fields() -> None:
    record = loaded(
        kernbench={"name": "n", "arch_version": 31, "modular_flow_runs": 2, "origin": {"source": "here"}}
    ).record
    assert (record.name, record.arch_version, record.modular_flow_runs) == ("n", 31, 2)
    assert record.origin is not None and record.origin.source == "here"


def test_faults_in_the_root_s_kernbench_object_are_reported() -> None:
    data = document(kernbench={"runs": 2, "arch_version": "x", "function_order": [1]})
    assert problems(data) == [
        'f.json: kernbench: unknown key "runs" (allowed: name, arch, arch_version, modular_flow_runs, origin)',
        "f.json: kernbench: Expected int | null, got str - at arch_version",
        "f.json: kernbench.function_order: expected the numbers 0 to 0, each once",
    ]
