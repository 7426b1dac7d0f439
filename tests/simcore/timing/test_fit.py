"""Fits: published coefficients follow from the published rows, and each figure is what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.errors import InputError
from simcore.timing.confidence import Level
from simcore.timing.corpus import Corpus, corpus_of
from simcore.timing.corpus_csv import parse_corpus, read_corpus
from simcore.timing.fit import best_unroll, check_holdout, fit_linear, fit_lookup, fit_loop, fit_table
from simcore.timing.linear import LinearModel
from simcore.timing.loop import LoopModel
from simcore.timing.table import TableModel


def linear(corpus: Corpus, target: str, *features: str, **options: object) -> LinearModel:
    model = fit_linear(corpus, target, features, **options).model  # type: ignore[arg-type]
    assert isinstance(model, LinearModel)
    return model


def loop(corpus: Corpus, size: str, **options: object) -> LoopModel:
    model = fit_loop(corpus, "cycles", size, **options).model  # type: ignore[arg-type]
    assert isinstance(model, LoopModel)
    return model


@pytest.mark.parametrize(
    ("direction", "per_burst", "per_word", "intercept"),
    [("read", 0.0661479, 1.0583658, -1.0), ("write", 0.0700389, 1.1206226, -2.0)],
)
def test_the_bus_law_follows_from_its_rows(
    shared: Path, direction: str, per_burst: float, per_word: float, intercept: float
) -> None:
    corpus = read_corpus(shared / "data/waveflow/bus_points.csv").where("direction", direction)
    law = linear(corpus, "span_cycles", "num_trans", "nwords")
    assert law.coefficients == pytest.approx({"num_trans": per_burst, "nwords": per_word}, abs=5e-8)
    assert law.intercept == pytest.approx(intercept, abs=1e-9)
    for point, span in zip(corpus.matrix(["num_trans", "nwords"]), corpus.numbers("span_cycles"), strict=True):
        assert law.cycles({"num_trans": point[0], "nwords": point[1]}) == pytest.approx(span, abs=1e-9)


def test_off_the_measured_line_the_bus_law_is_known_to_be_unsupported(shared: Path) -> None:
    corpus = read_corpus(shared / "data/waveflow/bus_points.csv").where("direction", "write")
    law = linear(corpus, "span_cycles", "num_trans", "nwords")
    for burst, words, cycles in ((1, 128, 141.51), (2, 17, 17.19), (1, 1, 0.0)):
        row = {"num_trans": burst, "nwords": words}
        assert law.cycles(row) == pytest.approx(cycles, abs=0.005)
        assert law.confidence(row).level is Level.EXTRAPOLATED
    assert law.confidence({"num_trans": 1, "nwords": 1}).facts.below_zero == pytest.approx(-0.80934, abs=1e-5)
    inside = {"num_trans": 20, "nwords": 305}  # ceil(305/16), within both ranges, off the line
    assert law.confidence(inside).facts.outside == {}
    assert law.confidence(inside).facts.undetermined == ("num_trans = 0.0625*nwords",)
    on_the_line = law.confidence({"num_trans": 20, "nwords": 320})
    assert (on_the_line.level, on_the_line.facts.degenerate_fit) == (Level.INTERPOLATED, True)


@pytest.mark.parametrize(
    ("component", "per_word", "per_burst", "intercept", "r2", "predicted"),
    [
        ("reader", 0.0233463, 0.0014591, 10.5, 0.75, [12.0, 13.5, 16.5]),
        ("writer", -0.0596628, -0.0037289, 30.6667, 1.0, [23.0, 0.0]),
    ],
)
def test_the_residuals_follow_from_their_rows(
    shared: Path,
    component: str,
    per_word: float,
    per_burst: float,
    intercept: float,
    r2: float,
    predicted: list[float],
) -> None:
    corpus = read_corpus(shared / "data/waveflow/residual_corpus.csv").where("component", component)
    fit = fit_linear(corpus, "residual", ["nwords", "num_trans"])
    assert isinstance(fit.model, LinearModel)
    assert fit.model.coefficients == pytest.approx({"nwords": per_word, "num_trans": per_burst}, abs=5e-8)
    assert fit.model.intercept == pytest.approx(intercept, abs=5e-5)
    assert fit.accuracy.r2 == pytest.approx(r2)
    assert fit.predicted == pytest.approx(predicted, abs=1e-9)
    assert fit.summary.is_degenerate
    assert [str(f).partition(":")[0] for f in fit.not_identifiable] == ["num_trans and nwords not identifiable"]


def test_a_residual_that_falls_with_size_never_becomes_negative(shared: Path) -> None:
    corpus = read_corpus(shared / "data/waveflow/residual_corpus.csv").where("component", "writer")
    law = linear(corpus, "residual", "nwords", "num_trans")
    row = {"nwords": 1024, "num_trans": 64}
    assert law.cycles(row) == 0.0
    found = law.confidence(row)
    assert found.level is Level.EXTRAPOLATED
    assert found.facts.below_zero == pytest.approx(30.6667 - 0.0596628 * 1024 - 0.0037289 * 64, abs=1e-3)


def test_the_loop_that_takes_as_long_as_its_input(shared: Path) -> None:
    corpus = read_corpus(shared / "data/waveflow/loop_points.csv").where("set", "il_compute")
    fit = fit_loop(corpus, "cycles", "trips")
    assert isinstance(fit.model, LoopModel)
    assert (fit.model.latency, fit.model.ii) == pytest.approx((1.0, 1.0), abs=1e-12)
    assert fit.level is Level.EXACT


def test_the_matrix_product_loop_its_holdout_and_its_left_out_points(shared: Path) -> None:
    corpus = read_corpus(shared / "data/waveflow/loop_points.csv").where("set", "vmac")
    train, test = corpus.where("role", "fit"), corpus.where("role", "holdout")
    law = linear(train, "cycles", "trips")
    assert (law.coefficients["trips"], law.intercept) == pytest.approx((18.983, 42.665), abs=5e-4)
    as_loop = loop(train, "trips")
    assert (as_loop.latency, as_loop.ii) == pytest.approx((61.65, 18.983), abs=5e-3)
    for model in (law, as_loop):
        held_out = check_holdout(model, test, "cycles")
        assert held_out.accuracy.max_rel_error == pytest.approx(0.0154, abs=5e-5)
        assert held_out.accuracy.side == "too long"
        assert held_out.extrapolated == 1
    assert fit_linear(train, "cycles", ["trips"]).accuracy.r2 == pytest.approx(0.999996, abs=5e-7)
    everything = fit_linear(corpus, "cycles", ["trips"])
    assert everything.left_out is not None
    assert everything.left_out.max_rel_error == pytest.approx(0.0360, abs=5e-5)


def test_the_row_filter_loads_in_its_words_and_fifty_cycles(shared: Path) -> None:
    corpus = read_corpus(shared / "data/waveflow/fir_cosim_points.csv")
    fit = fit_linear(corpus.where("role", "fit"), "load_period_cyc", ["read_words"])
    assert isinstance(fit.model, LinearModel)
    assert (fit.model.coefficients["read_words"], fit.model.intercept) == pytest.approx((1.0, 50.0), abs=1e-9)
    assert fit.level is Level.EXACT
    held_out = check_holdout(fit.model, corpus.where("role", "holdout"), "load_period_cyc")
    assert held_out.accuracy.max_rel_error == pytest.approx(0.0, abs=1e-12)
    # Its shape (two rows of 96) is not beyond what was measured, its period and the rest are no facts of a query.
    assert held_out.extrapolated == 0


def test_equal_relative_weights_bring_the_smallest_points_in(shared: Path) -> None:
    corpus = read_corpus(shared / "data/waveflow/fir_cosim_points.csv").where("role", "fit")
    plain = fit_linear(corpus, "period_cyc", ["trips"])
    relative = fit_linear(corpus, "period_cyc", ["trips"], weights="inverse_square")
    assert relative.accuracy.max_rel_error < plain.accuracy.max_rel_error
    trips, period = corpus.numbers("trips"), corpus.numbers("period_cyc")
    root = 1 / period
    expected = np.linalg.lstsq(np.column_stack([trips, np.ones(len(trips))]) * root[:, None], period * root)[0]
    assert isinstance(relative.model, LinearModel)
    assert [relative.model.coefficients["trips"], relative.model.intercept] == pytest.approx(expected)


def test_a_law_through_the_origin_has_physical_rates() -> None:
    grid = [(t, t * n) for t in (1, 2, 4, 8) for n in (64, 256, 1024)]
    corpus = corpus_of({"t": [t for t, _ in grid], "n": [n for _, n in grid], "span": [5 * t + n for t, n in grid]})
    fit = fit_linear(corpus, "span", ["t", "n"], intercept=False)
    assert isinstance(fit.model, LinearModel)
    assert fit.model.coefficients == pytest.approx({"t": 5.0, "n": 1.0})
    assert fit.model.intercept is None
    assert (fit.level, fit.summary.n_free_parameters) == (Level.EXACT, 2)


def test_repeating_a_measurement_confirms_no_form() -> None:
    corpus = corpus_of({"n": [16, 16, 32, 32], "cycles": [42, 42, 74, 74]})
    fit = fit_linear(corpus, "cycles", ["n"])
    assert (fit.summary.n_points, fit.summary.n_distinct_points) == (4, 2)
    assert fit.level is Level.INTERPOLATED


def test_r2_of_equal_measurements_is_one_if_they_are_met_and_undefined_if_not() -> None:
    corpus = corpus_of({"n": [1, 2, 3], "cycles": [7, 7, 7]})
    assert fit_linear(corpus, "cycles", ["n"]).accuracy.r2 == 1.0
    assert fit_linear(corpus, "cycles", ["n"], intercept=False).accuracy.r2 is None


def test_the_unroll_factor_that_explains_best_is_kept() -> None:
    n = list(range(1, 40))
    corpus = corpus_of({"n": n, "cycles": [30 + 3 * (-(-k // 4) - 1) for k in n]})
    fit, scores = best_unroll(corpus, "cycles", "n", (1, 2, 4, 8))
    assert isinstance(fit.model, LoopModel)
    assert (fit.model.unroll, fit.model.latency, fit.model.ii) == pytest.approx((4, 30, 3))
    assert fit.level is Level.EXACT
    assert scores[4] == 1.0
    assert all(score is not None and score < 1 for unroll, score in scores.items() if unroll != 4)


def test_a_table_takes_the_mean_of_equal_sizes_and_leaves_knots_out() -> None:
    corpus = corpus_of({"n": [256, 64, 256, 1024, 256], "cycles": [69, 70, 70, 268, 71]})
    fit = fit_table(corpus, "cycles", ["n"])
    assert isinstance(fit.model, TableModel)
    assert (fit.model.x, fit.model.y) == ((64.0, 256.0, 1024.0), (70.0, 70.0, 268.0))
    assert fit.level is Level.INTERPOLATED
    assert fit.left_out is not None
    # Without the knot at 1024 the table answers 70 there.
    assert fit.left_out.max_rel_error == pytest.approx(198 / 268)
    with pytest.raises(InputError, match="a table has one feature, not 2"):
        fit_table(corpus, "cycles", ["n", "m"])


def test_a_lookup_keeps_the_last_of_a_repeated_point() -> None:
    corpus = corpus_of({"n": [4, 16, 4], "k": [1, 1, 1], "cycles": [9, 8, 7]})
    fit = fit_lookup(corpus, "cycles", ["n", "k"])
    assert fit.model.cycles({"n": 4.0, "k": 1}) == 7.0
    assert fit.left_out is None


def test_every_row_that_cannot_be_fitted_is_named() -> None:
    corpus = parse_corpus("n,cycles\n0,5\n4,0\n-1,-2\n", "c.csv")
    with pytest.raises(InputError) as refused:
        fit_loop(corpus, "cycles", "n")
    assert [p.line for p in refused.value.problems] == [2, 4]
    with pytest.raises(InputError) as refused:
        fit_linear(corpus, "cycles", ["n"], weights="inverse_square")
    assert [p.line for p in refused.value.problems] == [3, 4]
    with pytest.raises(InputError, match='"cycles" is the target') as refused:
        fit_linear(corpus, "cycles", ["n", "cycles", "n"])
    assert len(refused.value.problems) == 2


SIZES = st.lists(st.integers(1, 500), min_size=3, max_size=12, unique=True)


@given(SIZES, st.integers(0, 300), st.integers(1, 40), st.sampled_from([1, 2, 4, 16]))
def test_a_synthetic_loop_is_recovered(sizes: list[int], latency: int, ii: int, unroll: int) -> None:
    m = [-(-n // unroll) for n in sizes]
    corpus = corpus_of({"n": sizes, "cycles": [latency + ii * (k - 1) for k in m]})
    fit = fit_loop(corpus, "cycles", "n", unroll=unroll)
    for n, k in zip(sizes, m, strict=True):
        assert fit.model.cycles({"n": n}) == pytest.approx(latency + ii * (k - 1), abs=1e-8)
    if len(set(m)) > 1:
        assert isinstance(fit.model, LoopModel)
        assert (fit.model.latency, fit.model.ii) == pytest.approx((latency, ii), rel=1e-9, abs=1e-8)
    assert (fit.level is Level.EXACT) == (len(set(m)) > 2)
    assert bool(fit.not_identifiable) == (len(set(m)) == 1)


@given(SIZES, st.data())
def test_permuting_the_rows_changes_nothing_at_all(sizes: list[int], data: st.DataObject) -> None:
    cycles = data.draw(st.lists(st.integers(1, 999), min_size=len(sizes), max_size=len(sizes)))
    order = data.draw(st.permutations(range(len(sizes))))
    one = corpus_of({"n": sizes, "k": [n % 7 for n in sizes], "cycles": cycles})
    other = one.kept(order)
    for fit in (
        lambda c: fit_linear(c, "cycles", ["n", "k"]),
        lambda c: fit_linear(c, "cycles", ["n"], weights="inverse_square", intercept=False),
        lambda c: fit_loop(c, "cycles", "n", unroll=2),
        lambda c: fit_table(c, "cycles", ["k"]),
    ):
        a, b = fit(one), fit(other)
        assert a.model == b.model
        assert (a.accuracy, a.left_out) == (b.accuracy, b.left_out)
        assert [a.predicted[k] for k in order] == b.predicted.tolist()
