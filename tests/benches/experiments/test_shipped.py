"""The experiments beside the decision records: every claim holds, each can fail, and they give the given cases."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from benches.experiments.catalogue import experiment_files
from benches.experiments.experiment import Outcome, load_experiments, run_experiment
from tests.benches.experiments.conftest import outcome_of

FILES = {path.name: path for path, _ in experiment_files("all")}
NS_PER_PS = Fraction(1, 1000)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    """What every shipped experiment gives, by file name."""
    files = experiment_files("all")
    return {path.name: run_experiment(e) for (path, _), e in zip(files, load_experiments(files), strict=True)}


@pytest.mark.parametrize("name", FILES)
def test_every_claim_holds(outcomes: dict[str, Outcome], name: str):
    failed = [
        (claim.says, verdict)
        for claim, verdicts in zip(outcomes[name].experiment.claims, outcomes[name].verdicts, strict=True)
        for verdict in verdicts
        if not verdict.holds
    ]
    assert failed == []


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_named_after_its_record_and_its_id(outcomes: dict[str, Outcome], name: str):
    experiment = outcomes[name].experiment
    assert name == f"{experiment.adr}-{experiment.id}.experiment.yaml"


@pytest.mark.parametrize("name", FILES)
def test_a_record_links_to_its_experiments(name: str):
    for record in FILES[name].parent.glob(f"{name[:4]}-*.md"):
        assert f"({name})" in record.read_text(), record.name


def test_each_record_that_needs_one_has_one():
    assert {name[:4] for name in FILES} >= {"0022", "0023", "0024", "0027", "0040", "0062", "0070", "0071", "0072"}


BROKEN = {
    "0022-engine-coupling": (
        "sunda: {arch: sunda}",
        "sunda: {arch: sunda, core: {coupled: false}}",
        ["On sunda either", "On sunda Activation", "In all", "It is the coupling", "The waiting", "PerfSim"],
    ),
    "0023-ring-depth": (
        "depth_4: {depth: 4}",
        "depth_4: {depth: 4, service_ns: 17}",
        ["Throughput is", "Up to the knee", "The last transaction"],
    ),
    "0023-ring-program": (
        "ring_10: {let: {ring: 10, depth: 4}}",
        "ring_10: {let: {ring: 9, depth: 4}}",
        ["A trigger that finds its ring full", "Unless it is told otherwise"],
    ),
    "0023-rings-shared": ("transactions: 4000", "transactions: 400", ["Counted from the start"]),
    "0024-psum-banks": ("banks: 3}, core: {psum_banks: 3}", "banks: 3, copy: 121}", ["In numbers"]),
    "0027-collective-shares": (
        "gen3: {arch: gen3, let: {streams: 2}}",
        "gen3: {arch: core_v4, let: {streams: 2}}",
        ["A collective takes", "The shares of", "PerfSim"],
    ),
    "0040-tcm-dual-channel": (
        "dual: {impl: dual_channel}",
        "dual: {impl: two_banks}",
        ["D1: requests of one direction", "A1:", "D2: a request of no bytes takes its turn"],
    ),
    "0040-tcm-streams": (
        "equal_dual: {impl: dual_channel",
        "equal_dual: {impl: shared_channel",
        ["Through one shared channel", "A stream of one request"],
    ),
    "0070-control-ahead": (
        "at_once: {without: [semaphore_latencies]}",
        "at_once: {without: [completion_tail]}",
        ["Who waits on another"],
    ),
    "0071-pe-throttle": (
        "late_in_a_window: {phase_ns: 3000}",
        "late_in_a_window: {phase_ns: 100}",
        ["A run that begins late"],
    ),
    "0072-dma-engines": (
        "apart: {without: [start_stagger, start_offsets, shared_engines]}",
        "apart: {without: [start_stagger, start_offsets]}",
        ["Two queues take turns", "A packet of 2 KiB", "One pipe"],
    ),
    "0062-shared-sbuf": (
        "shared: {sbuf_impl: shared_channel}",
        "shared: {sbuf_impl: two_banks}",
        ["On two channels", "One shared channel"],
    ),
}
"""By experiment: what is changed in it, into what, and how the claims begin that then fail."""


@pytest.mark.parametrize("name", FILES)
def test_claims_fail_when_the_machine_is_another(name: str, tmp_path: Path):
    before, after, wanted = BROKEN[name.removesuffix(".experiment.yaml")]
    text = FILES[name].read_text()
    assert text.count(before) == 1
    outcome = outcome_of(text.replace(before, after), tmp_path)
    failed = [
        claim.says
        for claim, verdicts in zip(outcome.experiment.claims, outcome.verdicts, strict=True)
        if not all(verdict.holds for verdict in verdicts)
    ]
    assert [says[: len(begin)] for says, begin in zip(failed, wanted, strict=True)] == wanted


def case(shared: Path, name: str) -> dict:
    return json.loads((shared / "cases/packets" / f"{name}.json").read_text(), parse_float=Fraction)


def nearly(value: Fraction, written: Fraction | int) -> bool:
    """Whether ``written``, a double's decimal digits, is ``value`` (the case allows 1e-9)."""
    return abs(value - written) <= Fraction(1, 10**12) * abs(written)


