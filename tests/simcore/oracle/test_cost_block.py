"""The door of the oracles: given costs, what has none, chunks, and everything that is refused."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.errors import InputError, ModelBug
from simcore.oracle import OracleOptions, Provenance, cost, cost_block, oracle_name, rules
from simcore.oracle.rules import rules_of
from simcore.program.limits import MAX_COST_NS, MAX_DIM
from tests.simcore.oracle.blocks import columns_of, cost_of, costs_of, dram, inst, psum, sb


def refusal(*args, **kwargs) -> list[str]:
    with pytest.raises(InputError) as refused:
        cost_block(*args, **kwargs)
    return [str(p) for p in refused.value.problems]


def test_the_registry_goes_by_architecture_and_knows_both_names():
    arches = ("sunda", "trn1", "gen3", "trn2", "core_v4", "trn3", "inferentia")
    assert [oracle_name(a) for a in arches] == ["Trainium"] * 2 + ["Gen3"] * 2 + ["CoreV4"] * 2 + [None]


@pytest.mark.parametrize("timing", ["hwm", "public"])
@pytest.mark.parametrize("ns", [0, 777])
def test_a_given_cost_replaces_the_oracle_even_if_it_is_zero(timing, ns):
    costs = costs_of([inst("Matmult", "PE", [sb(512)], [psum(512)], cost=ns)], "gen3", timing)
    assert (costs.read_init_ns.tolist(), costs.exec_ns.tolist(), costs.rule.tolist()) == ([0], [ns], [-1])
    assert costs.provenance.tolist() == [Provenance.given]


def test_given_and_computed_costs_stand_side_by_side():
    block = [inst("Memset", "DVE", [], [sb(512)]), inst("Memset", "DVE", [], [sb(512)], cost=7), inst("NoOp", "SP")]
    costs = costs_of(block, "gen3")
    assert costs.total_ns.tolist() == [585, 7, 0]
    assert [Provenance(p).name for p in costs.provenance] == ["documented", "given", "not_costed"]
    assert costs.rules[int(costs.rule[0])].form.name == "memset_n"
    assert costs.rule.tolist()[1:] == [-1, -1]


def test_an_empty_block_costs_nothing():
    costs = costs_of([], "gen3")
    assert (len(costs.total_ns), len(costs.provenance), len(costs.rule)) == (0, 0, 0)


def test_arrays_have_the_types_that_models_expect():
    costs = costs_of([inst("Memset", "DVE", [], [sb(512)])], "gen3")
    phases = (costs.read_init_ns, costs.exec_ns, costs.write_drain_ns, costs.total_ns)
    assert [a.dtype for a in phases] == [np.int64] * 4
    assert (costs.provenance.dtype, costs.rule.dtype) == (np.uint8, np.int16)


@pytest.mark.parametrize("engine", ["SP", "DMA", "ALL", "Unassigned"])
@pytest.mark.parametrize("timing", ["hwm", "public"])
def test_an_engine_without_a_clock_leaves_a_helper_formula_uncosted(engine, timing):
    assert cost_of(inst("TensorCopy", engine, [sb(512)], [sb(512)]), "gen3", timing) == (0, 0, "not_costed")


def test_control_flow_and_synchronisation_cost_nothing_and_say_so():
    for opcode in ("NoOp", "EventSemaphore", "AllEngineBarrier", "LoadActFuncSet", "RegisterMove", "Halt"):
        assert cost_of(inst(opcode, "Activation"), "gen3") == (0, 0, "not_costed")


def test_inline_assembly_without_an_estimate_is_not_costed():
    assert cost_of(inst("InlineASMBytes", "Pool"), "gen3") == (0, 0, "not_costed")
    assert cost_of(inst("InlineASMBytes", "Pool", latency_estimate=0), "gen3") == (0, 0, "given")


def test_an_estimate_on_any_other_instruction_does_not_replace_the_oracle():
    assert cost_of(inst("Memset", "DVE", [], [sb(512)], latency_estimate=9), "gen3") == (52, 533, "documented")


def test_registers_and_symbolic_patterns_do_not_count_as_accesses():
    hidden = [sb(4096, symbolic=True), inst("NoOp", "SP").ins, dram(4096, symbolic=True)]
    copy = inst("TensorCopy", "DVE", [hidden[0], hidden[2]], [sb(512)])
    assert cost_of(copy, "gen3")[1] == 533
    assert cost_of(inst("TensorCopy", "DVE", [hidden[0]], []), "gen3") == (52, 0, "assumed")


def test_costs_do_not_depend_on_where_chunks_end(monkeypatch):
    block = [
        inst("Matmult", "PE", [sb(128), sb(n)], [psum(n)], cost=5 if n % 3 == 0 else None) if n % 2
        else inst("DMACopy", "DMA", [dram(n)], [sb(n)])
        for n in range(1, 40)
    ]  # fmt: skip
    whole = costs_of(block, "gen3")
    monkeypatch.setattr(cost, "_CHUNK", 7)
    cut = costs_of(block, "gen3")
    for name in ("read_init_ns", "exec_ns", "provenance", "rule"):
        assert getattr(whole, name).tolist() == getattr(cut, name).tolist()


def test_hardware_descriptors_are_refused_where_there_are_none_naming_every_instruction():
    block = [
        inst("DMACopy", "DMA", [dram(1)], [sb(1)], dge_type=d, name=n)
        for n, d in (("a", "hwdge"), ("b", "swdge"), ("c", "hwdge"))
    ]
    said = "dge_type hwdge: sunda generates no descriptors in hardware (allowed: none, swdge; or gen3, core_v4)"
    for timing in ("hwm", "public"):
        assert refusal(columns_of(block), arch="trn1", timing=timing, file="k.json") == [
            f"k.json: instruction a: {said}",
            f"k.json: instruction c: {said}",
        ]


def test_a_given_cost_does_not_excuse_hardware_descriptors():
    block = [inst("DMACopy", "DMA", [], [sb(1)], dge_type="hwdge", cost=5)]
    assert len(refusal(columns_of(block), arch="sunda")) == 1


def test_a_generation_without_oracle_wants_a_cost_on_everything_that_takes_time():
    costed = inst("Matmult", "PE", [sb(512)], [psum(512)], cost=100)
    free = [inst("NoOp", "SP"), inst("EventSemaphore", "Pool"), inst("CustomOp", "Pool", latency_estimate=8)]
    costs = costs_of([costed, *free], "inferentia")
    assert costs.total_ns.tolist() == [100, 0, 0, 8]
    naked = inst("Memset", "DVE", [], [sb(8)], name="m")
    said = "no cost, and inferentia has no latency oracle (allowed: give a cost; or sunda, gen3, core_v4)"
    for timing in ("hwm", "public"):
        assert refusal(columns_of([naked]), arch="inferentia", timing=timing) == [f"<program>: instruction m: {said}"]


def test_a_long_list_of_refused_instructions_is_counted():
    problems = refusal(columns_of([inst("Memset", "DVE", [], [sb(8)]) for _ in range(25)]), arch="inferentia")
    assert len(problems) == 21
    assert problems[-1] == "<program>: and 5 more instructions of this kind"


def test_a_cost_beyond_the_largest_is_refused_instead_of_overflowing():
    huge = [
        inst("Reciprocal", "DVE", [sb(MAX_DIM)], [], name="r"),
        inst("CollectiveCompute", "Pool", [dram(MAX_DIM, "uint64")] * 40, [], name="c"),
        inst("DMACopy", "DMA", [], [sb(MAX_DIM, "int64")], name="d"),
        inst("DMACopy", "DMA", [], [sb(MAX_DIM // 1000, "int64")], name="fits"),
    ]
    problems = refusal(columns_of(huge), arch="sunda")
    said = f"its cost exceeds {MAX_COST_NS} ns (allowed: smaller accesses)"
    assert problems == [f"<program>: instruction {n}: {said}" for n in ("r", "c", "d")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"arch": "gen4"},
            '--arch: unknown arch "gen4" '
            '(allowed: inferentia, sunda, gen3, core_v4, trn1, trn2, trn3; did you mean "gen3"?)',
        ),
        (
            {"arch": "gen3", "timing": "publik"},
            '--timing: unknown timing "publik" (allowed: hwm, public, learned:DIR; '
            'run and validate also take platform:NAME; did you mean "public"?)',
        ),
    ],
)
def test_unknown_words_are_answered_with_the_known_ones(words, message):
    assert refusal(columns_of([]), **words) == [message]


def test_options_do_not_touch_what_they_do_not_name():
    block = [inst("Matmult", "PE", [sb(128), sb(512)], [psum(512)]), inst("Load", "DMA", [dram(512)], [sb(512)])]
    usual, other = costs_of(block, "gen3"), costs_of(block, "gen3", options=OracleOptions(dram_path=True, dge_clock=96))
    assert usual.total_ns.tolist() == other.total_ns.tolist()


def test_a_table_that_uses_a_word_outside_the_vocabulary_is_our_fault(monkeypatch):
    row = dict.fromkeys(("base", "mult", "minimum", "clock"), "")
    row |= {"opcodes": "Memset", "oracles": "*", "form": "memset_n", "provenance": "assumed", "source": "s"}
    for condition in ("psum_inputs", "engine:Vector", "bits:wide", "op2:add"):
        monkeypatch.setattr(rules, "_rows", lambda _, c=condition: [{**row, "condition": c}])
        with pytest.raises(ModelBug, match=r"cost table hwm\.csv row 2: "):
            rules_of.__wrapped__("hwm")
