"""The shipped kernels are what their profiles give."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches.kernels.derive import ORIGIN, derive, main
from simcore.program.measured import load_summary, summary_path
from simcore.program.read import load_program

SHIPPED = "fused_attention_fp32_s512"


def test_the_shipped_kernel_is_the_derivation_of_its_profile(shared: Path, repository: Path, tmp_path: Path) -> None:
    profile = shared / "data" / "trn2-profiles" / "fused_fp32_s512.json.gz"
    out = tmp_path / f"{SHIPPED}.yaml"
    assert main([str(profile), str(out)]) == 0
    folder = repository / "benches" / "kernels"
    for name in (f"{SHIPPED}.yaml", f"{SHIPPED}.measured.json"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_the_shipped_kernel_loads_and_says_where_it_comes_from(repository: Path) -> None:
    path = repository / "benches" / "kernels" / f"{SHIPPED}.yaml"
    program = load_program(path)
    assert (program.name, program.arch) == (SHIPPED, "gen3")
    assert program.origin == ORIGIN
    assert ORIGIN.licence == "MIT"
    assert len(program.blocks[0][1].instructions) == 74
    summary = load_summary(summary_path(path))
    assert (summary.program, summary.window_ns) == (SHIPPED, 23119)
    assert summary.engine_busy_ns["PE"] == 13131


def test_the_licence_of_the_profiles_lies_beside_them(shared: Path, repository: Path) -> None:
    name = "LICENSE-trainium-kernel-fusion.txt"
    original = shared / "data" / "trn2-profiles" / name
    assert (repository / "benches" / "kernels" / name).read_bytes() == original.read_bytes()


def test_a_program_without_measurements_cannot_be_derived_from(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = repository / "benches" / "kernels" / f"{SHIPPED}.yaml"
    assert main([str(program), str(tmp_path / "x.yaml")]) == 2
    assert "holds no measurements: only a profile can be derived from" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_profile_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.json"), str(tmp_path / "x.yaml")]) == 2
    assert "none.json" in capsys.readouterr().err


def test_the_same_profile_gives_the_same_bytes(shared: Path, tmp_path: Path) -> None:
    profile = shared / "data" / "trn2-profiles" / "fused_bf16_s512.json.gz"
    outputs = []
    for run in ("a", "b"):
        (tmp_path / run).mkdir()
        out = tmp_path / run / "k.yaml"
        derive(profile, out)
        outputs.append((out.read_bytes(), summary_path(out).read_bytes()))
    assert outputs[0] == outputs[1]
