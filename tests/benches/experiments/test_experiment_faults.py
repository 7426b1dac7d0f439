"""Every fault of an experiment file is reported at its line and column, all at once, and nothing is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches.experiments.experiment import load_experiment, run_experiment
from simcore.errors import InputError

HEAD = """\
schema: kernbench.experiment/1
id: x
title: t
"""
TCM = """\
base:
  work: requests
  part: tcm
  requests: [{name: a, direction: read, nbytes: 512}]
"""
PROGRAM = """\
base:
  work: program
  arch: gen3
  instructions:
  - {name: mm, opcode: Matmult, engine: PE, cost: 400, psum_writes: [3]}
  - {name: "cp 1", opcode: TensorCopy, engine: DVE, cost: 300, dependencies: [mm]}
"""
ONE = "variants: {one: {}}\n"
CLAIM = "claims: [{says: s, formula: 'finish_ns(one) > 0'}]\n"


def faults(text: str, folder: Path) -> list[str]:
    """The faults of a file of this text, from the line on."""
    path = folder / "x.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        run_experiment(load_experiment(path))
    assert all(str(p).startswith(f"{path}:") for p in caught.value.problems)
    return [str(p).removeprefix(f"{path}:") for p in caught.value.problems]


def claim(formula: str) -> str:
    return f"claims: [{{says: s, formula: '{formula}'}}]\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ["1:1: expected an experiment, a mapping, got nothing (null)"]),
        ("- 1\n", ["1:1: expected an experiment, a mapping, got a list"]),
        ("a: 1\na: 2\n", ['2:1: the key "a" stands twice in one mapping']),
        ("a: [1\n", ["2:1: the file ends inside the document (truncated?): did not find expected ',' or ']'"]),
        (
            "schema: kernbench.experimant/1\nid: A\ntitle: ''\nadr: 40\nclams: 1\n" + TCM + ONE,
            [
                '1:1: missing key "claims"',
                '1:9: schema: unknown schema (allowed: kernbench.experiment/1; did you mean "kernbench.experiment/1"?)',
                "2:5: id: it is no id (allowed: small letters, digits and single hyphens, such as ring-depth)",
                '3:8: title: it is empty (allowed: one or more)',
                '4:6: adr: it is no number of a record (allowed: four digits in quotes, such as "0040")',
                '5:1: unknown key "clams" (allowed: schema, id, title, adr, parts, base, variants, claims; '
                'did you mean "claims"?)',
            ],
        ),
        (HEAD + "base: 3\n" + ONE + CLAIM, ["4:7: base: should be a valid dictionary, not the number 3"]),
        (HEAD + "base: {part: tcm}\n" + ONE + CLAIM, ['4:7: missing key "work"']),
        (
            HEAD + "base: {work: request}\n" + ONE + CLAIM,
            [
                '4:14: unknown work "request" '
                '(allowed: closed_loop, on_device, on_memory, program, requests; did you mean "requests"?)',
            ],
        ),
        (
            HEAD + TCM + "variants: {each: {}, a b: {}, max: {}, c: 3}\n" + claim("finish_ns(c) > 0"),
            [
                "8:12: variants.each: it cannot be a variant's name (allowed: one word, as a formula has it, but each)",
                "8:22: variants.a b: it cannot be a variant's name (allowed: one word, as a formula has it, but each)",
                "8:31: variants.max: it cannot be a variant's name (allowed: one word, as a formula has it, but each)",
                "8:43: variants.c: should be a valid dictionary, not the number 3",
            ],
        ),
        (HEAD + TCM + "variants: {}\n" + CLAIM, [
            "8:11: variants: it is empty (allowed: one or more)"
        ]),
        (
            HEAD + TCM + "variants: {one: {work: program}, two: {tiles: 3}}\n" + CLAIM,
            [
                "8:18: a variant cannot change the work: its results could not be compared",
                '8:40: unknown key "tiles" (allowed: work, part, impl, parameters, requests)',
            ],
        ),
        (
            HEAD + TCM + "variants: {one: {let: {part: 3}}}\n" + CLAIM,
            ['8:24: let: "part" is already a field of the set-up'],
        ),
    ],
)  # fmt: skip
def test_a_file_that_is_no_experiment(text: str, wanted: list[str], tmp_path: Path):
    assert faults(text, tmp_path) == wanted


METRICS = "finish_ns, moved_bytes, throughput_gbs, end_ns, latency_ns, busy_ns, wait_ns, given"


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("finish_n(one) > 0", [f'9:30: unknown metric "finish_n" (allowed: {METRICS}; did you mean "finish_ns"?)']),
        ("0 < finish_ns(on)", ['9:44: unknown variant "on" (allowed: one, each; did you mean "one"?)']),
        (
            "nix(one) == finish_ns(tow)",
            [
                f'9:30: unknown metric "nix" (allowed: {METRICS})',
                '9:52: unknown variant "tow" (allowed: one, each)',
            ],
        ),
        ("finish_ns(one) + > 0", ["9:47: not a formula: invalid syntax"]),
        ("finish_ns(one)", ['9:30: "finish_ns(one)" is a number, not true or false']),
        ("finish_ns(one, a) > 0", ['9:30: "finish_ns(one, a)" should be finish_ns(variant): end of the last request']),
        (
            "end_ns(one) > 0",
            ['9:30: "end_ns(one)" should be end_ns(variant, stream): end of the stream\'s last request'],
        ),
        ("finish_ns() > 0", ['9:30: "finish_ns()" should be finish_ns(variant): end of the last request']),
        ("one > 0", ['9:30: "one" alone is no number (a result is read as metric(variant))']),
        ("1 > 0", ["9:30: it reads no result, so it holds or fails whatever is run"]),
        ("finish_ns(one) > 1 / (2 - 2)", ['9:52: division by zero: "2 - 2" is 0']),
        ("1 / (finish_ns(one) - 1) > 0", ['9:35: division by zero: "finish_ns(one) - 1" is 0']),
        ("end_ns(one, b) > 0", ['9:42: unknown name in variant one: "b" (allowed: a)']),
        ("given(each, x) > 0", ['9:42: unknown name in variant one: "x" (allowed: n)']),
    ],
)
def test_a_claim_that_cannot_be_judged(formula: str, wanted: list[str], tmp_path: Path):
    assert faults(HEAD + TCM + "  let: {n: 1}\n" + claim(formula) + ONE, tmp_path) == wanted


def test_all_claims_and_all_variants_are_checked_before_anything_runs(tmp_path: Path):
    text = (
        HEAD
        + TCM
        + "variants:\n"
        + "  one: {impl: dual_chanel}\n"
        + "  two: {parameters: {read_bw: 3, write_bw_gbs: -1}}\n"
        + "  three: {requests: [{name: a, direction: up, nbytes: 1}, {name: a, nbytes: x, direction: read}]}\n"
        + "  four: {part: tmc}\n"
        + "claims:\n"
        + "- {says: s, formula: finish_ns(none) > 0}\n"
        + "- says: folded\n"
        + "  formula: >\n"
        + "    finish_ns(one) > 0\n"
        + "    and finish_ns(zero) > 0\n"
    )
    assert faults(text, tmp_path) == [
        '9:15: unknown impl "dual_chanel" of tcm (allowed: dual_channel, shared_channel, two_banks; '
        'did you mean "dual_channel"?)',
        "10:22: read_bw: unknown parameter (allowed: read_bw_gbs, write_bw_gbs, overhead_ns; "
        'did you mean "read_bw_gbs"?)',
        "10:34: write_bw_gbs: must be 0 or more, not -1",
        "11:43: requests.0.direction: should be 'read' or 'write', not the text \"up\"",
        '11:77: requests.1.nbytes: should be a valid integer, not the text "x"',
        '12:16: no requests can be sent to "tmc" (allowed: tcm; did you mean "tcm"?)',
        '14:32: unknown variant "none" (allowed: one, two, three, four, each; did you mean "one"?)',
        '16:12: unknown variant "zero" (allowed: one, two, three, four, each) (character 34 of the text)',
    ]


def test_a_fault_of_the_base_is_told_once_and_that_of_a_variant_where_it_stands(tmp_path: Path):
    text = HEAD + TCM.replace("512", "-1") + "  impl: nix\n" + "variants: {one: {}, two: {impl: yes1}}\n" + CLAIM
    assert faults(text, tmp_path) == [
        "7:49: requests.0.nbytes: should be greater than or equal to 0, not the number -1",
    ]
    text = text.replace("-1", "1")
    known = "of tcm (allowed: dual_channel, shared_channel, two_banks)"
    assert faults(text, tmp_path) == [
        f'8:9: unknown impl "nix" {known}',
        f'9:33: unknown impl "yes1" {known}',
    ]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ("arch: gen4", ['10:24: unknown arch "gen4" (allowed: inferentia, sunda, gen3, core_v4, trn1, trn2, trn3; '
                        'did you mean "gen3"?)']),
        ("arch: null", ['5:3: missing key "arch" (instructions do not say for which generation they are)']),
        ("timing: fast", ['10:26: unknown timing "fast" (allowed: hwm, public)']),
        ("model: perf", ["10:25: model: should be 'machine' or 'perfsim', not the text \"perf\""]),
        ("program: p.yaml", ["5:3: a program is either a file (program: FILE) or a list (instructions: [...])"]),
        ("instructions: null", ["5:3: a program is either a file (program: FILE) or a list (instructions: [...])"]),
        ("options: {barriers: false}",
         ["10:27: options are PerfSim's (with model: perfsim; the machine's rules are in core)"]),
        ("model: perfsim, core: {coupled: true}",
         ["10:40: core is the machine's (with model: machine; PerfSim's rules are in options)"]),
        ("core: {coupld: true, psum_banks: 9, ring_depths: {13: 1, x: 2, 4: 0}}",
         [
             '10:25: unknown key "coupld" (allowed: compute_overlap_ns, dma_overlap_ns, ring_depths, psum_banks, '
             'coupled, collective_shares, barrier_lanes, early_ordered, semaphore_latency_ns, impls; '
             'did you mean "coupled"?)',
             "10:51: psum_banks: should be less than or equal to 8, not the number 9",
             '10:68: ring_depths.13: should be less than or equal to 12, not the text "13"',
             '10:75: ring_depths.x: should be a valid integer, unable to parse string as an integer, not the text "x"',
             "10:84: ring_depths.4: should be greater than or equal to 1, not the number 0",
         ]),
        ("core: {psum_banks: 2}", ["10:37: the program touches PSUM bank 3, beyond the core's 2"]),
        ("core: {impls: {psum_bank: mine}}",
         ['10:44: unknown impl "mine" of psum_bank (allowed: program_order)']),
        ("core: {impls: {tcm: dual_channel}}",
         ["10:33: impls.tcm: should be 'engine', 'barrier_lane', 'descriptor_ring', 'psum_bank' or 'semaphore', "
          'not the text "tcm"']),
        ("core: {barrier_lanes: [PE, PEE]}",
         ["10:45: barrier_lanes.1: should be 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 or 11, not the text \"PEE\""]),
        ("model: perfsim, options: {barrier: 1}",
         ['10:44: unknown key "barrier" (allowed: ring_depths, compute_overlap_ns, dma_overlap_ns, pool_dve_coupling, '
          'engine_order, barriers, psum_banks, collective_share, collective_reflow, reflow_new_weight, '
          'reflow_old_weight; did you mean "barriers"?)']),
        ("instructions: [{name: a, opcode: Matmul, engine: PE}]",
         None),
    ],
)  # fmt: skip
def test_a_program_that_cannot_run(changes: str, wanted: list[str] | None, tmp_path: Path):
    text = HEAD + PROGRAM + f"variants: {{one: {{{changes}}}}}\n" + claim("makespan_ns(one) > 0")
    found = faults(text, tmp_path)
    if wanted is None:
        assert found[0].startswith('10:51: instruction a: unknown opcode "Matmul" (allowed: ')
        assert len(found) == 1
    else:
        assert found == wanted


def test_a_fault_inside_a_loop_names_the_instruction_and_stands_where_it_is_written(tmp_path: Path):
    text = (
        HEAD
        + "base:\n  work: program\n  arch: gen3\n  instructions:\n"
        + "  - for: {k: 2}\n"
        + "    do:\n"
        + '    - {name: "a{k}", opcode: NoOp, engine: PE, cost: 1, dependencies: ["b{k}"]}\n'
        + ONE
        + claim("makespan_ns(one) > 0")
    )
    found = faults(text, tmp_path)
    assert [line.partition(" (")[0] for line in found] == [
        '10:72: instruction a0: depends on unknown instruction "b0"',
        '10:72: instruction a1: depends on unknown instruction "b1"',
    ]


def test_a_program_file_keeps_its_own_places(tmp_path: Path):
    (tmp_path / "p.yaml").write_text("schema: kernbench.stream/1\nname: p\narch: gen33\n")
    path = tmp_path / "x.yaml"
    path.write_text(
        HEAD + "base: {work: program, program: p.yaml}\nvariants: {one: {}, two: {}}\n" + claim("makespan_ns(one) > 0")
    )
    with pytest.raises(InputError) as caught:
        load_experiment(path)
    assert [str(p).partition(" (")[0] for p in caught.value.problems] == [
        f'{tmp_path / "p.yaml"}:3:7: unknown arch "gen33"'
    ]


def test_a_program_file_of_several_blocks_is_refused(tmp_path: Path):
    blocks = "blocks: [{name: a, instructions: []}, {name: b, instructions: []}]"
    (tmp_path / "p.yaml").write_text(
        f"schema: kernbench.stream/1\nname: p\narch: gen3\nfunctions: [{{name: f, {blocks}}}]\n"
    )
    text = HEAD + "base: {work: program, program: p.yaml}\n" + ONE + claim("makespan_ns(one) > 0")
    assert faults(text, tmp_path) == ["4:32: the program has 2 blocks (allowed: one)"]


def test_what_the_machine_refuses_is_told_with_its_variant(tmp_path: Path):
    text = (
        HEAD
        + "base:\n  work: program\n  arch: gen3\n  instructions:\n"
        + "  - {name: cc, opcode: CollectiveCompute, engine: Pool, cost: 1, stream_id: 2}\n"
        + ONE
        + claim("makespan_ns(one) > 0")
    )
    (found,) = faults(text, tmp_path)
    assert found.startswith("9:12: instruction cc: variant one: collective stream 2 has no bandwidth")


def test_a_claim_about_an_instruction_that_is_not_there(tmp_path: Path):
    text = HEAD + PROGRAM + ONE + claim('end_ns(one, "cp 2") > 0')
    assert faults(text, tmp_path) == [
        '11:42: unknown name in variant one: "cp 2" (allowed: mm, cp 1; did you mean "cp 1"?)'
    ]


def test_a_throughput_without_time_has_no_value(tmp_path: Path):
    text = HEAD + TCM + "  parameters: {read_bw_gbs: 0}\n" + ONE + claim("throughput_gbs(one) > 0")
    assert faults(text, tmp_path) == ["10:30: throughput_gbs has no value in variant one"]
