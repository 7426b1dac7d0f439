"""Random formulas, each written as ours and as Python whose numbers are fractions."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True)
class Written:
    """One formula: for us, and for Python's ``eval`` with ``F`` as Fraction (``floor`` and ``ceil`` as in math)."""

    ours: str
    python: str


def _binary(parts: tuple[Written, str, Written]) -> Written:
    left, sign, right = parts
    return Written(f"({left.ours} {sign} {right.ours})", f"({left.python} {sign} {right.python})")


def _function(name: str, arguments: list[Written]) -> Written:
    return Written(
        f"{name}({', '.join(a.ours for a in arguments)})", f"F({name}({', '.join(a.python for a in arguments)}))"
    )


def _flat(parts: tuple[Written, list[tuple[str, Written]]]) -> Written:
    """Without brackets, so that precedence and associativity count."""
    first, rest = parts
    return Written(
        " ".join([first.ours, *(f"{sign} {w.ours}" for sign, w in rest)]),
        " ".join([first.python, *(f"{sign} {w.python}" for sign, w in rest)]),
    )


whole = st.integers(0, 40).map(lambda n: Written(str(n), f"F({n})"))
decimal = st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda p: f"{p[0]}.{p[1]:02d}")
numbers = st.one_of(whole, decimal.map(lambda text: Written(text, f"F('{text}')")))
signs = st.sampled_from(["+", "-", "*", "/", "//", "%"])
comparisons = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])


def _larger(inner: st.SearchStrategy[Written]) -> st.SearchStrategy[Written]:
    return st.one_of(
        st.tuples(inner, signs, inner).map(_binary),
        st.tuples(inner, st.lists(st.tuples(signs, inner), min_size=1, max_size=3)).map(_flat).map(_in_brackets),
        inner.map(lambda w: Written(f"-{w.ours}", f"-{w.python}")).map(_in_brackets),
        st.tuples(st.sampled_from(["abs", "floor", "ceil"]), inner).map(lambda p: _function(p[0], [p[1]])),
        st.tuples(st.sampled_from(["min", "max"]), st.lists(inner, min_size=2, max_size=3)).map(
            lambda p: _function(*p)
        ),
    )


def _in_brackets(written: Written) -> Written:
    return Written(f"({written.ours})", f"({written.python})")


number_formulas = st.recursive(numbers, _larger, max_leaves=12)
_comparison = st.tuples(number_formulas, st.lists(st.tuples(comparisons, number_formulas), min_size=1, max_size=2)).map(
    _flat
)


def _larger_truth(inner: st.SearchStrategy[Written]) -> st.SearchStrategy[Written]:
    return st.one_of(
        st.tuples(inner, st.lists(st.tuples(st.sampled_from(["and", "or"]), inner), min_size=1, max_size=3)).map(_flat),
        inner.map(_in_brackets),
        inner.map(lambda w: Written(f"not ({w.ours})", f"not ({w.python})")),
    )


truth_formulas = st.recursive(_comparison, _larger_truth, max_leaves=6)
