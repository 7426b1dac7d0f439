"""Every form as a model: declared on a seed, fitted, inside and outside what was measured."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.errors import InputError
from simcore.timing.composite import ConcatModel, DerivedModel, FormulaModel, SumModel
from simcore.timing.confidence import Confidence, Facts, Level
from simcore.timing.corpus import corpus_of
from simcore.timing.fit import fit_linear, fit_lookup, fit_table
from simcore.timing.fit_summary import FitSummary
from simcore.timing.linear import LinearModel
from simcore.timing.loop import LoopModel
from simcore.timing.model import Row, estimate
from simcore.timing.table import LookupModel, TableModel

AFFINE = corpus_of({"n": [16, 32, 48, 64, 80, 96], "cycles": [42, 74, 106, 138, 170, 202]})
NOISY = corpus_of({"n": [16, 32, 48, 64, 80, 96], "cycles": [42, 74, 113, 138, 170, 202]})


def test_a_declared_loop_runs_on_its_seed_and_says_so() -> None:
    model = LoopModel("cycles", "n", latency=12, ii=2, unroll=4, from_seed=True)
    assert [model.cycles({"n": n}) for n in (1, 4, 5, 64)] == [12, 12, 14, 42]
    found = model.confidence({"n": 64})
    assert found.to_json() == {
        "level": "UNCALIBRATED",
        "model_form": "loop",
        "from_seed": True,
        "has_fitted_params": False,
    }
    assert found.summary == "UNCALIBRATED: runs on its seed, never fitted"


def test_parameters_without_a_record_of_their_fit_are_uncalibrated_though_they_predict() -> None:
    model = LinearModel("cycles", {"n": 2.0}, 10.0)
    assert model.cycles({"n": 64}) == 138.0
    found = model.confidence({"n": 64})
    assert found.level is Level.UNCALIBRATED
    assert (found.facts.from_seed, found.facts.has_fitted_params) == (False, True)


@pytest.mark.parametrize("n", [0, -3, float("nan")])
def test_a_loop_over_nothing_has_no_duration(n: float) -> None:
    with pytest.raises(InputError, match="has no duration"):
        LoopModel("cycles", "n", 12, 2, from_seed=True).cycles({"n": n})


def test_a_missing_fact_is_named_with_what_there_is() -> None:
    with pytest.raises(InputError, match=r'cycles: the firing does not say "nwords" \(allowed: k, nword; did you'):
        LinearModel("cycles", {"nwords": 1.0}, from_seed=True).cycles({"nword": 3, "k": 1})


def test_an_over_determined_form_that_meets_its_points_is_exact_inside_and_extrapolated_outside() -> None:
    model = fit_linear(AFFINE, "cycles", ["n"]).model
    assert model.confidence({"n": 64}).level is Level.EXACT
    assert model.confidence({"n": 16}).level is Level.EXACT
    outside = model.confidence({"n": 500})
    assert outside.level is Level.EXTRAPOLATED
    assert outside.facts.outside == {"n": (500.0, 16.0, 96.0)}
    assert outside.facts.form_exact is True
    assert outside.summary == "EXTRAPOLATED: n=500 is outside 16..96"


def test_a_form_that_misses_a_point_is_interpolated_inside() -> None:
    model = fit_linear(NOISY, "cycles", ["n"]).model
    inside = model.confidence({"n": 48})
    assert inside.level is Level.INTERPOLATED
    assert inside.facts.max_rel_residual is not None
    assert inside.facts.max_rel_residual > 0
    assert model.confidence({"n": 500}).facts.form_exact is False


def test_as_many_points_as_parameters_prove_nothing() -> None:
    model = fit_linear(AFFINE.kept([0, 1]), "cycles", ["n"]).model
    inside = model.confidence({"n": 24})
    assert (inside.level, inside.facts.degenerate_fit) == (Level.INTERPOLATED, True)
    assert "proves nothing" in inside.summary


def test_facts_that_the_form_does_not_use_are_held_against_their_range_and_missing_ones_are_not() -> None:
    corpus = corpus_of({"n": [1, 2, 3], "width": [8, 16, 8], "cycles": [2, 4, 6]})
    model = fit_linear(corpus, "cycles", ["n"]).model
    assert model.confidence({"n": 2}).level is Level.EXACT
    assert model.confidence({"n": 2, "width": 8, "colour": 99}).level is Level.EXACT
    assert model.confidence({"n": 2, "width": 32}).facts.outside == {"width": (32.0, 8.0, 16.0)}


def test_exactness_allows_what_double_arithmetic_leaves_on_long_times() -> None:
    corpus = corpus_of({"n": [1, 2, 3, 7], "cycles": [3_000_001 + 1e9 * n for n in (1, 2, 3, 7)]})
    assert fit_linear(corpus, "cycles", ["n"]).level is Level.EXACT


def test_levels_sort_from_what_needs_attention_first() -> None:
    assert [level.name for level in sorted(Level, reverse=True)[::-1]] == [
        "UNCALIBRATED",
        "EXTRAPOLATED",
        "INTERPOLATED",
        "EXACT",
    ]


def test_a_table_is_straight_between_knots_and_flat_beyond_them() -> None:
    corpus = corpus_of({"n": [64, 256, 1024], "cycles": [70, 260, 268]})
    model = fit_table(corpus, "cycles", ["n"]).model
    assert [model.cycles({"n": n}) for n in (256, 160, 4096, 1)] == [260, 165, 268, 70]
    assert model.cycles({"n": 128}) == pytest.approx(133.3, abs=0.05)
    beyond = model.confidence({"n": 4096})
    assert beyond.level is Level.EXTRAPOLATED
    assert (beyond.facts.clamped, beyond.facts.clamped_to) == (True, 1024.0)
    assert model.confidence({"n": 256}).level is Level.INTERPOLATED
    seed = TableModel("cycles", "n", (1, 2), (3, 4), from_seed=True)
    assert seed.confidence({"n": 1}).level is Level.UNCALIBRATED


def test_a_table_of_bad_knots_cannot_be_made() -> None:
    for x, y in (((), ()), ((1, 2), (3,)), ((2, 2), (3, 4)), ((3, 2), (3, 4))):
        with pytest.raises(ValueError, match="table"):
            TableModel("cycles", "n", x, y)


def test_a_lookup_knows_its_points_and_nothing_else() -> None:
    grid = [(n, k) for n in (4, 16, 64) for k in (1, 2)]
    corpus = corpus_of(
        {"n": [n for n, _ in grid], "k": [k for _, k in grid], "cycles": [8 + 1.5 * n + 3 * k for n, k in grid]}
    )
    model = fit_lookup(corpus, "cycles", ["n", "k"]).model
    assert estimate(model, {"n": 4.0, "k": 2}).cycles == 20.0
    assert model.confidence({"n": 4, "k": 2}).level is Level.EXACT
    elsewhere = estimate(model, {"n": 17, "k": 2})
    assert (elsewhere.cycles, elsewhere.confidence.level) == (0.0, Level.UNCALIBRATED)
    with pytest.raises(InputError, match='does not say "k"'):
        model.cycles({"n": 4})
    with pytest.raises(ValueError, match="every point once"):
        LookupModel("cycles", ("n",), ((1.0,), (1.0,)), (1.0, 2.0))


def test_a_formula_is_believed_as_far_as_it_was_checked() -> None:
    formula = FormulaModel("cycles", lambda row: 2 * row["n"] + 10)
    assert formula.cycles({"n": 3}) == 16
    assert formula.confidence({"n": 3}).level is Level.UNCALIBRATED
    checked = FormulaModel("cycles", formula.formula, FitSummary({"n": (1, 5)}, 3, 3, 0, 0.0, 0.0, 20.0))
    assert checked.confidence({"n": 3}).level is Level.EXACT
    assert checked.confidence({"n": 9}).level is Level.EXTRAPOLATED


def test_features_are_derived_from_the_facts_of_the_row() -> None:
    def derived(row: Row) -> Row:
        return {"row_setup": row["clk"] * (row["nr"] - 1), "beat": row["clk"] * row["nr"] * row["nc"]}

    clk = 10e-9
    facts = [{"clk": clk, "nr": nr, "nc": nc} for nr in (1, 4, 16) for nc in (16, 64, 256)]
    made = [{**f, **derived(f), "seconds": (8 * (f["nr"] - 1) + f["nr"] * f["nc"]) * clk} for f in facts]
    corpus = corpus_of({name: [row[name] for row in made] for name in made[0]})
    fitted = fit_linear(corpus, "seconds", ["row_setup", "beat"], intercept=False).model
    assert isinstance(fitted, LinearModel)
    assert fitted.coefficients == pytest.approx({"row_setup": 8.0, "beat": 1.0})
    model = DerivedModel(fitted, derived)
    assert model.cycles({"clk": 10e-9, "nr": 4, "nc": 64}) == pytest.approx(2.8e-6)
    assert model.cycles({"clk": 2e-9, "nr": 4, "nc": 64}) == pytest.approx(5.6e-7)
    assert model.confidence({"clk": 10e-9, "nr": 4, "nc": 64}).level is Level.EXACT
    assert set(model.confidence({"clk": 2e-9, "nr": 4, "nc": 64}).facts.outside) == {"clk"}


def test_a_sum_is_as_good_as_its_weakest_part() -> None:
    known = fit_linear(AFFINE, "cycles", ["n"]).model
    guess = LoopModel("cycles", "n", 5, 1, from_seed=True)
    total = SumModel({"load": known, "compute": guess, "store": None})
    assert total.cycles({"n": 16}) == 42 + 20
    assert total.confidence({"n": 16}).facts.weakest == ("compute", "store")
    assert SumModel({"load": known}).confidence({"n": 16}).level is Level.EXACT
    assert SumModel({"load": known}).confidence({"n": 999}).to_json() == {"level": "EXTRAPOLATED", "weakest": ["load"]}
    assert SumModel({}).confidence({}).level is Level.UNCALIBRATED


def test_several_targets_come_from_the_first_that_claims_them() -> None:
    n = [2, 4, 8, 16]
    lut = fit_linear(corpus_of({"n": n, "lut": [100 + 30 * k for k in n]}), "lut", ["n"]).model
    dsp = FormulaModel("dsp", lambda row: 2 * row["n"], FitSummary({}, 4, 4, 0, 0.0, 0.0, 32.0))
    both = ConcatModel({"rule": dsp, "fit": lut}, {"rule": ("dsp",), "fit": ("lut", "dsp")})
    assert both.targets == ("dsp", "lut")
    assert {name: e.cycles for name, e in both.estimates({"n": 6}).items()} == pytest.approx({"dsp": 12, "lut": 280})
    assert both.confidence({"n": 999}) == Confidence(Level.EXTRAPOLATED, Facts(weakest=("lut",)))
    with pytest.raises(InputError, match='no model for the target "ff"'):
        both.estimate({"n": 6}, "ff")


@given(st.dictionaries(st.sampled_from("abc"), st.floats(-1e6, 1e6), min_size=1), st.floats(-1e6, 1e6), st.data())
def test_no_prediction_is_negative(rates: dict[str, float], intercept: float, data: st.DataObject) -> None:
    row = {name: data.draw(st.floats(-1e6, 1e6)) for name in rates}
    model = LinearModel("y", rates, intercept, from_seed=True)
    assert model.cycles(row) == max(0.0, model.law(row))
    below = model.confidence(row).facts.below_zero
    assert below == (model.law(row) if model.law(row) < 0 else None)


@given(st.integers(1, 10_000), st.integers(1, 64), st.integers(0, 500), st.integers(0, 50))
def test_the_loop_law_to_the_cycle(n: int, unroll: int, latency: int, ii: int) -> None:
    model = LoopModel("cycles", "n", latency, ii, unroll, from_seed=True)
    m = -(-n // unroll)
    assert model.iterations({"n": n}) == m
    assert model.cycles({"n": n}) == latency + ii * (m - 1)


def test_a_fitted_model_survives_json() -> None:
    for model in (
        fit_linear(AFFINE, "cycles", ["n"]).model,
        fit_table(AFFINE, "cycles", ["n"]).model,
        fit_lookup(AFFINE, "cycles", ["n"]).model,
    ):
        kind = LinearModel | TableModel | LookupModel
        again = msgspec.json.decode(msgspec.json.encode(model), type=kind)
        assert again == model
        assert again.confidence({"n": 64}) == model.confidence({"n": 64})
