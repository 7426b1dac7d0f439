"""The bound check on trn1: exact bounds of one row, all measured kernels inside them, every bad cell with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches.validate_report.trn1.bound import MeasuredKernel, bound_of
from tests.benches.cli.conftest import Call

HEADER = (
    "problem,shape,latency_ms,hbm_read_bytes,hbm_write_bytes,sbuf_write_bytes,hardware_flops,transpose_flops,"
    "scalar_engine_active_time_percent,vector_engine_active_time_percent,gpsimd_engine_active_time_percent"
)
ROW = "matmul,M=1,1.0,1000000,500000,1400000,32768000,3276800,0.5,0.25,0"


@pytest.fixture
def measured(shared: Path) -> Path:
    return shared / "data" / "trainium" / "nkibench_trn1_baseline.csv"


def test_the_bounds_of_one_kernel_by_hand() -> None:
    bound = bound_of(MeasuredKernel("k", "", 1e6, 1_000_000, 500_000, 1_400_000, 32_768_000, 3_276_800, 0.5, 0.25, 0.1))
    # 1000 rows of 32768 operations, 100 of them transposes: 900 * 2 + 100 * 1 cycles at 2.8 GHz
    assert bound.pe_ns == pytest.approx(1900 / 2.8)
    assert bound.dma_peak_ns == pytest.approx(1_500_000 / (16 * 27.2))
    assert bound.dma_practical_ns == pytest.approx(1_500_000 / (16 * 17))
    assert bound.element_cycles == 100_000
    assert bound.active_cycles == pytest.approx(1e6 * (0.5 * 1.4 + 0.25 * 1.12 + 0.1 * 1.4))
    assert bound.holds


@pytest.mark.parametrize("change", [{"hardware_flops": 10**12}, {"hbm_read_bytes": 10**9}, {"sbuf_write_bytes": 10**9}])
def test_a_kernel_that_beats_a_documented_cost_breaks_the_bound(change: dict[str, int]) -> None:
    fields = {"hbm_read_bytes": 1_000_000, "sbuf_write_bytes": 1_400_000, "hardware_flops": 32_768_000, **change}
    fields["sbuf_write_bytes"] = max(fields["sbuf_write_bytes"], fields["hbm_read_bytes"])
    kernel = MeasuredKernel(
        "k",
        "",
        latency_ns=1e6,
        hbm_write_bytes=0,
        transpose_flops=0,
        scalar_active=0.5,
        vector_active=0.25,
        gpsimd_active=0.0,
        **fields,
    )
    assert not bound_of(kernel).holds


def test_all_measured_kernels_are_inside_the_documented_bounds(kernbench: Call, measured: Path) -> None:
    code, out, err = kernbench("validate", "--trn1", measured, "--json", "-")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["schema"] == "kernbench.trn1-bound/1"
    assert len(report["kernels"]) == 14 and report["holds"]
    shares = {k["problem"]: (k["pe_share"], k["dma_share"], k["element_share"]) for k in report["kernels"]}
    assert shares["transpose_matmul"] == (0.8573, 0.1366, 0.6458)
    assert shares["matmul"] == (0.6782, 0.6046, 0.6967)
    assert shares["silu"] == (0.0, 0.4048, 0.4018)
    assert max(max(row) for row in shares.values()) == shares["transpose_matmul"][0]
    practical = {k["problem"]: k["practical_dma_share"] for k in report["kernels"]}
    assert max(practical, key=practical.__getitem__) == "matmul" and practical["matmul"] == 0.9673


def test_float32_products_take_two_passes_in_the_measured_counts(measured: Path) -> None:
    """What the cost per pass rests on: 2 x (2 M N K) operations and the transposes make up hardware_flops."""
    from benches.validate_report.trn1.read import read_kernels

    by_problem = {kernel.problem: kernel for kernel in read_kernels(measured)}
    for problem, products in (("matmul", 4096 * 5120 * 12288), ("bmm", 16 * 4096 * 64 * 4096)):
        kernel = by_problem[problem]
        assert kernel.hardware_flops - kernel.transpose_flops == 2 * 2 * products


def test_the_table_says_what_is_checked_and_what_not(kernbench: Call, measured: Path) -> None:
    code, out, _ = kernbench("validate", "--trn1", measured)
    assert code == 0
    assert "14 kernels on trn1" in out
    assert out.count("checked: ") == 3 and out.count("not in the file: ") == 3


def test_a_broken_bound_is_a_failed_check(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text(f"{HEADER}\n{ROW.replace(',1.0,', ',0.001,')}\n")
    code, out, err = kernbench("validate", "--trn1", path)
    assert (code, err) == (1, "")
    assert "NO" in out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (",1.0,", ",-1,", "latency_ms: -1 is negative"),
        (",1.0,", ",0,", "latency_ms: 0 (allowed: above 0)"),
        (",0.5,", ",50,", "scalar_engine_active_time_percent: 50 (allowed: a fraction, 0 to 1)"),
        ("0.5,0.25,0", "0,0,0", "no engine was active (scalar_engine_active_time_percent, "),
        (",1400000,", ",14,", "sbuf_write_bytes: fewer than hbm_read_bytes"),
        (",3276800,", ",99999999,", "hardware_flops: fewer than transpose_flops"),
        (",3276800,", ",many,", 'transpose_flops: "many" is no number'),
        (",1.0,", ",,", "latency_ms: the cell is empty"),
    ],
)
def test_a_cell_that_cannot_be_is_refused_with_its_line(
    kernbench: Call, tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = tmp_path / "k.csv"
    path.write_text(f"{HEADER}\n{ROW}\n{ROW.replace(old, new)}\n")
    code, out, err = kernbench("validate", "--trn1", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"{path}:3: {said}")


def test_a_missing_column_is_named(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text(f"{HEADER.replace('transpose_flops', 'flops')}\n{ROW}\n")
    code, _, err = kernbench("validate", "--trn1", path)
    assert (code, err) == (2, f'{path}:1: no column "transpose_flops"\n')


def test_the_check_stands_alone(kernbench: Call, measured: Path, paths: list[Path]) -> None:
    code, _, err = kernbench("validate", paths[0], "--trn1", measured)
    assert (code, err) == (2, "--trn1: is a check of its own (allowed beside it: --json)\n")
