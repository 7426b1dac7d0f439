"""Each fault of an instruction is reported at its place, with what is allowed and the nearest word."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.program.read import load_program
from tests.simcore.program.marked import assert_problems, stream_json, stream_yaml

A = '"name": "a", "opcode": "Load", "engine": "DMA"'
B = '"name": "b", "opcode": "Load", "engine": "DMA"'
SB = '"space": "SB", "partitions": 128, "elements": 512, "dtype": "bfloat16"'
PSUM = '"space": "PSUM", "partitions": 128, "elements": 512, "dtype": "float32"'
TRIGGER = '"name": "t", "opcode": "DMATrigger", "engine": "SP"'
LOOP = '"name": "l", "opcode": "Loop", "engine": "SP"'
MAX = 10**12

OPCODES = (
    "(allowed: Generic, GenericCopy, GenericRelu, AbstractCopy, Activation, ReadActivationAccumulator, LoadActFuncSet, "
    "MatmultBase, Matmult, MatmultSparse, Memset, GetGlobalRankId and 98 more"
)
KEYS = (
    "(allowed: name, opcode, engine, ins, outs, dependencies, cost, psum_reads, psum_writes, psum_writer, region, "
    "stream_id and 20 more"
)
KINDS = "(allowed: Invalid, Ordered, Anti, Output, Flow, or 0 to 4"
DTYPES = (
    "(allowed: uint8, int8, float4_e2m1fn_x4, float8e3, float8e4, float8_e4m3fn, float8_e8m0fnu, float8e5, "
    "float8_e4m3fn_x4, float8_e5m2_x4, uint16, int16 and 8 more"
)
TRANSFERS = (
    "(allowed: DMA, Load, Save, DMACopy, ReadVarAddr, GenericIndirectLoad, IndirectLoad, GenericIndirectSave, "
    "IndirectSave, IndirectSaveAccumulate, DMADescriptor, DMADescriptorCopy, DMADescriptorCCE, DMADescriptorTranspose, "
    "DMADescriptorReplicate)"
)

CASES: dict[str, tuple[list[str], list[str]]] = {
    "unknown opcode": (
        ['{"name": "a", "opcode": «"Lod", "engine": "DMA"}'],
        [f'instruction a: unknown opcode "Lod" {OPCODES}; did you mean "Load"?)'],
    ),
    "unknown engine": (
        ['{"name": "a", "opcode": "Load", "engine": «"DMX"}'],
        [
            'instruction a: unknown engine "DMX" (allowed: Unassigned, Pool, Activation, PE, DMA, DVE, SP, ALL; '
            'did you mean "DMA"?)'
        ],
    ),
    "unknown key": (
        [f'{{{A}, «"costs": 3}}'],
        [f'instruction a: unknown key "costs" {KEYS}; did you mean "cost"?)'],
    ),
    "missing keys": (
        ['««{"opcode": "Load"}', '«{"name": "b", "engine": "PE"}'],
        ['missing key "name"', 'missing key "engine"', 'instruction b: missing key "opcode"'],
    ),
    "duplicate name": (
        [f"{{{A}}}", f"{{{A.replace(chr(34) + 'a', '«' + chr(34) + 'a', 1)}}}"],
        ['instruction a: duplicate name "a" (names are unique in a block)'],
    ),
    "duplicate name in a transfer": (
        [f"{{{A}}}", f'{{{TRIGGER}, "transfer": {{"name": «"a", "opcode": "Load", "engine": "DMA"}}}}'],
        ['instruction a: duplicate name "a" (names are unique in a block)'],
    ),
    "unprintable and empty names": (
        [
            '{"name": «"a\\u0000\\n", "opcode": "Load", "engine": "DMA"}',
            '{"name": «"", "opcode": "Load", "engine": "DMA"}',
        ],
        ['instruction a\\x00\\n: name: "a\\x00\\n" is not printable', 'name: "" is empty'],
    ),
    "dependency on an unknown": (
        [f'{{{A}, "dependencies": [[«"bb", "Flow"], «"zzz"]}}', f"{{{B}}}"],
        [
            'instruction a: depends on unknown instruction "bb" (did you mean "b"?)',
            'instruction a: depends on unknown instruction "zzz" (allowed: names of earlier instructions in the block)',
        ],
    ),
    "dependency on itself": (
        [f'{{{A}, "dependencies": [«"a"]}}'],
        ["instruction a: depends on itself"],
    ),
    "dependency forward": (
        [f'{{{A}, "dependencies": [[«"b", "Anti"]]}}', f"{{{B}}}"],
        ['instruction a: depends on "b", which comes later in the block (allowed: earlier instructions)'],
    ),
    "dependency cycle": (
        [f'{{{A}, "dependencies": [[«"b", "Anti"]]}}', f'{{{B}, "dependencies": ["a"]}}'],
        ["instruction a: dependency cycle: a -> b -> a"],
    ),
    "dependency kinds": (
        [f"{{{A}}}", f'{{{B}, "dependencies": [["a", «"Flw"], ["a", «5], ["a", «true], ["a", «null]]}}'],
        [
            f'instruction b: unknown dependency kind "Flw" {KINDS}; did you mean "Flow"?)',
            f"instruction b: unknown dependency kind 5 {KINDS})",
            f"instruction b: unknown dependency kind true {KINDS})",
            f"instruction b: unknown dependency kind nothing (null) {KINDS})",
        ],
    ),
    "malformed dependencies": (
        [f"{{{A}}}", f'{{{B}, "dependencies": [«5, «["a"], «{{"a": 1}}, ["a", "Flow"]]}}'],
        [
            "instruction b: dependencies[0]: expected a name or [name, kind], got the number 5",
            "instruction b: dependencies[1]: expected a name or [name, kind], got a list",
            "instruction b: dependencies[2]: expected a name or [name, kind], got a mapping",
        ],
    ),
    "costs": (
        [
            '{"name": "c0", "opcode": "Load", "engine": "DMA", "cost": «-1}',
            '{"name": "c1", "opcode": "Load", "engine": "DMA", "cost": «true}',
            '{"name": "c2", "opcode": "Load", "engine": "DMA", "cost": «1.5}',
            '{"name": "c3", "opcode": "Load", "engine": "DMA", "cost": «300.0}',
            '{"name": "c4", "opcode": "Load", "engine": "DMA", "cost": «"3"}',
            '{"name": "c5", "opcode": "Load", "engine": "DMA", "cost": «1000000000001}',
            '{"name": "c6", "opcode": "Load", "engine": "DMA", "cost": «[1]}',
            '{"name": "c7", "opcode": "Load", "engine": "DMA", "cost": null}',
        ],
        [
            f"instruction c0: cost: -1 is negative (allowed: 0 to {MAX})",
            f"instruction c1: cost: true is a boolean, not a number (allowed: 0 to {MAX})",
            f"instruction c2: cost: 1.5 is not a whole number (allowed: whole numbers from 0 to {MAX})",
            f"instruction c3: cost: 300.0 is written as a fraction; write 300 (allowed: whole numbers from 0 to {MAX})",
            f'instruction c4: cost: expected a whole number, got the text "3" (allowed: 0 to {MAX})',
            f"instruction c5: cost: 1000000000001 is out of range (allowed: 0 to {MAX})",
            f"instruction c6: cost: expected a whole number, got a list (allowed: 0 to {MAX})",
        ],
    ),
    "small numbers": (
        [
            f'{{{A}, "stream_id": «4, "queue": «13, "region": «-1, "latency_estimate": «-5}}',
            f'{{{B}, "psum_reads": [0, «8], "psum_writes": [«-1, «true], "region": «null}}',
        ],
        [
            "instruction a: stream_id: 4 is out of range (allowed: 0 to 3)",
            "instruction a: queue: 13 is out of range (allowed: 0 to 12)",
            "instruction a: region: -1 is negative (allowed: 0 to 2147483647)",
            f"instruction a: latency_estimate: -5 is negative (allowed: 0 to {MAX})",
            "instruction b: psum_reads[1]: 8 is out of range (allowed: 0 to 7)",
            "instruction b: psum_writes[0]: -1 is negative (allowed: 0 to 7)",
            "instruction b: psum_writes[1]: true is a boolean, not a number (allowed: 0 to 7)",
            "instruction b: region: expected a whole number, got nothing (null) (allowed: 0 to 2147483647)",
        ],
    ),
    "words": (
        [f'{{{A}, "kind": «"AllReduc", "perf_mode": «"Double", "dge_type": «"hw", "op": «"", "mode": «7}}'],
        [
            'instruction a: unknown collective kind "AllReduc" (allowed: SendRecv, SendRecvCCE, AllReduce, '
            "ReduceScatter, AllGather, AllToAll, AllToAllV, Permute, PermuteReduce, PermuteImplicit, "
            'PermuteReduceImplicit, or 0 to 10; did you mean "AllReduce"?)',
            'instruction a: unknown perf_mode "Double" (allowed: None, DoubleRow, DoubleColumn, DoublePixel, '
            'DoubleRowSwInterleave; did you mean "DoubleRow"?)',
            'instruction a: unknown dge_type "hw" (allowed: none, swdge, hwdge, unassigned)',
            'instruction a: op: "" is empty',
            "instruction a: mode: expected text, got the number 7",
        ],
    ),
    "flags and constants": (
        [
            f'{{{A}, "is_local": «1, "psum_writer": «null, "constant": «9223372036854775808}}',
            f'{{{B}, "constant": «"x"}}',
        ],
        [
            "instruction a: is_local: expected true or false, got the number 1",
            "instruction a: psum_writer: expected true or false, got nothing (null)",
            "instruction a: constant: 9223372036854775808 is out of range "
            "(allowed: -9223372036854775807 to 9223372036854775807)",
            'instruction b: constant: expected a number, got the text "x"',
        ],
    ),
    "operand words and ranges": (
        [
            f'{{{A}, "ins": [{{"space": «"PSM", "partitions": «129, "elements": «-1, "dtype": «"float31"}}, «5],'
            ' "outs": [«{"space": "SB", "partitions": «0, "elements": 1, "addr": «-4, "bank": «8, «"adr": 1}]}',
        ],
        [
            'instruction a: unknown space "PSM" (allowed: Unallocated, Input, Output, DRAM, SB, PSUM, RNGSTATE, REG; '
            'did you mean "PSUM"?)',
            "instruction a: partitions: 129 is out of range (allowed: 1 to 128)",
            f"instruction a: elements: -1 is negative (allowed: 0 to {MAX})",
            f'instruction a: unknown dtype "float31" {DTYPES}; did you mean "float32"?)',
            "instruction a: ins[1]: expected a mapping, got the number 5",
            'instruction a: missing key "dtype"',
            "instruction a: partitions: 0 is out of range (allowed: 1 to 128)",
            "instruction a: addr: -4 is negative (allowed: 0 to 4503599627370496)",
            "instruction a: bank: 8 is out of range (allowed: 0 to 7)",
            'instruction a: unknown key "adr" (allowed: space, partitions, elements, dtype, addr, bank, free, '
            'symbolic, tensor; did you mean "addr"?)',
        ],
    ),
    "banks reached": (
        [
            f'{{{A}, "outs": [«{{{PSUM.replace("512", "513")}, "bank": 7}}, «{{{PSUM}, "addr": 16384}}]}}',
            f'{{{B}, "outs": [«{{{PSUM.replace("512", "2")}, "bank": 7, "free": [[512, 2]]}}, {{{PSUM}, "bank": 7}}]}}',
        ],
        [
            "instruction a: reaches PSUM bank 8 (allowed: 0 to 7 on gen3)",
            "instruction a: reaches PSUM bank 8 (allowed: 0 to 7 on gen3)",
            "instruction b: reaches PSUM bank 8 (allowed: 0 to 7 on gen3)",
        ],
    ),
    "free patterns": (
        [
            f'{{{A}, "ins": [{{{SB}, "free": «[]}}, {{{SB}, "free": [[1, «0], [«-1, 512]]}}],'
            f' "outs": [{{{SB}, "free": [«[1], «7]}}]}}',
            f'{{{B}, "ins": [{{{SB}, "free": «[[512, 2], [1, 128]]}}]}}',
        ],
        [
            "instruction a: free: an empty pattern (leave the key out for a contiguous access)",
            f"instruction a: free[0][1]: 0 is out of range (allowed: 1 to {MAX})",
            f"instruction a: free[1][0]: -1 is negative (allowed: 0 to {MAX})",
            "instruction a: free[0]: expected a [step, num] pair",
            "instruction a: free[1]: expected a [step, num] pair",
            "instruction b: free covers 256 elements, not 512",
        ],
    ),
    "trigger without transfer": (
        [f"«{{{TRIGGER}}}"],
        ['instruction t: DMATrigger without transfer (a DMATrigger needs the key "transfer")'],
    ),
    "transfers where none belong": (
        [
            f'{{{A}, «"transfer": {{{B}}}}}',
            f'{{{TRIGGER}, "transfer": {{"name": "u", "opcode": «"Matmult", "engine": "PE", «"body": []}}}}',
        ],
        [
            "instruction a: transfer belongs to a DMATrigger, not to Load",
            f"instruction u: opcode Matmult cannot be a transfer {TRANSFERS}",
            "instruction u: body belongs to a Loop, not to Matmult",
        ],
    ),
    "loops": (
        [
            f'«{{{LOOP}, "trip_count": «0, «"cost": 3, «"outs": [{{{SB}}}]}}',
            f'{{{A}, «"trip_count": 2, «"body": []}}',
        ],
        [
            'instruction l: Loop without body (a Loop needs the key "body")',
            f"instruction l: trip_count: 0 is out of range (allowed: 1 to {MAX})",
            "instruction l: a Loop has no cost of its own",
            "instruction l: a Loop has no outs of its own",
            "instruction a: trip_count belongs to a Loop, not to Load",
            "instruction a: body belongs to a Loop, not to Load",
        ],
    ),
    "inside a misspelt loop": (
        ['{"name": "l", "opcode": «"Lop", "engine": "SP", "body": [{"name": "q", "opcode": «"Nop", "engine": "SP"}]}'],
        [
            f'instruction l: unknown opcode "Lop" {OPCODES}; did you mean "Loop"?)',
            f'instruction q: unknown opcode "Nop" {OPCODES}; did you mean "NoOp"?)',
        ],
    ),
    "dependency on and in loops": (
        [
            f'{{{LOOP}, "dependencies": [«"inner"], "body": [{{"name": "inner", "opcode": "NoOp", "engine": "SP",'
            ' "dependencies": ["l", «"m"]}]}',
            '{"name": "m", "opcode": "Loop", "engine": "SP", "body": [], "dependencies": ["l"]}',
        ],
        [
            "instruction l: dependency cycle: l -> inner -> l",
            'instruction inner: depends on "m", which comes later in the block (allowed: earlier instructions)',
        ],
    ),
    "not an instruction": (
        ["«5", '«"a"', "«[]"],
        [
            "instructions[0]: expected a mapping, got the number 5",
            'instructions[1]: expected a mapping, got the text "a"',
            "instructions[2]: expected a mapping, got a list",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fault_in_yaml_is_reported_at_its_place(case: str, tmp_path: Path) -> None:
    instructions, messages = CASES[case]
    assert_problems(tmp_path, stream_yaml(*instructions), *messages)


@pytest.mark.parametrize("case", CASES)
def test_a_fault_in_json_is_reported_at_its_place(case: str, tmp_path: Path) -> None:
    instructions, messages = CASES[case]
    assert_problems(tmp_path, stream_json(*instructions), *messages)


def test_all_faults_of_a_file_are_reported_at_once_and_in_its_order(tmp_path: Path) -> None:
    text = """\
