"""The component residual: medians, blocked firings, the join, the corpus, the steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.errors import InputError
from simcore.timing.attach import Firing, TimedDelay
from simcore.timing.clock import Clock
from simcore.timing.confidence import Level
from simcore.timing.corpus_csv import read_corpus
from simcore.timing.linear import LinearModel
from simcore.timing.residual import (
    MeasuredFiring,
    SimulatedFiring,
    declared_residual,
    fit_residual,
    join,
    simulated,
)
from simcore.timing.store.component_store import ComponentResidual, collect_step, fit_step
from simcore.timing.store.platform import Platform

FEATURES = ("nwords", "num_trans")
CLOCK = Clock.of_hz(100e6)


def at(words: int) -> tuple[float, float]:
    return (float(words), float(-(-words // 16)))


def rtl(words: int, span: float, blocked: float = 0.0) -> MeasuredFiring:
    return MeasuredFiring(at(words), span, blocked)


def pysim(words: int, span: float, charged: float = 0.0) -> SimulatedFiring:
    return SimulatedFiring(at(words), span, charged)


@pytest.fixture
def residual(tmp_path: Path) -> ComponentResidual:
    return ComponentResidual(Platform.open(tmp_path / "p"), "writer_task", FEATURES)


def test_what_the_model_charged_is_added_back() -> None:
    joined = join(FEATURES, {"a": [rtl(128, 183)]}, {"b": [pysim(128, 150, 5)]})
    assert joined.corpus is not None
    assert joined.corpus.names == ("nwords", "num_trans", "span_rtl", "span_pysim", "current_dly", "residual")
    assert [column.cells for column in joined.corpus.columns] == [
        ("128",),
        ("8",),
        ("183",),
        ("150",),
        ("5",),
        ("38",),
    ]


def test_blocked_firings_are_dropped_on_the_measured_side() -> None:
    firings = [rtl(128, 183), *[rtl(128, 213, blocked=30) for _ in range(15)]]
    joined = join(FEATURES, {"a": firings}, {"a": [pysim(128, 150)]})
    assert joined.corpus is not None
    assert joined.corpus.numbers("residual").tolist() == [33.0]
    only_blocked = join(FEATURES, {"a": firings[1:]}, {"a": [pysim(128, 150)]})
    assert only_blocked.corpus is None
    assert only_blocked.coverage.pysim_only == (at(128),)


def test_a_run_counts_by_its_median_firing_and_a_point_by_its_median_run() -> None:
    runs = {"a": [rtl(64, s) for s in (10, 20, 99)], "b": [rtl(64, 30)], "c": [rtl(64, 31), rtl(64, 33)]}
    joined = join(FEATURES, runs, {"x": [pysim(64, s) for s in (1, 2, 4, 5)]})
    assert joined.corpus is not None
    assert joined.corpus.numbers("span_rtl").tolist() == [30.0]
    assert joined.corpus.numbers("span_pysim").tolist() == [3.0]


def test_points_of_one_side_are_reported_and_not_used() -> None:
    joined = join(FEATURES, {"r": [rtl(128, 183)]}, {"p": [pysim(128, 147)], "q": [pysim(256, 291)]})
    assert joined.corpus is not None
    assert joined.corpus.numbers("residual").tolist() == [36.0]
    coverage = joined.coverage
    assert (coverage.matched, coverage.rtl_only, coverage.pysim_only) == ((at(128),), (), (at(256),))


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(InputError, match="no residual datapoints: 1 points measured, 0 simulated"):
        fit_residual(join(FEATURES, {"r": [rtl(128, 183)]}, {}), FEATURES)


def test_recorded_ticks_become_cycles_and_a_missing_fact_is_named() -> None:
    firing = Firing({"nwords": 128, "num_trans": 8, "n_fwd": 1}, 10_000, 1_480_000, 50_000)
    assert simulated([firing], FEATURES, CLOCK) == [pysim(128, 147, 5)]
    with pytest.raises(InputError, match=r"firing 0 does not say depth \(it says: nwords, num_trans, n_fwd\)"):
        simulated([firing], ("nwords", "depth"), CLOCK)


def test_the_reader_corpus_follows_from_its_firings(shared: Path) -> None:
    raw = read_corpus(shared / "data/waveflow/reader_firings.csv", numeric=("span_cycles", "nwords", "num_trans"))
    points = [tuple(p) for p in raw.matrix(FEATURES).tolist()]
    spans, sides = raw.numbers("span_cycles").tolist(), raw.column("side").cells
    ours = [SimulatedFiring(p, s, 0.0) for p, s, side in zip(points, spans, sides, strict=True) if side == "pysim"]
    measured = [MeasuredFiring(p, s) for p, s, side in zip(points, spans, sides, strict=True) if side == "rtl"]
    joined = join(FEATURES, {"cosim": measured}, {"sim": ours})
    assert joined.corpus is not None
    assert joined.corpus.numbers("residual") == pytest.approx([11, 15, 16])
    published = read_corpus(shared / "data/waveflow/residual_corpus.csv").where("component", "reader")
    for name in ("span_rtl", "span_pysim", "current_dly", "residual"):
        assert joined.corpus.numbers(name) == pytest.approx(published.numbers(name), abs=1e-9)
    assert fit_residual(joined, FEATURES).accuracy.r2 == pytest.approx(0.75)


def test_a_fit_is_stored_and_read_again(residual: ComponentResidual) -> None:
    for n in (128, 512):
        residual.collect_rtl(f"n{n}", [rtl(n, 1000 + n + 2 * n / 16)])
        residual.collect_pysim(f"sim{n}", [pysim(n, 1000 + n)])
    residual.fit()
    model = residual.model()
    assert model.cycles({"nwords": 256, "num_trans": 16}) == pytest.approx(32, abs=1e-6)
    assert model.confidence({"nwords": 256, "num_trans": 16}).level is Level.INTERPOLATED
    header = (residual.folder / "corpus.csv").read_text().splitlines()[0]
    assert header == "nwords,num_trans,span_rtl,span_pysim,current_dly,residual"


def test_without_a_fit_the_residual_is_its_seed_and_says_so(residual: ComponentResidual) -> None:
    row = {"nwords": 128, "num_trans": 8}
    assert residual.model().cycles(row) == 0.0
    assert residual.model().confidence(row).facts.from_seed is True
    assert residual.model(declared_residual(FEATURES, {"num_trans": 2.0}, 22.0)).cycles(row) == 38.0


def test_resetting_forgets_the_fit_the_corpus_or_both(residual: ComponentResidual) -> None:
    residual.collect_rtl("a", [rtl(128, 183), rtl(512, 615)])
    residual.collect_pysim("a", [pysim(128, 147), pysim(512, 579)])
    residual.fit()
    residual.reset(params=True)
    assert residual.model().cycles({"nwords": 256, "num_trans": 16}) == 0.0
    assert residual.joined().corpus is not None
    residual.fit()
    residual.reset(corpus=True)
    assert residual.joined().corpus is None
    assert residual.model().cycles({"nwords": 256, "num_trans": 16}) == pytest.approx(36)


def test_a_repeated_run_replaces_its_own(residual: ComponentResidual) -> None:
    residual.collect_rtl("a", [rtl(128, 999)])
    residual.collect_rtl("a", [rtl(128, 183)])
    residual.collect_pysim("a", [pysim(128, 147)])
    corpus = residual.joined().corpus
    assert corpus is not None
    assert corpus.numbers("span_rtl").tolist() == [183.0]


def test_a_damaged_table_of_firings_is_reported_with_its_lines(residual: ComponentResidual) -> None:
    residual.collect_rtl("a", [rtl(128, 183)])
    file = residual.folder / "rtl/a/firings.csv"
    file.write_text("nwords,span,blocked\n128,x,0\n")
    with pytest.raises(InputError) as refused:
        residual.joined()
    assert [str(p).removeprefix(str(file)) for p in refused.value.problems] == [
        ':1: no column "num_trans" (allowed: nwords, span, blocked)',
        ':2: span: "x" is no number',
    ]


def test_the_collect_step_takes_every_instance_and_wants_a_model(tmp_path: Path) -> None:
    class Part:
        def __init__(self, timing: TimedDelay) -> None:
            self.timing = timing

    parts = []
    for n in (128, 256):
        timing = TimedDelay("writer_task", CLOCK, declared_residual(FEATURES))
        timing.record({"nwords": n, "num_trans": n // 16}, 0, n * 10_000)
        parts.append(Part(timing))
    platform = Platform.open(tmp_path)
    step = collect_step(platform, "run1", parts)
    assert [(m.component, m.pysim_firings) for m in step.models] == [("writer_task", 2)]
    coverage = ComponentResidual(platform, "writer_task", FEATURES).joined().coverage
    assert coverage.pysim_only == (at(128), at(256))
    with pytest.raises(InputError, match="no attached TimingModel"):
        collect_step(platform, "run1", [object()])


def test_the_fit_step_fits_what_it_can_and_says_what_the_others_lack(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    good, lonely = (ComponentResidual(platform, name, FEATURES) for name in ("good", "lonely"))
    for n in (128, 512):
        good.collect_pysim(f"n{n}", [pysim(n, 1000 + n)])
        good.collect_rtl(f"n{n}", [rtl(n, 1000 + n + 10 + 2 * -(-n // 16))])
    lonely.collect_rtl("a", [rtl(64, 80)])
    step = fit_step([good, lonely])
    assert [(f.component, f.points) for f in step.fitted] == [("good", 2)]
    assert [(s.component, s.coverage.rtl_only) for s in step.skipped] == [("lonely", (at(64),))]
    assert json.loads((good.folder / "model.json").read_text())["name"] == "good"
    assert not (lonely.folder / "model.json").exists()


def test_a_fit_of_fewer_points_does_not_replace_one_of_more(residual: ComponentResidual) -> None:
    residual.collect_rtl("a", [rtl(128, 183), rtl(512, 615)])
    residual.collect_pysim("a", [pysim(128, 147), pysim(512, 579)])
    residual.fit()
    before = (residual.folder / "model.json").read_bytes(), (residual.folder / "corpus.csv").read_bytes()
    residual.collect_rtl("a", [rtl(128, 183)])
    with pytest.raises(InputError, match="refusing to replace it with one of 1"):
        residual.fit()
    assert ((residual.folder / "model.json").read_bytes(), (residual.folder / "corpus.csv").read_bytes()) == before
    assert residual.fit(force=True).summary.n_points == 1


@given(st.lists(st.integers(16, 600), min_size=3, max_size=8, unique=True), st.integers(0, 90), st.integers(0, 5))
def test_fitting_again_from_a_wrong_model_comes_to_the_same_residual(sizes: list[int], seed: int, per: int) -> None:
    """Whatever was charged is added back, so the first fit is already the last."""
    law = {n: 40 + 3 * -(-n // 16) for n in sizes}
    measured = {"r": [rtl(n, n + law[n]) for n in sizes]}
    nothing = fit_residual(join(FEATURES, measured, {"s": [pysim(n, n) for n in sizes]}), FEATURES)
    wrong = {"s": [pysim(n, n + seed + per * n, seed + per * n) for n in sizes]}
    again = fit_residual(join(FEATURES, measured, wrong), FEATURES).model
    assert isinstance(again, LinearModel)
    assert isinstance(nothing.model, LinearModel)
    assert (again.coefficients, again.intercept) == (nothing.model.coefficients, nothing.model.intercept)
