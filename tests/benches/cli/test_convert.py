"""``kernbench convert``: what it writes, what it keeps, what it refuses."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from simcore.program.read import load_program
from tests.benches.cli.conftest import Call

PROGRAM = """\
schema: kernbench.stream/1
name: two_ops
arch: trn2
functions:
- name: main
  blocks:
  - name: bb0
    instructions:
    - {name: ld, opcode: Load, engine: DMA,
       ins:  [{space: DRAM, partitions: 128, elements: 512, dtype: bfloat16}],
       outs: [{space: SB, partitions: 128, elements: 512, dtype: bfloat16, addr: 0}]}
    - {name: mm, opcode: Matmult, engine: PE, dependencies: [[ld, Flow]], cost: 7, source: "mm.py:7",
       ins:  [{space: SB, partitions: 128, elements: 512, dtype: bfloat16, addr: 0}],
       outs: [{space: PSUM, partitions: 128, elements: 512, dtype: float32, bank: 0}]}
"""

ENDINGS = (".json", ".yaml", ".yml", ".bir.json", ".npz", ".json.gz", ".yaml.gz", ".bir.json.gz", ".npz.gz")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "two_ops.yaml"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_ending_says_the_format_and_nothing_is_lost(
    ending: str, kernbench: Call, source: Path, tmp_path: Path
) -> None:
    target, back = tmp_path / f"out{ending}", tmp_path / "back.json"
    assert kernbench("convert", source, target)[:2] == (0, "")
    assert load_program(target).record().functions == load_program(source).record().functions
    assert kernbench("convert", target, back)[:2] == (0, "")
    expected = load_program(source).record()
    if "bir" in ending:
        expected.name = load_program(target).name
    assert load_program(back).record() == expected


@pytest.mark.parametrize(
    ("ending", "begin"),
    [
        (".json", b'{"schema":"kernbench.stream/1","name":"two_ops","arch":"gen3"'),
        (".yaml", b"schema: kernbench.stream/1\nname: two_ops\narch: gen3\n"),
        (".bir.json", b'{\n "version": 2,\n "arch": "gen3",'),
        (".npz", b"PK\x03\x04"),
        (".json.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00"),
    ],
)
def test_each_format_looks_as_it_should(
    ending: str, begin: bytes, kernbench: Call, source: Path, tmp_path: Path
) -> None:
    target = tmp_path / f"out{ending}"
    kernbench("convert", source, target)
    assert target.read_bytes().startswith(begin)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_program_gives_the_same_bytes(ending: str, kernbench: Call, source: Path, tmp_path: Path) -> None:
    targets = [tmp_path / f"a{ending}", tmp_path / f"b{ending}"]
    for target in targets:
        kernbench("convert", source, target)
        os.utime(target, (1, 1))
    assert targets[0].read_bytes() == targets[1].read_bytes()


def test_an_option_overrides_the_ending(kernbench: Call, source: Path, tmp_path: Path) -> None:
    assert kernbench("convert", source, tmp_path / "out.txt", "--to", "yaml")[0] == 0
    assert (tmp_path / "out.txt").read_text().startswith("schema: ")
    assert kernbench("convert", source, tmp_path / "out.json", "--to", "bir")[0] == 0
    assert '"version": 2' in (tmp_path / "out.json").read_text()


@pytest.mark.parametrize(
    ("word", "begin"), [("stream", '{"schema"'), ("yaml", "schema: "), ("bir", '{\n "version": 2')]
)
def test_a_dash_is_standard_output(word: str, begin: str, kernbench: Call, source: Path) -> None:
    code, out, _ = kernbench("convert", source, "-", "--to", word)
    assert code == 0
    assert out.startswith(begin)
    assert out.endswith("\n")


def test_standard_output_needs_a_text_format(kernbench: Call, source: Path) -> None:
    assert kernbench("convert", source, "-") == (
        2,
        "",
        "--to: needs the format for standard output (allowed: stream, yaml, bir)\n",
    )
    assert kernbench("convert", source, "-", "--to", "columns") == (
        2,
        "",
        "standard output: columns need a file (allowed on standard output: stream, yaml, bir)\n",
    )


def test_a_name_that_says_no_format_is_refused(kernbench: Call, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    endings = "(allowed endings: .bir.json, .json, .yaml, .yml, .npz, also with .gz; or use --to)"
    message = f"{target}: the name does not say which format {endings}\n"
    assert kernbench("convert", source, target) == (2, "", message)


def test_bad_input_leaves_nothing_behind(kernbench: Call, source: Path, tmp_path: Path) -> None:
    source.write_text(PROGRAM.replace("Matmult", "Matmul"))
    old = tmp_path / "out.json"
    old.write_text("old")
    code, out, err = kernbench("convert", source, old)
    assert (code, out) == (2, "")
    assert err.startswith(f"{source}:12:26: instruction mm: unknown opcode ")
    assert old.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.json", "two_ops.yaml"]


def test_a_folder_and_a_place_that_cannot_be_written_are_refused(kernbench: Call, source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder.npz"
    folder.mkdir()
    assert kernbench("convert", source, folder) == (2, "", f"{folder}: is a folder\n")
    missing = tmp_path / "no" / "out.json"
    assert kernbench("convert", source, missing) == (
        2,
        "",
        f"{missing}: cannot be written: No such file or directory\n",
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.npz", "two_ops.yaml"]


def test_a_file_can_be_converted_onto_itself(kernbench: Call, source: Path, tmp_path: Path) -> None:
    columns = tmp_path / "p.npz"
    kernbench("convert", source, columns)
    before = columns.read_bytes()
    assert kernbench("convert", columns, columns)[0] == 0
    assert columns.read_bytes() == before


def test_a_profile_leaves_its_measurement_behind_and_says_so(kernbench: Call, shared: Path, tmp_path: Path) -> None:
    profile = min(shared.glob("data/trn2-profiles/*.json*"), key=lambda p: p.stat().st_size)
    target = tmp_path / "out.npz"
    code, out, err = kernbench("convert", profile, target)
    assert (code, out) == (0, "")
    assert err.startswith(f"{profile}: the measurement is left behind; only the program is written\n")
    assert load_program(target).record() == load_program(profile).record()
    assert load_program(target).measured is None


def test_compressed_output_is_what_gunzip_gives(kernbench: Call, source: Path, tmp_path: Path) -> None:
    for ending in (".json", ".npz"):
        kernbench("convert", source, tmp_path / f"a{ending}")
        kernbench("convert", source, tmp_path / f"b{ending}.gz")
        assert gzip.decompress((tmp_path / f"b{ending}.gz").read_bytes()) == (tmp_path / f"a{ending}").read_bytes()
