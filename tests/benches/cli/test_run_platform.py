"""``kernbench run --timing platform:`` and ``kernbench calibrate profile`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

KERNEL = Path("benches/kernels/fused_attention_fp32_s512.yaml")


@pytest.fixture
def kernel(repository: Path) -> Path:
    return repository / KERNEL


def test_a_program_runs_on_the_shipped_platform(kernbench, kernel: Path):
    code, out, err = kernbench("run", kernel, "--timing", "platform:trn2", "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["schema"] == "kernbench.device-run/1"
    assert report["platform"] == "trn2"
    assert report["runs"] == 32
    low_ns, high_ns = report["band_ns"]
    assert low_ns < report["window_ns"] < high_ns
    assert report["window_ns"] == pytest.approx(23119, rel=0.02)
    (block,) = report["blocks"]
    assert sum(block["confidence"].values()) == 74
    assert 0 < block["full_speed_share"] < 1


def test_the_path_adds_up_to_the_shown_window(kernbench, kernel: Path):
    code, out, _ = kernbench(
        "run", kernel, "--timing", "platform:trn2", "--phases", 4, "--explain", "--events", "--json", "-"
    )
    assert code == 0
    (block,) = json.loads(out)["blocks"]
    assert sum(step["ns"] for step in block["path"]) == pytest.approx(block["shown_window_ns"], abs=0.01)
    assert sum(block["waits_ns"].values()) == pytest.approx(block["shown_window_ns"], abs=0.1)
    assert len(block["events"]) == 74
    assert len(block["transfers"]) == 5


def test_one_phase_gives_one_run(kernbench, kernel: Path):
    code, out, _ = kernbench("run", kernel, "--timing", "platform:trn2", "--phase-ns", 100, "--json", "-")
    assert code == 0
    report = json.loads(out)
    assert report["runs"] == 1
    assert report["band_ns"] == [report["window_ns"]] * 2
    assert report["blocks"][0]["shown_phase_ns"] == 100


def test_text_says_window_band_engines_and_confidence(kernbench, kernel: Path):
    code, out, err = kernbench("run", kernel, "--timing", "platform:trn2", "--phases", 4, "--explain")
    assert (code, err) == (0, "")
    for words in ("mean of 4 runs", "5 to 95 %", "PE", "full speed", "INTERPOLATED", "critical path", "throttle"):
        assert words in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--timing", "platform:trn3"],
            '--timing: unknown platform "trn3" (allowed: trn2, a folder of kernbench calibrate profile; ',
        ),
        (["--timing", "platform:"], "names no platform"),
        (["--timing", "platform:trn2", "--memory", "fabric"], "--memory"),
        (["--timing", "platform:trn2", "--arch", "trn3", "--unroll"], "--unroll"),
        (["--timing", "platform:trn2", "--phase-ns", 3500], "a phase of 3500 ns"),
    ],
)
def test_what_a_platform_cannot_do_is_refused(kernbench, kernel: Path, arguments: list[object], message: str):
    code, out, err = kernbench("run", kernel, *arguments)
    assert code == 2
    assert out == ""
    assert message in err


def test_a_profile_becomes_a_platform_that_runs(kernbench, kernel: Path, shared: Path, tmp_path: Path):
    profile = shared / "data" / "trn2-profiles" / "fused_fp32_s512.json.gz"
    folder = tmp_path / "mine"
    code, out, err = kernbench("calibrate", "profile", profile, "--platform", folder)
    assert (code, err) == (0, "")
    assert "dma.packet_gbs" in out
    assert "assumed" in out
    code, out, _ = kernbench("run", kernel, "--timing", f"platform:{folder}", "--json", "-")
    assert code == 0
    report = json.loads(out)
    assert report["platform"] == "mine"
    assert report["profiles"] == ["fused_fp32_s512"]
    code, out, err = kernbench("calibrate", "show", folder)
    assert (code, err) == (0, "")
    assert "dma.packet_gbs" in out and out.endswith(f"\n{folder}/platform.json\n")


def test_the_constants_of_the_shipped_platform_are_shown_by_its_name(kernbench):
    code, out, err = kernbench("calibrate", "show", "trn2", "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["schema"], report["platform"], report["file"]) == (
        "kernbench.device-fit/1",
        "trn2",
        "trn2 as shipped",
    )
    assert kernbench("calibrate", "show", "trn22") == (2, "", "trn22: is no platform (a folder with a platform.json)\n")


def test_a_damaged_file_in_the_folder_is_told_with_its_place(kernbench, tmp_path: Path):
    (tmp_path / "platform.json").write_text('{"schema": ')
    code, out, err = kernbench("calibrate", "show", tmp_path)
    assert (code, out) == (2, "") and err.startswith(f"{tmp_path}/platform.json:1:")


def test_the_report_of_a_fit_names_every_constant(kernbench, shared: Path, tmp_path: Path):
    profile = shared / "data" / "trn2-profiles" / "fused_bf16_s512.json.gz"
    code, out, _ = kernbench("calibrate", "profile", profile, "--platform", tmp_path / "p", "--json", "-")
    assert code == 0
    report = json.loads(out)
    assert report["schema"] == "kernbench.device-fit/1"
    assert sum(report["obtained"].values()) == len(report["constants"])
    law = next(row for row in report["constants"] if row["name"] == "dma.packet_gbs")
    assert law["unit"] == "GB/s"
    tail = next(row for row in report["constants"] if row["name"] == "dma.tail_ns.software_read")
    assert tail["unit"] == "ns"


def test_a_fit_that_fails_writes_nothing(kernbench, kernel: Path, tmp_path: Path):
    code, _, err = kernbench("calibrate", "profile", kernel, "--platform", tmp_path / "none")
    assert code == 2
    assert "holds no measurements" in err
    assert not (tmp_path / "none").exists()
