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


def test_a_platform_of_more_profiles_is_replaced_only_by_force(kernbench, shared: Path, tmp_path: Path):
    one, two = sorted((shared / "data" / "trn2-profiles").glob("fused_*.json.gz"))
    folder = tmp_path / "mine"
    assert kernbench("calibrate", "profile", one, two, "--platform", folder)[0] == 0
    before = (folder / "platform.json").read_bytes()
    code, out, err = kernbench("calibrate", "profile", one, "--platform", folder)
    assert (code, out) == (2, "")
    assert "was fitted to 2 profiles; refusing to replace it with one of 1 (--force does)" in err
    assert (folder / "platform.json").read_bytes() == before
    assert kernbench("calibrate", "profile", one, "--platform", folder, "--force")[0] == 0
    assert (folder / "platform.json").read_bytes() != before


def test_a_store_of_timing_models_is_not_replaced_by_a_device_platform(kernbench, shared: Path, tmp_path: Path):
    profile = next(iter((shared / "data" / "trn2-profiles").glob("fused_fp32*.json.gz")))
    store = tmp_path / "platform.json"
    store.write_text('{"schema": "kernbench.platform/1", "part": "x", "clock_hz": null}')
    for force in ((), ("--force",)):
        code, _, err = kernbench("calibrate", "profile", profile, "--platform", tmp_path, *force)
        assert code == 2
        assert "holds something else than a device platform (schema 'kernbench.platform/1')" in err
    assert "kernbench.platform/1" in store.read_text()


@pytest.mark.parametrize("command", [("profile", "--platform"), ("train", "--out")])
def test_every_profile_that_is_cut_off_is_told_with_its_table(kernbench, tmp_path: Path, command: tuple[str, str]):
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file, table in zip(files, ("dma", "instruction"), strict=True):
        file.write_text(f'{{"metadata": [], "{table}": [{{')
    code, out, err = kernbench("calibrate", command[0], *files, command[1], tmp_path / "out")
    assert (code, out) == (2, "")
    assert f'{files[0]}: the table "dma" is cut off' in err
    assert f'{files[1]}: the table "instruction" is cut off' in err
    assert not (tmp_path / "out").exists()


def test_phases_are_refused_where_there_are_none(kernbench, kernel: Path):
    only = "goes with --timing platform:NAME or platform:DIR only"
    assert kernbench("run", kernel, "--phases", 4) == (2, "", f"--phases: {only}\n")
    assert kernbench("run", kernel, "--phase-ns", 4) == (2, "", f"--phase-ns: {only}\n")
    assert kernbench("validate", kernel, "--phases", 4) == (2, "", f"--phases: {only}\n")
    both = kernbench("run", kernel, "--timing", "platform:trn2", "--phases", 4, "--phase-ns", 4)
    assert both == (2, "", "--phase-ns: is of one run (allowed: one of --phases and --phase-ns)\n")
    code, _, err = kernbench("validate", kernel, "--timing", "platform:trn2", "--measured-throttle", "--phases", 4)
    assert (code, err) == (2, "--phases: one run, at the measured clock, has none (allowed: either)\n")


def test_costs_that_a_platform_does_not_use_are_counted_in_a_note(kernbench, tmp_path: Path):
    program = tmp_path / "p.yaml"
    program.write_text(
        "schema: kernbench.stream/1\nname: p\narch: gen3\nfunctions:\n- name: main\n  blocks:\n  - name: b\n"
        "    instructions:\n    - {name: n, opcode: NoOp, engine: SP, cost: 7}\n"
        "    - {name: c, opcode: TensorCopy, engine: DVE, cost: 70}\n"
    )
    code, out, _ = kernbench("run", program, "--timing", "platform:trn2", "--phases", 1)
    assert code == 0
    assert "note: given costs of transfers and waiting instructions are not used, a platform has its own: 1\n" in out
