"""The bus: spans measured off a trace, a law per direction, the word form without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.timing.bus import BusTiming, bursts_of, fit_bus
from simcore.timing.bus_trace import BusPoint, PortTrace, bus_points, measure_bus
from simcore.timing.clock import Clock
from simcore.timing.confidence import Level
from simcore.timing.corpus_csv import read_corpus
from simcore.timing.store.bus_store import add_run, bus_timing, calibrate_bus, fit_platform_bus, runs
from simcore.timing.store.platform import Platform
from simcore.timing.transfers import PortLatency

CLOCK = Clock.of_hz(100e6)


def point(words: int, span: float) -> BusPoint:
    return BusPoint(bursts_of(words), words, span)


def transfer(start: int, words: int, gap_after: int = 2) -> PortTrace:
    """``words`` beats in bursts of 16 with ``gap_after`` extra cycles between bursts, addresses 3 cycles ahead."""
    beats, addresses, cycle = [], [], start
    for word in range(words):
        if word % 16 == 0:
            addresses.append(cycle - 3)
            cycle += gap_after if word else 0
        beats.append(cycle)
        cycle += 1
    return PortTrace(beats, addresses)


def test_beats_become_transfers_by_the_gaps_between_them() -> None:
    one, two = transfer(100, 128), transfer(300, 40)
    trace = PortTrace([*one.beats, *two.beats], [*one.addresses, *two.addresses])
    assert bus_points(trace) == [BusPoint(8, 128, 128 + 2 * 7), BusPoint(3, 40, 40 + 2 * 2)]
    assert measure_bus(transfer(0, 128)) == point(128, 142)


def test_a_gap_of_the_limit_joins_and_one_more_splits() -> None:
    assert [p.nwords for p in bus_points(PortTrace([0, 8, 16], [0]))] == [3]
    assert [p.nwords for p in bus_points(PortTrace([0, 9], [0]))] == [1, 1]
    assert [p.nwords for p in bus_points(PortTrace([0, 9], [0]), idle_gap=9)] == [2]


def test_an_address_counts_up_to_the_gap_before_its_beats() -> None:
    assert bus_points(PortTrace([100, 101], [91, 92, 101, 102])) == [BusPoint(2, 2, 2)]


def test_the_median_transfer_is_taken_the_longer_of_two_middle_ones() -> None:
    beats = [*range(10), *range(100, 130), *range(200, 220), *range(300, 340)]
    found = measure_bus(PortTrace(beats, [0, 100, 200, 300]))
    assert found == BusPoint(1, 30, 30)


def test_without_beats_or_addresses_nothing_was_measured() -> None:
    assert measure_bus(PortTrace([], [1])) is None
    assert measure_bus(PortTrace([1], [])) is None


def test_without_a_law_a_transfer_takes_a_word_a_cycle_and_nobody_measured_that() -> None:
    bus = BusTiming(CLOCK, latency=PortLatency(7))
    assert bus.span_cycles("read", 128, 8) is None
    assert bus.ticks("read", 128, 8) == 135 * 10_000
    assert bus.confidence("read", 128, 8).level is Level.UNCALIBRATED


def test_a_law_needs_the_number_of_bursts_and_is_never_negative(shared: Path) -> None:
    corpus = read_corpus(shared / "data/waveflow/bus_points.csv").where("direction", "write")
    rows = zip(corpus.matrix(["num_trans", "nwords"]).tolist(), corpus.numbers("span_cycles").tolist(), strict=True)
    law = fit_bus({f"r{k}": BusPoint(int(t), int(n), span) for k, ((t, n), span) in enumerate(rows)}).model
    bus = BusTiming(CLOCK, {"write": law})
    assert bus.ticks("write", 128, 8) == 1_420_000
    assert bus.ticks("write", 128, None) == 1_280_000
    assert bus.confidence("write", 128, None).level is Level.UNCALIBRATED
    assert bus.ticks("write", 1, 1) == 0
    assert bus.confidence("write", 1, 1).level is Level.EXTRAPOLATED


def test_sizes_that_leave_bursts_unfilled_make_the_law_identifiable_and_exact() -> None:
    sizes = (17, 64, 100, 128, 250)
    law = fit_bus({str(n): point(n, n + 2 * (bursts_of(n) - 1)) for n in sizes})
    assert law.not_identifiable == ()
    assert law.level is Level.EXACT
    assert law.model.cycles({"num_trans": 3, "nwords": 33}) == pytest.approx(37)


def test_points_are_kept_per_run_and_a_repeated_run_replaces_its_own(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    add_run(platform, "n128", None, point(128, 999))
    add_run(platform, "n128", None, point(128, 142))
    assert {name: run.write for name, run in runs(platform).items()} == {"n128": point(128, 142)}


def test_the_law_is_kept_with_what_it_was_fitted_on(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    for n in (64, 128, 256, 512):
        add_run(platform, f"n{n}", None, point(n, n + 2 * (n // 16 - 1)))
    fit_platform_bus(platform)
    stored = json.loads((tmp_path / "bus.json").read_text())
    assert list(stored) == ["schema", "write"]
    assert list(stored["write"]["coefficients"]) == ["num_trans", "nwords"]
    assert stored["write"]["fit"]["ranges"] == {"num_trans": [4, 32], "nwords": [64, 512]}
    bus = bus_timing(Platform.open(tmp_path), CLOCK)
    assert bus.ticks("write", 128, 8) == 1_420_000
    assert bus.ticks("write", 512, 32) == 5_740_000
    assert bus.span_cycles("read", 128, 8) is None
    # The same cycles at another simulation clock.
    assert bus_timing(platform, Clock.of_hz(200e6)).ticks("write", 128, 8) == 710_000


def test_a_step_measures_fits_and_says_what_it_fitted(tmp_path: Path) -> None:
    traces = {"read": transfer(0, 128, gap_after=1), "write": transfer(50, 128)}
    step = calibrate_bus(Platform.open(tmp_path), "n128", traces)
    assert step.fitted_directions == ("read", "write")
    assert (step.point.read, step.point.write) == (point(128, 135), point(128, 142))
    assert bus_timing(Platform.open(tmp_path), CLOCK).ticks("read", 128, 8) == 1_350_000


def test_a_law_of_more_points_is_not_replaced_by_chance(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    for n in (64, 128):
        add_run(platform, f"n{n}", None, point(n, n))
    fit_platform_bus(platform)
    (tmp_path / "points/n64.json").unlink()
    before = (tmp_path / "bus.json").read_bytes()
    with pytest.raises(InputError, match="holds a fit of 2 points; refusing to replace it with one of 1"):
        fit_platform_bus(platform)
    assert (tmp_path / "bus.json").read_bytes() == before
    fit_platform_bus(platform, force=True)
    assert json.loads((tmp_path / "bus.json").read_text())["write"]["fit"]["n_points"] == 1


def test_no_points_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no bus points"):
        fit_platform_bus(Platform.open(tmp_path))
    with pytest.raises(InputError, match="no bus points"):
        calibrate_bus(Platform.open(tmp_path), "idle", {"read": PortTrace([], [])})