schema: «kernbench.stream/9
name: «""
arch: «gen4
arch_version: «-1
modular_flow_runs: «0
«funtions: []
functions:
- name: f
  blocks:
  - {name: b, instructions: [{name: x, opcode: «Nop, engine: SP, dependencies: [«y]}]}
  - {name: «b, instructions: «7}
- {name: «f, blocks: «3}
"""
    messages = [
        'unknown schema "kernbench.stream/9" (allowed: kernbench.stream/1; did you mean "kernbench.stream/1"?)',
        'name: "" is empty',
        'unknown arch "gen4" (allowed: inferentia, sunda, gen3, core_v4, trn1, trn2, trn3; did you mean "gen3"?)',
        "arch_version: -1 is negative (allowed: 0 to 99)",
        "modular_flow_runs: 0 is out of range (allowed: 1 to 1000000)",
        'unknown key "funtions" (allowed: schema, name, arch, arch_version, modular_flow_runs, origin, functions; '
        'did you mean "functions"?)',
        f'instruction x: unknown opcode "Nop" {OPCODES}; did you mean "NoOp"?)',
        'instruction x: depends on unknown instruction "y" (allowed: names of earlier instructions in the block)',
        'duplicate name "b" (names are unique among blocks)',
        "instructions: expected a list, got the number 7",
        'duplicate name "f" (names are unique among functions)',
        "blocks: expected a list, got the number 3",
    ]
    assert_problems(tmp_path, text, *messages)


@pytest.mark.parametrize(
    ("json_word", "yaml_word", "what"),
    [
        ("NaN", ".nan", "nan is not a number"),
        ("Infinity", ".inf", "inf is infinite"),
        ("-Infinity", "-.inf", "-inf is infinite"),
    ],
)
def test_numbers_that_are_none_are_refused_by_name(json_word: str, yaml_word: str, what: str, tmp_path: Path) -> None:
    message = f"instruction a: cost: {what} (allowed: whole numbers from 0 to {MAX})"
    assert_problems(tmp_path, stream_json(f'{{{A}, "cost": «{json_word}}}'), message)
    assert_problems(tmp_path, stream_yaml(f'{{{A}, "cost": «{yaml_word}}}'), message)
    constant = f"instruction a: constant: {what.split()[0]} is not a finite number"
    assert_problems(tmp_path, stream_json(f'{{{A}, "constant": «{json_word}}}'), constant)
    assert_problems(tmp_path, stream_yaml(f'{{{A}, "constant": «{yaml_word}}}'), constant)


def test_an_exponent_makes_a_number_a_fraction_in_json_and_a_text_in_yaml(tmp_path: Path) -> None:
    line = f'{{{A}, "cost": «1e3}}'
    fraction = f"1000.0 is written as a fraction; write 1000 (allowed: whole numbers from 0 to {MAX})"
    assert_problems(tmp_path, stream_json(line), f"instruction a: cost: {fraction}")
    text = f'expected a whole number, got the text "1e3" (allowed: 0 to {MAX})'
    assert_problems(tmp_path, stream_yaml(line), f"instruction a: cost: {text}")


def test_huge_numbers_are_refused_without_being_written_out(tmp_path: Path) -> None:
    digits = "9" * 4000
    message = f"instruction a: cost: a number of 13288 bits is out of range (allowed: 0 to {MAX})"
    assert_problems(tmp_path, stream_json(f'{{{A}, "cost": «{digits}}}'), message)
    assert_problems(tmp_path, stream_yaml(f'{{{A}, "cost": «{digits}}}'), message)


@pytest.mark.parametrize(("arch", "message"), [("sunda", "sunda"), ("trn1", "sunda"), ("inferentia", "inferentia")])
def test_hardware_descriptor_generation_is_refused_where_there_is_none(arch: str, message: str, tmp_path: Path) -> None:
    line = f'{{{A}, "dge_type": «"hwdge"}}'
    expected = f"instruction a: hwdge does not exist on {message} (allowed: none, swdge)"
    assert_problems(tmp_path, stream_json(line, arch=arch), expected)
    assert_problems(tmp_path, stream_yaml(line, arch=arch), expected)


def test_banks_are_those_of_the_generation(tmp_path: Path) -> None:
    line = f'{{{A}, "psum_writes": [«4], "outs": [{{{PSUM}, "bank": «4}}]}}'
    messages = [f"instruction a: {key}: 4 is out of range (allowed: 0 to 3)" for key in ("psum_writes[0]", "bank")]
    assert_problems(tmp_path, stream_json(line, arch="inferentia"), *messages)


def nested_loops(depth: int, innermost: str) -> str:
    """That many loops around an instruction, in one line."""
    opened = "".join(f'{{"name": "l{k}", "opcode": "Loop", "engine": "SP", "body": [' for k in range(depth))
    return f"{opened}{innermost}{']}' * depth}"


def test_loops_nest_64_deep_and_no_deeper(tmp_path: Path) -> None:
    path = tmp_path / "deep"
    for text in (stream_json(nested_loops(64, f"{{{A}}}")), stream_yaml(nested_loops(64, f"{{{A}}}"))):
        path.write_text(text)
        assert len(load_program(path).blocks[0][1].columns.loops) == 64
    marked = nested_loops(65, f"{{{A}}}").replace('{"name": "l64"', '«{"name": "l64"')
    message = "instruction l64: loops nest deeper than 64"
    assert_problems(tmp_path, stream_json(marked), message)
    assert_problems(tmp_path, stream_yaml(marked), message)


def test_a_long_cycle_is_shown_in_part(tmp_path: Path) -> None:
    names = [f"n{k}" for k in range(20)]
    lines = [
        f'{{"name": "{name}", "opcode": "NoOp", "engine": "SP", "dependencies": ["{names[k - 1]}"]}}'
        for k, name in enumerate(names)
    ]
    lines[0] = lines[0].replace("[", "[«")
    shown = "n0 -> n19 -> n18 -> n17 -> n16 -> n15 -> (14 more) -> n0"
    assert_problems(tmp_path, stream_json(*lines), f"instruction n0: dependency cycle: {shown}")


def test_a_block_has_room_for_255_words_and_no_more(tmp_path: Path) -> None:
    lines = [f'{{"name": "n{k}", "opcode": "NoOp", "engine": "SP", "op": "w{k}"}}' for k in range(256)]
    lines[255] = lines[255].replace('"w255"', '«"w255"')
    message = 'instruction n255: op: "w255" is one word too many (allowed: 255 different words in a block)'
    assert_problems(tmp_path, stream_json(*lines), message)


def test_an_instruction_has_room_for_65535_operands(tmp_path: Path) -> None:
    operands = ",".join([f"{{{SB}}}"] * 65536)
    message = "instruction a: 65536 operands (allowed: 65535)"
    assert_problems(tmp_path, stream_json(f'«{{{A}, "ins": [{operands}]}}'), message)


def test_a_file_that_is_wrong_throughout_gets_a_nearest_word_for_its_first_500_words(tmp_path: Path) -> None:
    lines = [f'{{"name": "n{k}", "opcode": «"Matmul{k}", "engine": "PE"}}' for k in range(502)]
    guess = '; did you mean "Matmult"?'
    messages = [
        f'instruction n{k}: unknown opcode "Matmul{k}" {OPCODES}{guess if k < 500 else ""})' for k in range(502)
    ]
    assert_problems(tmp_path, stream_json(*lines), *messages)


def test_a_message_stays_on_one_line_and_is_cut_when_long(tmp_path: Path) -> None:
    line = f'{{{A}, "source": «"{"m" * 76}\\nmmmm", "op": «"\\n"}}'
    messages = [
        f'instruction a: source: "{"m" * 76}\\n..." is not printable',
        'instruction a: op: "\\n" is not printable',
    ]
    assert_problems(tmp_path, stream_json(line), *messages)
