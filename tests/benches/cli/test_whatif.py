"""``kernbench whatif``: every setting does what it says, bad ones are all reported, the ranking is of exact re-runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benches.cli.conftest import Call

PROGRAM = """\
schema: kernbench.stream/1
name: p
arch: trn1
functions:
- name: main
  blocks:
  - name: bb0
    instructions:
    - {name: ld, opcode: Load, engine: DMA, cost: 2000}
    - {name: mm, opcode: Matmult, engine: PE, cost: 400, dependencies: [ld], psum_writes: [0]}
    - {name: cp, opcode: TensorCopy, engine: DVE, cost: 300, dependencies: [mm], psum_reads: [0]}
    - {name: mm2, opcode: Matmult, engine: PE, cost: 400, psum_writes: [0]}
    - {name: rand, opcode: Rand, engine: Pool, cost: 250}
    - {name: again, opcode: Load, engine: DMA, cost: 1500, dependencies: [[mm2, Anti]]}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text(PROGRAM)
    return path


# ld 0..2000, mm 2000..2400, cp 2400..2700, mm2 2600..3000 (bank), rand 2600..2850 (coupled), again 3000..4500.
BASE_NS = 4500


@pytest.mark.parametrize(
    ("settings", "after_ns"),
    [
        (("cost:DMA=0.5x",), 2750),
        (("cost:Load=0",), 1000),
        (("cost:opcode:Load=1x", "cost:name:ld=1000"), 3500),
        (("cost:mm=0",), 4100),
        (("cost:PE=1/2x",), 4100),
        (("anti_deps=off",), 3000),
        (("psum_banks=off",), 4200),
        (("engine_order=off", "anti_deps=off"), 3000),
        (("coupling=off",), 4500),
        (("overlap:compute=0",), 4600),
        (("arch=trn2",), 4500),
    ],
)
def test_a_setting_changes_the_estimate_as_it_says(
    kernbench: Call, program: Path, settings: tuple[str, ...], after_ns: int
) -> None:
    options = [word for setting in settings for word in ("--set", setting)]
    code, out, err = kernbench("whatif", program, *options, "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["base_ns"] == BASE_NS
    assert (report["change"]["before_ns"], report["change"]["after_ns"]) == (BASE_NS, after_ns)
    assert report["change"]["settings"] == list(settings)


def test_the_oracles_open_readings_can_be_chosen(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "copy.yaml"
    path.write_text(
        PROGRAM[: PROGRAM.index("    - {name: ld")].replace("trn1", "trn2")
        + "    - {name: cp, opcode: DMACopy, engine: DMA, dge_type: hwdge,\n"
        + "       ins: [{space: DRAM, partitions: 17, elements: 512, dtype: bfloat16}],\n"
        + "       outs: [{space: DRAM, partitions: 17, elements: 512, dtype: bfloat16}]}\n"
    )
    # 1300 and 500 cycles of descriptor generation; 17 rows fill two groups of 16 lanes, or count as they are.
    base = 1300 + 500 * 100 // 120 + 2 * 1024 // 23
    for setting, after_ns in (
        ("oracle:dge_clock=100", base - 500 * 100 // 120 + 500),
        ("oracle:dram_path=on", base - 2 * 1024 // 23 + 512 * 2 * 17 // 368),
    ):
        report = json.loads(kernbench("whatif", path, "--set", setting, "--json", "-")[1])
        assert (report["base_ns"], report["change"]["after_ns"]) == (base, after_ns)
        assert kernbench("crosscheck", path, "--set", setting)[0] == 0
    code, _, err = kernbench("whatif", path, "--set", "oracle:dge_clok=3", "--set", "oracle:dram_path=2")
    assert code == 2
    assert 'did you mean "dge_clock"?' in err
    assert "allowed: on, off" in err


def test_a_ring_can_be_deepened_and_unbounded(kernbench: Call, tmp_path: Path) -> None:
    rows = [
        f"    - {{name: t{k}, opcode: DMATrigger, engine: SP, cost: 0, queue: 12, "
        f"transfer: {{name: x{k}, opcode: DMACopy, engine: DMA, cost: 2500}}}}"
        for k in range(3)
    ]
    head = PROGRAM[: PROGRAM.index("    - {name: ld")]
    path = tmp_path / "rings.yaml"
    path.write_text(head + "\n".join(rows) + "\n    - {name: after, opcode: NoOp, engine: SP, cost: 5000}\n")
    results = {}
    for value in ("1", "2", "unbounded"):
        report = json.loads(kernbench("whatif", path, "--set", f"ring:12={value}", "--json", "-")[1])
        results[value] = report["change"]["after_ns"]
    assert results == {"1": 7400, "2": 6200, "unbounded": 5000}


def test_the_ranking_is_sorted_and_each_row_is_a_setting_that_gives_that_result(kernbench: Call, program: Path) -> None:
    report = json.loads(kernbench("whatif", program, "--sensitivity", "--json", "-")[1])
    gains = report["sensitivity"]
    assert [g["gain_ns"] for g in gains] == sorted((g["gain_ns"] for g in gains), reverse=True)
    assert gains[0] == {"change": "cost:DMA=0.5x", "before_ns": 4500, "after_ns": 2750, "gain_ns": 1750}
    for gain in gains:
        if not gain["change"].startswith("rings"):
            changed = json.loads(kernbench("whatif", program, "--set", gain["change"], "--json", "-")[1])["change"]
            assert changed["after_ns"] == gain["after_ns"], gain["change"]


def test_the_table_shows_the_change_and_the_ranking(kernbench: Call, program: Path) -> None:
    code, out, _ = kernbench("whatif", program, "--set", "cost:PE=2x", "--sensitivity")
    assert code == 0
    assert "with cost:PE=2x: 5300 ns, +800 ns (+17.8%)" in out
    assert "cost:DMA=0.5x" in out


def test_every_bad_setting_is_reported_with_what_is_allowed(kernbench: Call, program: Path) -> None:
    settings = {
        "cost:PEE=0.5x": 'did you mean "PE"?',
        "cost:PE=fast": "or a factor like 0.5x",
        "cost:PE=-1x": "out of range",
        "cost:PE=nanx": "is no factor",
        "cost:name:nobody=3": 'unknown instruction "nobody"',
        "cost:PE=-5": "out of range",
        "ring:10=0": "allowed: 1 to",
        "ring:13=4": "allowed: 0 to 12",
        "ring:10=deep": "or unbounded",
        "overlap:pe=4": "unknown overlap window",
        "couplin=off": 'did you mean "coupling"?',
        "coupling=maybe": "allowed: on, off, auto",
        "arch=trn4": "unknown value",
        "loud": "expected KEY=VALUE",
    }
    options = [word for setting in settings for word in ("--set", setting)]
    code, out, err = kernbench("whatif", program, *options)
    assert (code, out) == (2, "")
    lines = err.strip().splitlines()
    assert len(lines) == len(settings)
    for line, (setting, message) in zip(lines, settings.items(), strict=True):
        assert line.startswith(f"--set {setting}: ")
        assert message in line


def test_nothing_to_ask_is_an_error(kernbench: Call, program: Path) -> None:
    assert kernbench("whatif", program)[0] == 2


def test_cheaper_transfers_that_no_longer_overlap_are_explained(kernbench: Call, tmp_path: Path) -> None:
    loads = "".join(f"    - {{name: ld{n}, opcode: Load, engine: DMA, cost: 1400}}\n" for n in range(4))
    path = tmp_path / "loads.yaml"
    path.write_text(PROGRAM.partition("    - ")[0] + loads)
    code, out, _ = kernbench("whatif", path, "--set", "cost:DMA=0.5x", "--sensitivity", "--json", "-")
    assert code == 0
    report = json.loads(out)
    # 3 x 100 + 1400 as it is; 4 x 700 when nothing overlaps.
    assert (report["base_ns"], report["change"]["after_ns"]) == (1700, 2800)
    (note,) = report["notes"]
    assert "1300 ns) before the end" in note
    code, out, _ = kernbench("whatif", path, "--set", "cost:DMA=0.5x")
    assert out.endswith(f"note: {note}\n")
    code, out, _ = kernbench("whatif", path, "--set", "cost:DMA=2x", "--json", "-")
    assert "notes" not in json.loads(out)
