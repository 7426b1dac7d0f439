"""The memory streams, driven alone and together, before and after their residuals were fitted."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.timing.attach import TimedDelay
from simcore.timing.bus import BusTiming, bursts_of
from simcore.timing.bus_trace import BusPoint
from simcore.timing.clock import Clock
from simcore.timing.confidence import Level
from simcore.timing.fixtures.component_fixture import (
    REFERENCE_READER,
    REFERENCE_WRITER,
    calibrate,
    reader_fixture,
    writer_fixture,
)
from simcore.timing.fixtures.memory_streams import (
    Command,
    Memory,
    copy_memory,
    drive_reader,
    drive_writer,
    period_cycles,
)
from simcore.timing.residual import STREAM_FEATURES, declared_residual
from simcore.timing.store.bus_store import add_run, bus_timing, fit_platform_bus
from simcore.timing.store.component_store import ComponentResidual
from simcore.timing.store.platform import Platform

CLOCK = Clock.of_hz(100e6)
WRITER = (*STREAM_FEATURES, "n_fwd")


@pytest.fixture
def platform(tmp_path: Path) -> Platform:
    """A platform whose bus follows the reference's clean law, measured where bursts are split too."""
    platform = Platform.open(tmp_path / "zynq7020")
    for n in (17, 64, 100, 128, 250, 512):
        k = bursts_of(n)
        add_run(platform, f"n{n}", BusPoint(k, n, n + (k - 1)), BusPoint(k, n, n + 2 * (k - 1)))
    fit_platform_bus(platform)
    return platform


def delay(component: str, platform: Platform, features: tuple[str, ...]) -> TimedDelay:
    return TimedDelay(component, CLOCK, ComponentResidual(platform, component, features).model())


def copies(platform: Platform, words: int, jobs: int, *, forwards: int = 1) -> float:
    reader = delay("mem_read_stream", platform, STREAM_FEATURES)
    writer = delay("mem_write_stream", platform, WRITER)
    memory = Memory(bus_timing(platform, CLOCK))
    _, out = copy_memory(memory, reader, writer, [Command(words, forwards)] * jobs)
    return period_cycles(out)


def spans(timing: TimedDelay) -> list[float]:
    return [float(CLOCK.cycles(f.end - f.start)) for f in timing.firings or ()]


def test_a_stream_on_its_own_takes_its_command_and_its_transfer(platform: Platform) -> None:
    memory = Memory(bus_timing(platform, CLOCK))
    reader, writer = (TimedDelay("c", CLOCK, declared_residual(())) for _ in range(2))
    drive_reader(memory, reader, [Command(n) for n in (64, 128, 256)])
    assert spans(reader) == [3 + 67, 3 + 135, 3 + 271]
    drive_writer(memory, writer, [Command(128, 1), Command(256, 1), Command(128, 4)])
    assert spans(writer) == [147, 291, 3 + 4 + 142 + 4]


def test_without_a_law_the_words_alone_are_charged() -> None:
    reader = TimedDelay("c", CLOCK, declared_residual(()))
    drive_reader(Memory(BusTiming(CLOCK)), reader, [Command(128)])
    assert spans(reader) == [131]


def test_the_reader_residual_is_a_constant_once_the_bus_law_is_charged(platform: Platform) -> None:
    report = calibrate(reader_fixture(REFERENCE_READER), platform, CLOCK)
    assert report.missing_rtl == ()
    for words in (64, 128, 256):
        row = {"nwords": words, "num_trans": bursts_of(words)}
        assert report.params.cycles(row) == pytest.approx(13, abs=1e-9)
    # Three full-burst sizes do not tell a cost per word from one per burst; the report says what would.
    assert "ceil(nwords/16) departs from nwords/16" in report.not_identifiable[0]


def test_the_reference_spans_are_the_published_ones(shared: Path) -> None:
    from simcore.timing.corpus_csv import read_corpus

    corpus = read_corpus(shared / "data/waveflow/residual_corpus.csv")
    for component, known in (("reader", REFERENCE_READER), ("writer", REFERENCE_WRITER)):
        rows = corpus.where("component", component)
        points = {point[:2]: span for point, span in known.items()}
        read = zip(map(tuple, rows.matrix(STREAM_FEATURES).tolist()), rows.numbers("span_rtl").tolist(), strict=True)
        assert dict(read) == points


def test_the_writer_grid_varies_sizes_and_messages_and_lists_what_nobody_measured(platform: Platform) -> None:
    fixture = writer_fixture(REFERENCE_WRITER)
    assert len(fixture.sweep) == 6
    assert {fixture.point(at)[:2] for at in fixture.sweep} == {(n, (n + 15) // 16) for n in (128, 512)}
    report = calibrate(fixture, platform, CLOCK)
    assert report.missing_rtl == ("n128_f2", "n128_f4", "n512_f2", "n512_f4")
    assert report.coverage.matched == ((128, 8, 1), (512, 32, 1))
    assert len(report.coverage.pysim_only) == 4
    assert report.params.cycles({"nwords": 128, "num_trans": 8, "n_fwd": 1}) == pytest.approx(36)
    assert any(text.startswith("n_fwd not identifiable") for text in report.not_identifiable)


def test_a_cost_per_message_is_found_where_messages_vary(tmp_path: Path, platform: Platform) -> None:
    rates = []
    for per_message in (0, 13):
        k = bursts_of(64)
        measured = {(64.0, float(k), float(f)): 40 + 64 + 2 * (k - 1) + per_message * f for f in (1, 2, 4)}
        fixture = writer_fixture(measured, sizes=(64,), component=f"writer_{per_message}")
        rates.append(calibrate(fixture, platform, CLOCK).params.coefficients["n_fwd"])
    assert rates[1] - rates[0] == pytest.approx(13, abs=1e-9)


def test_calibrating_again_changes_nothing(platform: Platform) -> None:
    first = calibrate(writer_fixture(REFERENCE_WRITER), platform, CLOCK).params
    again = calibrate(writer_fixture(REFERENCE_WRITER), platform, CLOCK).params
    row = {"nwords": 128, "num_trans": 8, "n_fwd": 1}
    assert first.cycles(row) == pytest.approx(again.cycles(row), abs=1e-9)


def test_a_component_is_not_fitted_before_its_bus(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no bus law for reads; fit it first"):
        calibrate(reader_fixture(REFERENCE_READER), Platform.open(tmp_path), CLOCK)


def test_a_copy_meets_the_measured_period_once_both_levels_are_calibrated(platform: Platform) -> None:
    assert copies(platform, 128, 16) == 147  # writer-bound: its command, its messages, the bus
    calibrate(writer_fixture(REFERENCE_WRITER), platform, CLOCK)
    calibrate(reader_fixture(REFERENCE_READER), platform, CLOCK)
    assert copies(platform, 128, 16) == pytest.approx(183, rel=0.02)
    assert copies(platform, 512, 4) == pytest.approx(615, rel=0.02)


def test_a_calibrated_stream_far_from_its_sizes_says_so(platform: Platform) -> None:
    calibrate(reader_fixture(REFERENCE_READER), platform, CLOCK)
    timing = delay("mem_read_stream", platform, STREAM_FEATURES)
    drive_reader(Memory(bus_timing(platform, CLOCK)), timing, [Command(128)])
    assert timing.confidence.level is Level.INTERPOLATED
    drive_reader(Memory(bus_timing(platform, CLOCK)), timing, [Command(4096)])
    assert timing.confidence.level is Level.EXTRAPOLATED
