"""The columns file: what it looks like, how it is read, and what it is refused for."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from simcore.errors import InputError
from simcore.program.build import program_from_record
from simcore.program.columns import Columns
from simcore.program.instruction import BlockRecord, FunctionRecord, Instruction, Operand, ProgramRecord
from simcore.program.npz import check_block, check_operands, name_text, program_from_npz, read_npz, write_npz
from simcore.program.npz.head import MEMBERS
from simcore.program.program import Program
from simcore.program.read import load_program, program_from_bytes
from tests.simcore.program.marked import problems_of
from tests.simcore.program.sameness import assert_same, npz_bytes
from tests.simcore.program.strategies import program_records


def operand(space: str, **fields: Any) -> Operand:
    return Operand(space=space, partitions=128, elements=512, dtype="float32", **fields)


def example() -> Program:
    """Two blocks with something of everything."""
    load = Instruction(name="ld", opcode="Load", engine="DMA", outs=[operand("SB", addr=0)], source="k.py:3")
    trigger = Instruction(name="t", opcode="DMATrigger", engine="SP", queue=3, dependencies=["ld"])
    trigger.transfer = Instruction(name="x", opcode="DMACopy", engine="DMA", cost=70)
    matmult = Instruction(
        name="mm",
        opcode="Matmult",
        engine="PE",
        dependencies=[("ld", "Flow"), ("x", "Anti")],
        ins=[operand("SB", addr=0, free=[(1024, 2), (1, 256)])],
        outs=[operand("PSUM", bank=2)],
        op="add",
    )
    loop = Instruction(name="loop", opcode="Loop", engine="SP", trip_count=4, body=[matmult])
    last = Instruction(name="end", opcode="NoOp", engine="SP", dependencies=[("loop", "Ordered"), "mm"])
    blocks = [BlockRecord(name="b0", instructions=[load, trigger, loop, last]), BlockRecord(name="b1")]
    blocks.append(BlockRecord(name="b2", instructions=[Instruction(name="ld", opcode="NoOp", engine="PE")]))
    return program_from_record(
        ProgramRecord(name="p", arch="trn2", functions=[FunctionRecord(name="f", blocks=blocks)])
    )


def members_of(data: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(data)) as file:
        return {name: file[name].copy() for name in file.files}


def packed(members: dict[str, Any], *, compressed: bool = False) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, **members)
    return buffer.getvalue()


def test_numpy_opens_the_file() -> None:
    program = example()
    members = members_of(npz_bytes(program))
    assert list(members) == ["head", *MEMBERS]
    assert members["cost_ns"].tolist() == [-1, -1, 70, -1, -1, -1]
    assert members["dep_on"].tolist() == [0, 0, 2, 3]
    assert bytes(members["names"]) == b"ld\0t\0x\0mm\0endld"
    head = json.loads(members["head"].tobytes())
    assert (head["schema"], head["name"], head["arch"], head["arch_version"]) == (
        "kernbench.columns/1",
        "p",
        "gen3",
        30,
    )
    counts = [{k: b[k] for k in ("events", "edges", "operands", "names")} for b in head["functions"][0]["blocks"]]
    assert counts == [
        {"events": 5, "edges": 4, "operands": 3, "names": 13},
        {"events": 0, "edges": 0, "operands": 0, "names": 0},
        {"events": 1, "edges": 0, "operands": 0, "names": 2},
    ]


def test_members_are_stored_aligned_and_without_a_date() -> None:
    data = npz_bytes(example())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            assert (info.compress_type, info.date_time) == (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0))
            name_bytes, extra_bytes = struct.unpack_from("<HH", data, info.header_offset + 26)
            begin = info.header_offset + 30 + name_bytes + extra_bytes
            assert begin % 64 == 0
            assert int.from_bytes(data[begin + 8 : begin + 10], "little") % 64 == 54


def arrays_of(program: Program) -> list[Any]:
    columns = [block.columns for _, block in program.blocks]
    values = [getattr(c, name) for c in columns for name in Columns.__dataclass_fields__]
    return [v for v in values if isinstance(v, np.ndarray)]


def test_a_file_is_mapped_not_read(tmp_path: Path) -> None:
    write_npz(example(), tmp_path / "p.npz")
    program = load_program(tmp_path / "p.npz")
    assert_same(program, example())
    assert program.file == str(tmp_path / "p.npz")
    for array in arrays_of(program):
        assert array.flags.aligned
        assert not array.flags.writeable
        assert not array.flags.owndata


def test_the_program_outlives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    write_npz(example(), path)
    program = load_program(path)
    path.unlink()
    assert_same(program, example())


@pytest.mark.parametrize("compressed", [False, True])
def test_files_that_numpy_wrote_are_read_too(compressed: bool, tmp_path: Path) -> None:
    data = packed(members_of(npz_bytes(example())), compressed=compressed)
    path = tmp_path / "p.npz"
    path.write_bytes(data)
    assert_same(read_npz(str(path)), example())
    assert all(array.flags.aligned for array in arrays_of(read_npz(str(path))))
    assert_same(program_from_bytes(data, "p"), example())


def test_an_empty_program_and_empty_blocks_are_kept() -> None:
    for functions in ([], [FunctionRecord(name="f")], [FunctionRecord(name="f", blocks=[BlockRecord(name="b")])]):
        program = program_from_record(ProgramRecord(name="p", arch="gen3", functions=functions))
        assert_same(program_from_npz(npz_bytes(program), "p"), program)


@given(program_records())
@settings(max_examples=30)
def test_compiled_checks_accept_what_plain_ones_do(record: ProgramRecord) -> None:
    program = program_from_record(record)
    with pytest.MonkeyPatch.context() as patch:
        compile_always(patch)
        assert_same(program_from_npz(npz_bytes(program), "p"), program)


def compile_always(patch: pytest.MonkeyPatch) -> None:
    for module in (check_block, check_operands, name_text):
        patch.setattr(module, "SMALL", -1)


MASKS = "psum_writes: [3] the PSUM banks are neither given nor those of the operands in block f/b0"

CHANGES: dict[str, tuple[str, Any, list[str]]] = {
    "an unknown opcode": ("opcode", {0: 110}, ["opcode: [0] 110 is out of range (allowed: 0 to 109) in block f/b0"]),
    "numbers out of range": (
        "cost_ns",
        {1: -2, 4: 10**13},
        ["cost_ns: [1] -2 is out of range (allowed: -1 to 1000000000000) (2 such) in block f/b0"],
    ),
    "another block's number": ("engine", {5: 9}, ["engine: [0] 9 is out of range (allowed: 0 to 7) in block f/b2"]),
    "an unknown bit": ("flags", {0: 4096}, ["flags: [0] 4096 is out of range (allowed: 0 to 2047) in block f/b0"]),
    "an unknown word": ("op0", {0: 2}, ["op0: [0] 2 is out of range (allowed: 0 to 1) in block f/b0"]),
    "a bank beyond": ("op_bank", {2: 8}, ["op_bank: [2] 8 is out of range (allowed: -1 to 7) in block f/b0"]),
    "a forward edge": ("dep_on", {0: 1}, ["dep_on: [1] depends on itself, on a later event or on none in block f/b0"]),
    "a negative edge": (
        "dep_on",
        {3: -1},
        ["dep_on: [4] depends on itself, on a later event or on none in block f/b0"],
    ),
    "an edge twice": ("dep_on", {2: 0}, ["dep_on: [3] has two edges from one event in block f/b0"]),
    "too many edges": ("dep_count", {4: 9}, ["dep_count: the counts sum to 12, but there are 4 in block f/b0"]),
    "too many operands": ("op_count", {0: 0}, ["op_count: the counts sum to 2, but there are 3 in block f/b0"]),
    "a trigger without transfer": (
        "flags",
        {2: 0},
        ["opcode: [2] a trigger without transfer, a transfer without trigger, or a loop in block f/b0"],
    ),
    "a transfer without trigger": (
        "flags",
        {5: 1},
        ["opcode: [0] a trigger without transfer, a transfer without trigger, or a loop in block f/b2"],
    ),
    "a last trigger": (
        "opcode",
        {5: 67},
        ["opcode: [0] a trigger without transfer, a transfer without trigger, or a loop in block f/b2"],
    ),
    "a loop among the events": (
        "opcode",
        {0: 105},
        ["opcode: [0] a trigger without transfer, a transfer without trigger, or a loop in block f/b0"],
    ),
    "a transfer that cannot be one": (
        "opcode",
        {2: 8},
        ["opcode: [2] a trigger without transfer, a transfer without trigger, or a loop in block f/b0"],
    ),
    "an input after an output": (
        "op_flags",
        {1: 5, 2: 0},
        ["op_flags: [2] an input after an output in block f/b0", MASKS],
    ),
    "a stride without pattern": (
        "op_flags",
        {0: 5},
        ["op_flags: the strided operands are not those whose patterns are in the head in block f/b0"],
    ),
    "masks that are not the operands'": (
        "psum_writes",
        {3: 8},
        [MASKS],
    ),
    "an access beyond the last bank": (
        "op_elements",
        {2: 4096},
        ["op_addr: an operand reaches PSUM bank 9 (allowed: 0 to 7) in block f/b0"],
    ),
    "a name twice": ("names", {5: ord("t")}, ['names: the name "t" stands 2 times in block f/b0']),
    "an empty name": (
        "names",
        {3: 0},
        ["names: 6 names for 5 events in block f/b0", 'names: the name "" is empty in block f/b0'],
    ),
    "a name too few": ("names", {2: ord("_")}, ["names: 4 names for 5 events in block f/b0"]),
    "an unprintable name": ("names", {0: 7}, ['names: the name "\\x07d" is not printable in block f/b0']),
    "names that are no text": (
        "names",
        {0: 255},
        ["names: not UTF-8 text: invalid start byte at byte 0 in block f/b0"],
    ),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("case", CHANGES)
def test_a_wrong_element_is_refused_by_member_event_and_block(
    case: str, compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiled:
        compile_always(monkeypatch)
    member, changes, problems = CHANGES[case]
    members = members_of(npz_bytes(example()))
    for index, value in changes.items():
        members[member][index] = value
    assert problems_of(tmp_path / "p.npz", packed(members)) == problems


HEADS: dict[str, tuple[list[Any], Any, str]] = {
    "a program name": (["name"], "", 'the text "" is empty or not printable'),
    "an arch": (
        ["arch"],
        "gen4",
        'unknown arch "gen4" (allowed: inferentia, sunda, gen3, core_v4; did you mean "gen3"?)',
    ),
    "a version": (["arch_version"], 100, "arch_version: 100 is out of range (allowed: 0 to 99)"),
    "runs": (["modular_flow_runs"], 0, "modular_flow_runs: 0 is out of range (allowed: 1 to 1000000)"),
    "a type": (["arch_version"], "x", "Expected `int`, got `str` - at `$.arch_version`"),
    "a block name twice": (["functions", 0, "blocks", 1, "name"], "b0", 'a name stands twice among the blocks of "f"'),
    "a negative count": (["functions", 0, "blocks", 1, "edges"], -1, 'block "b1": a negative count'),
    "no empty word": (
        ["functions", 0, "blocks", 0, "words"],
        ["add"],
        'block "b0": words begin with an empty one, and 255 others are allowed',
    ),
    "a word twice": (
        ["functions", 0, "blocks", 0, "words"],
        ["", "add", "add"],
        'a name stands twice among the words of "b0"',
    ),
    "an unknown key": (["functions", 0, "x"], 1, "Object contains unknown field `x` - at `$.functions[0]`"),
    "extras of no event": (
        ["functions", 0, "blocks", 0, "extras", "9"],
        {"source": "x"},
        "extras of event 9, of 5 in block f/b0",
    ),
    "extras against the rules": (
        ["functions", 0, "blocks", 0, "extras", "0"],
        {"source": ""},
        "extras of event 0: an attribute breaks a rule in block f/b0",
    ),
    "extras that say nothing": (
        ["functions", 0, "blocks", 0, "extras", "0"],
        {},
        "extras of event 0: an attribute breaks a rule in block f/b0",
    ),
    "a list of no patterns": (
        ["functions", 0, "blocks", 0, "extras", "3", "free"],
        [None, None],
        "extras of event 3: an attribute breaks a rule in block f/b0",
    ),
    "a pattern that covers something else": (
        ["functions", 0, "blocks", 0, "extras", "3", "free"],
        [[[1, 2]], None],
        "extras of event 3: a pattern that does not cover the 512 elements in block f/b0",
    ),
    "a loop's name": (
        ["functions", 0, "blocks", 0, "loops", 0, "header", "name"],
        "mm",
        'a loop and an event have the name "mm" in block f/b0',
    ),
    "a loop's end": (["functions", 0, "blocks", 0, "loops", 0, "end"], 6, 'loop "loop" does not nest in block f/b0'),
    "a loop's parent": (
        ["functions", 0, "blocks", 0, "loops", 0, "parent"],
        0,
        'loop "loop" does not nest in block f/b0',
    ),
    "a loop between trigger and transfer": (
        ["functions", 0, "blocks", 0, "loops", 0, "begin"],
        2,
        'loop "loop": it is none, or parts a trigger from its transfer in block f/b0',
    ),
    "a loop that is none": (
        ["functions", 0, "blocks", 0, "loops", 0, "header", "opcode"],
        "NoOp",
        'loop "loop": it is none, or parts a trigger from its transfer in block f/b0',
    ),
    "a loop on no engine": (
        ["functions", 0, "blocks", 0, "loops", 0, "header", "engine"],
        "XX",
        "loop \"loop\": an attribute breaks a rule ('XX') in block f/b0",
    ),
    "a loop with a number out of range": (
        ["functions", 0, "blocks", 0, "loops", 0, "header", "region"],
        -1,
        'loop "loop": an attribute breaks a rule (region) in block f/b0',
    ),
    "a loop with a cost": (
        ["functions", 0, "blocks", 0, "loops", 0, "header", "cost"],
        1,
        'loop "loop": an attribute breaks a rule (a loop has no cost, operands or queue of its own) in block f/b0',
    ),
    "a loop that depends on what it holds": (
        ["functions", 0, "blocks", 0, "loops", 0, "header", "dependencies"],
        ["mm"],
        'loop "loop": a dependency on no earlier instruction, or of no kind in block f/b0',
    ),
    "a dependency on no loop": (
        ["functions", 0, "blocks", 0, "extras", "4", "loop_dependencies"],
        [["no", 1]],
        "extras of event 4: a dependency on no earlier loop, or of no kind in block f/b0",
    ),
}


@pytest.mark.parametrize("case", HEADS)
def test_a_wrong_head_is_refused(case: str, tmp_path: Path) -> None:
    path, value, problem = HEADS[case]
    members = members_of(npz_bytes(example()))
    head = json.loads(members["head"].tobytes())
    inner = head
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    members["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    assert f"head: {problem}" in problems_of(tmp_path / "p.npz", packed(members))


def test_all_problems_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    members = members_of(npz_bytes(example()))
    members["region"][0] = -5
    members["queue"][5] = 13
    del members["mode"]
    members["engine"] = members["engine"].astype(np.int16)
    members["flags"] = members["flags"][:-1]
    members["kind"] = np.zeros(3)
    members["psum_reads"] = members["psum_reads"].reshape(2, 3)
    assert problems_of(tmp_path / "p.npz", packed(members)) == [
        "kind.npy: unknown member",
        "engine: element type <i2 (allowed: |u1)",
        "flags: 5 elements (expected 6, as the head says)",
        "mode: missing",
        "psum_reads: no one-dimensional array",
    ]
    members = members_of(npz_bytes(example()))
    members["region"][0] = -5
    members["queue"][5] = 13
    assert problems_of(tmp_path / "p.npz", packed(members)) == [
        "region: [0] -5 is out of range (allowed: 0 to 2147483647) in block f/b0",
        "queue: [0] 13 is out of range (allowed: -1 to 12) in block f/b2",
    ]


def test_another_schema_is_refused(tmp_path: Path) -> None:
    members = members_of(npz_bytes(example()))
    members["head"] = np.frombuffer(b'{"schema": "kernbench.columns/2", "new": 1}', np.uint8)
    problem = (
        'head: unknown schema "kernbench.columns/2" (allowed: kernbench.columns/1; did you mean "kernbench.columns/1"?)'
    )
    assert problems_of(tmp_path / "p.npz", packed(members)) == [problem]


def test_another_npz_or_zip_is_refused(tmp_path: Path) -> None:
    problem = "no columns file: it has no member head (`kernbench convert` writes such files)"
    assert problems_of(tmp_path / "p.npz", packed({"a": np.zeros(3)})) == [problem]
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    assert problems_of(tmp_path / "p.npz", empty.getvalue()) == [problem]


def test_arrays_of_objects_are_never_loaded(tmp_path: Path) -> None:
    members = members_of(npz_bytes(example()))
    members["region"] = np.array([{}] * 6, dtype=object)
    assert problems_of(tmp_path / "p.npz", packed(members)) == ["region: element type |O (allowed: <i4)"]


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    data = npz_bytes(example())
    for size in (4, 100, len(data) // 2, len(data) - 1):
        (problem,) = problems_of(tmp_path / "p.npz", data[:size])
        assert problem.startswith("not a readable .npz file: ")


def test_a_damaged_compressed_member_is_refused(tmp_path: Path) -> None:
    data = bytearray(packed(members_of(npz_bytes(example())), compressed=True))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo("opcode.npy")
    begin = info.header_offset + 30 + len(info.filename) + int.from_bytes(data[info.header_offset + 28 :][:2], "little")
    data[begin : begin + 8] = b"\xff" * 8
    (problem,) = problems_of(tmp_path / "p.npz", bytes(data))
    assert problem.startswith("opcode: damaged: ")


def test_a_member_that_claims_to_be_huge_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    members = members_of(npz_bytes(example()))
    members["opcode"] = np.zeros(10**7, np.uint8)
    (problem,) = problems_of(tmp_path / "p.npz", packed(members, compressed=True))
    assert problem == "opcode: damaged: 10000128 bytes (allowed: 65552)"


def test_hardware_descriptor_generation_is_refused_where_there_is_none(tmp_path: Path) -> None:
    record = ProgramRecord(name="p", arch="sunda", functions=example().record().functions)
    members = members_of(npz_bytes(program_from_record(record)))
    members["dge_type"][2] = 2
    assert problems_of(tmp_path / "p.npz", packed(members)) == [
        "dge_type: [2] hwdge does not exist on sunda in block f/b0"
    ]


def test_large_blocks_find_repeated_and_wanted_names() -> None:
    names = [f"instruction_{k}" for k in range(name_text.SMALL + 10)]
    text = np.frombuffer("\0".join(names).encode(), np.uint8)
    large = name_text.NameText(text, len(names))
    assert list(large.faults()) == []
    assert large.positions({"instruction_7", "instruction_100009", "no"}) == {
        "instruction_7": 7,
        "instruction_100009": 100009,
    }
    names[-1] = "instruction_0"
    repeated = name_text.NameText(np.frombuffer("\0".join(names).encode(), np.uint8), len(names))
    assert list(repeated.faults()) == ['the name "instruction_0" stands 2 times']
    names[-1] = "näme"
    other = name_text.NameText(np.frombuffer("\0".join(names).encode(), np.uint8), len(names))
    assert list(other.faults()) == []
    assert other.positions({"näme"}) == {"näme": len(names) - 1}


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.npz").write_bytes(b"")
    with pytest.raises(InputError, match="cannot be read: cannot mmap an empty file"):
        read_npz(str(tmp_path / "p.npz"))
    with pytest.raises(InputError, match="cannot be read"):
        read_npz(str(tmp_path / "no.npz"))
