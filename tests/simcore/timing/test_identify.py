"""What the points cannot tell apart is said, and the points that are advised do tell it apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.timing.corpus import corpus_of
from simcore.timing.fit import fit_linear, fit_loop
from simcore.timing.identify import explain, relations
from simcore.timing.least_squares import solve


def test_full_bursts_are_named_with_the_sizes_that_split_the_cost() -> None:
    corpus = corpus_of({"num_trans": [4, 8, 16], "nwords": [64, 128, 256], "residual": [11, 15, 16]})
    (found,) = fit_linear(corpus, "residual", ["num_trans", "nwords"]).not_identifiable
    assert str(found) == (
        "num_trans and nwords not identifiable: num_trans = nwords/16 in every row; measure sizes where "
        "num_trans = ceil(nwords/16) departs from nwords/16, such as nwords=65 (num_trans=5) and "
        "nwords=241 (num_trans=16)"
    )


def test_any_other_line_is_named_with_a_point_off_it() -> None:
    corpus = corpus_of({"a": [1, 2, 4], "b": [5, 8, 14], "y": [1, 2, 3]})
    (found,) = fit_linear(corpus, "y", ["a", "b"]).not_identifiable
    assert found.relation == "a = 0.333333*b - 0.666667"
    assert found.points == ({"a": 1.0, "b": 14.0},)


def test_a_constant_feature_is_told_apart_from_the_intercept() -> None:
    corpus = corpus_of({"n": [1, 2, 3], "n_fwd": [1, 1, 1], "y": [1, 2, 4]})
    (found,) = fit_linear(corpus, "y", ["n", "n_fwd"]).not_identifiable
    assert str(found) == "n_fwd not identifiable: n_fwd is 1 in every row; measure another value of n_fwd, such as 2"
    assert fit_linear(corpus, "y", ["n", "n_fwd"], intercept=False).not_identifiable == ()


def test_a_relation_of_three_features_names_the_three() -> None:
    corpus = corpus_of({"a": [1, 5, 2, 8], "b": [1, 2, 7, 3], "c": [2, 7, 9, 11], "y": [1, 2, 3, 4]})
    (found,) = fit_linear(corpus, "y", ["a", "b", "c"], intercept=False).not_identifiable
    assert found.columns == ("a", "b", "c")
    assert found.relation == "a = - b + c"


def test_a_loop_measured_at_one_number_of_iterations_asks_for_another() -> None:
    corpus = corpus_of({"n": [61, 62, 64], "cycles": [40, 41, 42]})
    (found,) = fit_loop(corpus, "cycles", "n", unroll=4).not_identifiable
    assert str(found) == (
        "latency and ii not identifiable: ceil(n/4) is 16 in every row; "
        "measure another number of iterations, such as n=128"
    )


@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=1, max_size=6), st.booleans())
def test_measuring_every_advised_point_leaves_nothing_open(rows: list[list[int]], intercept: bool) -> None:
    names, design = ("a", "b", "c"), np.array(rows, dtype=np.float64)
    for _ in range(4):
        found = relations(names, design, solve(design, design[:, 0], intercept=intercept).null)
        if not found:
            break
        for relation in found:
            for row in design:
                assert relation.holds(dict(zip(names, row, strict=True)))
        advised = []
        for reason, relation in zip(explain(names, design, found), found, strict=True):
            for point in reason.points:
                full = dict(zip(names, design[-1], strict=True)) | point
                assert not relation.holds(full)
                advised.append([full[name] for name in names])
        design = np.vstack([design, advised])
    assert solve(design, design[:, 0], intercept=intercept).rank == 3


@pytest.mark.parametrize("k", [2, 16, 100])
def test_advised_burst_sizes_identify_the_law_that_made_the_points(k: int) -> None:
    words = np.array([k, 4 * k, 9 * k], dtype=float)
    before = corpus_of({"t": list(words / k), "n": list(words), "y": list(words + 2 * words / k + 5)})
    (found,) = fit_linear(before, "y", ["t", "n"]).not_identifiable
    n = [*words, *(p["n"] for p in found.points)]
    t = [*words / k, *(p["t"] for p in found.points)]
    y = [a + 2 * b + 5 for a, b in zip(n, t, strict=True)]
    model = fit_linear(corpus_of({"t": t, "n": n, "y": y}), "y", ["t", "n"]).model
    assert model.cycles({"t": 3, "n": 3 * k - 1}) == pytest.approx(3 * k - 1 + 6 + 5)