def test_ring_depth_gives_every_point_of_the_given_case(outcomes: dict[str, Outcome], shared: Path):
    given_case = case(shared, "B30-ring-deterministic")
    results = outcomes["0023-ring-depth.experiment.yaml"].results
    model = given_case["model"]
    for point in given_case["expected"]["points"]:
        single = results[f"depth_{point['depth']}"].single
        assert single["finish_ns"] == point["finish_of_1000_ns"]
        assert nearly(single["throughput_per_ns"], point["throughput_per_ns"])
        assert nearly(single["throughput_gbs"], point["throughput_GBps"])
        assert nearly(single["server_utilisation"], point["server_utilisation"])
    assert (model["server_service_ns"], model["fixed_delay_ns"], model["transactions"]) == (16, 400, 1000)
    assert len(given_case["expected"]["points"]) == 9


def test_rings_shared_gives_every_point_of_the_given_case(outcomes: dict[str, Outcome], shared: Path):
    points = case(shared, "B31-rings-shared")["expected"]["points"]
    results = outcomes["0023-rings-shared.experiment.yaml"].results
    for point in points:
        measured = results[f"r{point['rings']}_d{point['depth']}"]
        total = Fraction(point["total_throughput_per_ns"])
        assert nearly(measured.single["throughput_per_ns"], total)
        assert abs(measured.single["mean_per_ns"] / total - 1) <= Fraction(5, 1000)
        rings = measured.several["ring_per_ns"]
        assert len(rings) == point["rings"]
        assert all(nearly(rate, point["per_ring_throughput_per_ns"]) for rate in rings.values())
    assert len(points) == len(results) == 16


def test_tcm_streams_give_every_point_of_the_given_case(outcomes: dict[str, Outcome], shared: Path):
    points = case(shared, "B40-dual-channel")["expected"]["points"]
    results = outcomes["0040-tcm-streams.experiment.yaml"].results
    pieces = 1024 + 256
    for point in points:
        size = f"{point['read_bytes'] >> 20}m_{point['write_bytes'] >> 20}m"
        for impl, wanted in (
            ("dual", "separate_channels_ns"),
            ("serial", "serial_ns"),
            ("shared", "shared_128_makespan_ns"),
        ):
            # Every piece is rounded up to a picosecond, so a stream of many ends at most as many picoseconds late.
            late = results[f"{impl}_{size}"].single["finish_ns"] - point[wanted]
            assert 0 <= late <= pieces * NS_PER_PS
        first = min(results[f"shared_{size}"].several["end_ns"].values())
        assert 0 <= point["shared_128_first_done_fluid_ns"] - first <= Fraction(4096, 128)
    assert len(points) == 3
