"""``kernbench validate``: its JSON, its tables, what it refuses; under timings that no profile was used for."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benches.cli.conftest import Call

HWM = {"baseline_fp32_s1024": -13.96, "baseline_fp32_s512": -23.3, "fused_bf16_s512": -30.23, "fused_fp32_s512": -32.77}
"""Window errors of the compiler's cost model without any device effect, %: always too fast."""


def test_the_json_holds_the_fields_that_others_rely_on(kernbench: Call, paths: list[Path]) -> None:
    code, out, err = kernbench("validate", *paths, "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert (report["schema"], report["timing"], report["phases"]) == ("kernbench.validate/1", "hwm", 1)
    assert {p["name"]: p["error_pct"] for p in report["profiles"]} == HWM
    assert report["mean_abs_error_pct"] == report["summary"]["mean_abs_error_pct"] == 25.07
    assert report["summary"]["bias_pct"] == -25.07
    assert (report["summary"]["worst_error_pct"], report["summary"]["worst_profile"]) == (-32.77, "fused_fp32_s512")
    fused = report["profiles"][3]
    assert (fused["measured_ns"], fused["predicted_ns"], fused["band_ns"]) == (23119, 15544, [15544, 15544])
    assert fused["engines"]["PE"] == {"measured_busy_ns": 13131, "predicted_busy_ns": 5740, "error_pct": -56.29}
    assert fused["instructions"] == 74
    assert fused["median_abs_start_error_ns"] == 4825
    assert fused["confidence"] == "UNCALIBRATED"
    assert sum(c["count"] for c in fused["classes"]) == 74
    assert fused["transfers"]["count"] == 5
    assert not {"leave_one_out", "families", "ablation"} & set(report)


def test_public_costs_are_too_fast_as_well(kernbench: Call, paths: list[Path]) -> None:
    report = json.loads(kernbench("validate", *paths, "--timing", "public", "--json", "-")[1])
    assert [p["error_pct"] < 0 for p in report["profiles"]] == [True] * 4


def test_the_greatest_start_error_is_explained(kernbench: Call, paths: list[Path]) -> None:
    (report,) = json.loads(kernbench("validate", paths[3], "--json", "-")[1])["profiles"]
    origin = report["greatest_error"]
    assert abs(origin["error_ns"]) == abs(report["worst_start_error_ns"])
    # PerfSim starts a transfer with its trigger; on the device its first packet comes 1.3 us later
    assert (origin["jump"]["name"], origin["jump"]["opcode"]) == ("I-49-0.transfer", "Load")
    assert origin["jump"]["added_ns"] == -1328
    assert sum(step["added_ns"] for step in origin["predicted_chain"]) == pytest.approx(origin["error_ns"])
    assert origin["predicted_chain"][-1]["name"] == origin["measured_chain"][-1] == origin["instruction"]


def test_the_tables_show_windows_engines_classes_transfers_and_the_origin(kernbench: Call, paths: list[Path]) -> None:
    code, out, err = kernbench("validate", paths[3])
    assert (code, err) == (0, "")
    assert "hwm beside 1 measured kernel\n" in out
    assert "mean absolute error 32.77 %, bias -32.77 %, worst -32.77 % (fused_fp32_s512); " in out
    assert "transfers: 5 compared" in out
    assert "greatest start error: I-41-0 -8106 ns" in out
    assert "arises at I-49-0.transfer (Load on DMA, none): -1328 ns" in out


def test_two_runs_write_the_same_bytes_whatever_the_hash_seed(repository: Path, paths: list[Path]) -> None:
    def run(seed: str) -> subprocess.CompletedProcess[bytes]:
        program = "import sys; from benches.cli.main import run; sys.argv[0] = 'kernbench'; run()"
        call = [sys.executable, "-c", program, "validate", *map(str, paths), "--json", "-"]
        return subprocess.run(call, cwd=repository, capture_output=True, check=True, env={"PYTHONHASHSEED": seed})

    first, second = run("1"), run("2")
    assert first.stdout == second.stdout
    assert first.stderr == second.stderr == b""


def test_a_program_of_ones_own_is_held_against_the_profile(kernbench: Call, paths: list[Path]) -> None:
    import benches.kernels

    shipped = Path(benches.kernels.__file__).parent / "fused_attention_fp32_s512.yaml"
    code, out, _ = kernbench("validate", paths[3], "--program", shipped, "--json", "-")
    assert code == 0
    assert json.loads(out)["profiles"][0]["error_pct"] == HWM["fused_fp32_s512"]
    code, out, err = kernbench("validate", paths[2], "--program", shipped)
    assert (code, out) == (2, "")
    lines = err.splitlines()
    counts = "35 unmatched, 0 duplicated, 0 reordered, 22 differently shaped"
    assert lines[-1] == f"{shipped}: does not join with {paths[2]}: {counts}"
    assert len(lines) == 1 + 35 + 22


def _changed(paths: list[Path], change: Callable[[dict[str, Any]], object]) -> bytes:
    document = json.loads(gzip.decompress(paths[3].read_bytes()))
    change(document)
    return json.dumps(document).encode()


NEEDS = "(a profile needs: instruction, dma, semaphore_update, metadata)"
TABLES = ("instruction", "dma", "semaphore_update", "metadata")
MISSING = [f'the table "{table}" is missing {NEEDS}' for table in TABLES]
CUT_OFF = f"is cut off {NEEDS}"
BROKEN: dict[str, tuple[Callable[[list[Path]], bytes], list[str]]] = {
    "an empty file": (lambda _: b"", [":1:1: the file is empty", f": no table at all {NEEDS}"]),
    "an empty object": (lambda _: b"{}", [":1:1: not a program of any known format", *(f": {m}" for m in MISSING)]),
    "a cut text": (
        lambda paths: gzip.decompress(paths[3].read_bytes())[:340_000],
        [
            ":1:339990: the file ends inside the document (truncated?)",
            f': the table "instruction_usage" {CUT_OFF}',
        ],
    ),
    "a cut compressed file": (
        lambda paths: paths[3].read_bytes()[:30_000],
        [": damaged gzip data: Compressed file ended", f': the table "instruction" {CUT_OFF}'],
    ),
    **{
        f"no table {table}": (
            lambda paths, table=table: _changed(paths, lambda d: d.pop(table)),
            [f': the table "{table}" is missing {NEEDS}'],
        )
        for table in TABLES
    },
    "no table summary": (
        lambda paths: _changed(paths, lambda d: d.pop("summary")),
        [": summary[0].instance_type: it is"],
    ),
    "no table dma_queues_info": (
        lambda paths: _changed(paths, lambda d: d.pop("dma_queues_info")),
        [': the tables "dma" and "dma_queues_info" show no packet of a queue that the kernel triggers'],
    ),
    "another name for a table": (
        lambda paths: _changed(paths, lambda d: d.update(instructions=d.pop("instruction"))),
        [f': the table "instruction" is missing {NEEDS}'],
    ),
    "an empty table": (
        lambda paths: _changed(paths, lambda d: d.update(dma=[])),
        [": dma: 0 packets, but the table summary counts 481: rows are missing"],
    ),
    "another version": (
        lambda paths: _changed(paths, lambda d: d["metadata"][0].update(data_version=9)),
        [": metadata[0].data_version: 9, a profile of another version (allowed: 8)"],
    ),
    "no updates of semaphores": (
        lambda paths: _changed(paths, lambda d: d.update(semaphore_update=[])),
        [': the table "semaphore_update" shows no update, though instructions raise semaphores'],
    ),
    "no predecessors": (
        lambda paths: _changed(paths, lambda d: [row.pop("predecessors", None) for row in d["instruction"]]),
        [': the table "instruction": rows wait for semaphores, but none names its predecessors'],
    ),
    "a program": (
        lambda _: b'{"schema": "kernbench.stream/1", "name": "p", "arch": "gen3"}',
        [": no profile: it holds no measurement (allowed: neuron-profile JSON)"],
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_profile_is_refused_by_the_name_of_its_table(
    kernbench: Call, paths: list[Path], tmp_path: Path, what: str
) -> None:
    content, said = BROKEN[what]
    path = tmp_path / "broken.json"
    path.write_bytes(content(paths))
    code, out, err = kernbench("validate", path, "--json", tmp_path / "out.json")
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert len(lines) == len(said)
    assert all(line.startswith(f"{path}{text}") for line, text in zip(lines, said, strict=True)), err
    assert not (tmp_path / "out.json").exists()


def test_the_faults_of_all_profiles_come_together(kernbench: Call, paths: list[Path], tmp_path: Path) -> None:
    empty, cut = tmp_path / "empty.json", tmp_path / "cut.json"
    empty.write_bytes(b"")
    cut.write_bytes(b'{"dma": [')
    _, _, err = kernbench("validate", empty, paths[0], cut)
    assert [line.split(":")[0] for line in err.splitlines()] == [str(empty)] * 2 + [str(cut)] * 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "PROFILE: no profile given (allowed: one or more, or --trn1 CSV)"),
        (["P", "--timing", "hvm"], '--timing: unknown timing "hvm" (allowed: hwm, public, platform:trn2, '),
        (["P", "--timing", "learned:"], '--timing: "learned:" names no bundle'),
        (["P", "P"], "P: the same run as P: a profile left out would still be fitted on (allowed: each run once)"),
        (["P", "Q", "--leave-one-out"], "--leave-one-out: hwm is not fitted to profiles (allowed: platform:NAME, "),
        (["P", "--ablation"], "--ablation: one profile left out leaves none to fit on"),
        (["P", "--measured-throttle"], "--measured-throttle: hwm has no PE clock throttle"),
        (["P", "Q", "--program", "P"], "--program: 2 profiles (allowed with it: one)"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(
    kernbench: Call, paths: list[Path], options: list[str], said: str
) -> None:
    files = {"P": str(paths[3]), "Q": str(paths[2])}
    code, out, err = kernbench("validate", *(files.get(o, o) for o in options))
    assert (code, out) == (2, "")
    assert err.startswith(said.replace("P: the same run as P", f"{files['P']}: the same run as {files['P']}"))


def test_a_platform_is_held_against_measurements_with_a_band(kernbench: Call, paths: list[Path]) -> None:
    call = ("validate", paths[3], "--timing", "platform:trn2", "--phases", 8)
    code, out, err = kernbench(*call, "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    (fused,) = report["profiles"]
    assert (report["timing"], report["phases"], report["measured_throttle"]) == ("platform:trn2", 8, False)
    low, high = fused["band_ns"]
    assert low < fused["predicted_ns"] < high and fused["inside_band"]
    assert abs(fused["error_pct"]) < 3
    assert fused["median_abs_start_error_ns"] < 1000
    assert fused["confidence"] in ("INTERPOLATED", "EXTRAPOLATED")
    assert kernbench(*call, "--json", "-")[1] == out
    assert "8 phases of the PE clock's throttle" in kernbench(*call)[1]


def test_leaving_one_out_shows_both_kinds_and_the_aims(kernbench: Call, paths: list[Path]) -> None:
    options = ("--timing", "platform:trn2", "--phases", 2, "--leave-one-out")
    report = json.loads(kernbench("validate", paths[1], paths[3], *options, "--json", "-")[1])
    names = ["baseline_fp32_s512", "fused_fp32_s512"]
    assert [p["name"] for p in report["leave_one_out"]["profiles"]] == names
    assert [p["fitted_on"] for p in report["leave_one_out"]["profiles"]] == [[names[1]], [names[0]]]
    assert [f["held_out"] for f in report["families"]] == ["baseline, fitted on fused", "fused, fitted on baseline"]
    out = kernbench("validate", paths[1], paths[3], *options)[1]
    assert out.count("held out: ") == 3
    assert "mean absolute window error, %" in out


def test_the_ablation_lists_every_effect_the_worst_first(kernbench: Call, paths: list[Path], tmp_path: Path) -> None:
    options = ("--timing", "platform:trn2", "--phases", 1, "--ablation")
    target = tmp_path / "report.json"
    code, out, err = kernbench("validate", paths[2], paths[3], *options, "--json", target)
    assert (code, out, err) == (0, "", "")
    rows = json.loads(target.read_bytes())["ablation"]
    assert rows[0]["without"] == "nothing"
    assert len(rows) == 16
    assert rows[1:] == sorted(rows[1:], key=lambda row: (-row["mean_abs_error_pct"], row["without"]))


def test_a_learned_oracle_is_held_against_measurements_and_left_out(
    kernbench: Call, paths: list[Path], tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle"
    assert kernbench("calibrate", "train", paths[1], paths[3], "--out", bundle)[0] == 0
    timing = ("--timing", f"learned:{bundle}")
    report = json.loads(kernbench("validate", paths[1], paths[3], *timing, "--leave-one-out", "--json", "-")[1])
    # its laws are of a PE at full speed, so even kernels that it was fitted to leave their range
    assert [p["confidence"] for p in report["profiles"]] == ["EXTRAPOLATED", "EXTRAPOLATED"]
    assert report["summary"]["mean_abs_error_pct"] < 25
    assert report["leave_one_out"]["profiles"][0]["fitted_on"] == ["fused_fp32_s512"]
    assert [p["confidence"] for p in report["leave_one_out"]["profiles"]] == ["EXTRAPOLATED", "EXTRAPOLATED"]
    code, _, err = kernbench("validate", paths[1], paths[3], *timing, "--ablation")
    assert (code, err) == (2, f"--ablation: learned:{bundle} has no effects to switch off (allowed: platform:NAME)\n")


def test_the_measured_pe_clock_needs_its_table(kernbench: Call, paths: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "no_ham.json"
    path.write_bytes(_changed(paths, lambda d: d.pop("ham")))
    code, out, err = kernbench("validate", path, "--timing", "platform:trn2", "--measured-throttle")
    assert (code, out) == (2, "")
    assert err == f'{path}: the table "ham" records no PE clock (allowed: without --measured-throttle)\n'
    code, out, _ = kernbench("validate", paths[3], "--timing", "platform:trn2", "--measured-throttle", "--json", "-")
    report = json.loads(out)
    assert (code, report["phases"], report["measured_throttle"]) == (0, 1, True)


def test_an_unknown_platform_is_refused(kernbench: Call, paths: list[Path]) -> None:
    code, out, err = kernbench("validate", paths[3], "--timing", "platform:trn9")
    assert (code, out) == (2, "")
    assert 'unknown platform "trn9" (allowed: trn2' in err


def test_what_is_under_way_is_shown_on_a_terminal_alone(
    kernbench: Call, paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kernbench("validate", paths[3], "--json", "-")[2] == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    code, _, err = kernbench("validate", paths[3], "--json", "-")
    assert code == 0
    shown = err.split("\r\033[K")
    assert shown == ["", "reading fused_fp32_s512.json.gz", "fused_fp32_s512 under hwm", ""]
    code, _, err = kernbench("validate", "absent.json")
    assert (code, err.split("\r\033[K")[-1]) == (2, "absent.json: cannot be read: No such file or directory\n")


def test_a_platform_predicts_its_own_generation_alone(kernbench: Call, paths: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(_changed(paths, lambda d: d["summary"][0].update(instance_type="trn3.48xlarge")))
    code, out, err = kernbench("validate", path, "--timing", "platform:trn2")
    assert (code, out) == (2, "")
    assert err == f"{path}: ran on core_v4, but platform:trn2 is of gen3 (allowed: the same)\n"


def test_a_run_under_another_name_is_the_same_run(kernbench: Call, paths: list[Path], tmp_path: Path) -> None:
    copy = tmp_path / "another_kernel.json"
    copy.write_bytes(gzip.decompress(paths[3].read_bytes()))
    code, out, err = kernbench("validate", paths[3], copy, "--timing", "platform:trn2", "--leave-one-out")
    assert (code, out) == (2, "")
    assert err.startswith(f"{copy}: the same run as {paths[3]}: a profile left out would still be fitted on")
