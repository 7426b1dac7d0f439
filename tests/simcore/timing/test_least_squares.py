"""The solver: laws come back, order and units do not matter, leaving out equals really leaving out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simcore.timing.least_squares import Array, left_out, solve

RATES = st.floats(-50, 50).map(lambda x: round(x, 3))


@st.composite
def designs(draw: st.DrawFn, least: int = 4) -> Array:
    """Points (n, 2) of small whole numbers: often collinear, repeated or constant."""
    rows = draw(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=least, max_size=9))
    return np.array(rows, dtype=np.float64)


def minimum_norm(design: Array, target: Array, *, intercept: bool) -> Array:
    """By the book: the pseudo-inverse of the centred points."""
    x = design - design.mean(axis=0) if intercept else design
    y = target - target.mean() if intercept else target
    return np.linalg.pinv(x, rcond=1e-9) @ y


@given(designs(), RATES, RATES, RATES, st.booleans())
def test_a_law_that_made_the_points_is_met_at_every_point(
    design: Array, a: float, b: float, c: float, intercept: bool
) -> None:
    target = design @ np.array([a, b]) + (c if intercept else 0.0)
    solution = solve(design, target, intercept=intercept)
    assert solution.at(design) == pytest.approx(target, abs=1e-9)
    if solution.rank == 2:
        assert solution.coefficients == pytest.approx([a, b], abs=1e-8)
        assert not intercept or solution.intercept == pytest.approx(c, abs=1e-7)


@given(designs(), st.data(), st.booleans())
def test_of_several_solutions_it_is_the_one_of_least_norm(design: Array, data: st.DataObject, intercept: bool) -> None:
    target = np.array(data.draw(st.lists(RATES, min_size=len(design), max_size=len(design))))
    solution = solve(design, target, intercept=intercept)
    assert solution.coefficients == pytest.approx(minimum_norm(design, target, intercept=intercept), abs=1e-7)


@given(designs(), st.data(), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_a_unit_scales_its_coefficient_and_nothing_else(
    design: Array, data: st.DataObject, unit: float, target_unit: float
) -> None:
    target = np.array(data.draw(st.lists(RATES, min_size=len(design), max_size=len(design))))
    plain = solve(design, target)
    assume(plain.rank == 2)
    scaled = solve(design * np.array([unit, 1.0]), target * target_unit)
    expected = plain.coefficients * target_unit / np.array([unit, 1.0])
    size = np.abs(expected).max() + target_unit * np.abs(target).max() + 1e-12
    assert scaled.coefficients * [unit, 1.0] == pytest.approx(expected * [unit, 1.0], rel=1e-6, abs=1e-9 * size)
    assert scaled.rank == plain.rank


@given(designs(), st.data(), st.booleans(), st.booleans())
def test_leaving_out_equals_brute_force(design: Array, data: st.DataObject, intercept: bool, weighted: bool) -> None:
    target = np.array(data.draw(st.lists(st.integers(1, 50), min_size=len(design), max_size=len(design))), dtype=float)
    weights = (target.min() / target) ** 2 if weighted else None
    expected = []
    for k in range(len(target)):
        kept = np.arange(len(target)) != k
        others = solve(design[kept], target[kept], None if weights is None else weights[kept], intercept=intercept)
        expected.append(others.at(design[k : k + 1])[0])
    assert left_out(design, target, weights, intercept=intercept) == pytest.approx(expected, rel=1e-7, abs=1e-7)


@given(designs(), st.data())
def test_weights_count_as_repetitions_do(design: Array, data: st.DataObject) -> None:
    target = np.array(data.draw(st.lists(RATES, min_size=len(design), max_size=len(design))))
    times = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(design), max_size=len(design))))
    weighted = solve(design, target, times.astype(float))
    repeated = solve(np.repeat(design, times, axis=0), np.repeat(target, times))
    assert weighted.coefficients == pytest.approx(repeated.coefficients, abs=1e-7)


def test_what_is_determined_does_not_depend_on_a_unit() -> None:
    n = np.array([64.0, 128, 256, 100])
    bursts = np.ceil(n / 16)
    for unit in (1e-12, 1.0, 1e12):
        assert solve(np.column_stack([bursts * unit, n]), n).rank == 2
    full = np.column_stack([n[:3] / 16, n[:3]])
    assert solve(full, n[:3]).rank == 1


def test_a_hundred_thousand_points_are_solved_in_their_own_size() -> None:
    n = np.arange(1.0, 100_001.0)
    design = np.column_stack([n, np.ceil(n / 16)])
    target = design @ [1.0, 2.0] - 2
    solution = solve(design, target)
    assert [*solution.coefficients, solution.intercept] == pytest.approx([1.0, 2.0, -2.0], abs=1e-9)
    assert left_out(design, target) == pytest.approx(target, abs=1e-6)


def test_a_single_point_gives_itself() -> None:
    solution = solve(np.array([[8.0, 128.0]]), np.array([142.0]))
    assert (solution.rank, solution.intercept) == (0, 142.0)
    assert solution.coefficients.tolist() == [0.0, 0.0]
