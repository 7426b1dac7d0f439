"""Times of a corpus in cycles: all fitted timing is stored in cycles, whatever it was measured in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simcore.errors import InputError, Problem
from simcore.timing.clock import Clock
from simcore.timing.corpus import NS_PER_UNIT, Corpus

CYCLES = "cycles"


def in_cycles(corpus: Corpus, target: str, clock: Clock | None) -> Corpus:
    """``corpus`` with its column ``target`` in cycles; a column whose header states no unit is taken as cycles.

    Raises InputError for a time without a ``clock`` to convert it, and for a unit that is no time.
    """
    column = corpus.column(target)
    if column.unit in (None, CYCLES):
        return corpus
    scale = NS_PER_UNIT.get(column.unit)
    if scale is None:
        text = (
            f'the target "{target}" is in {column.unit}, which is no time (allowed: cycles, {", ".join(NS_PER_UNIT)})'
        )
        raise InputError([Problem(text, corpus.path, 1)])
    if clock is None:
        text = (
            f'the target "{target}" is in {column.unit}; timing is stored in cycles, which takes the clock (--clock-hz)'
        )
        raise InputError([Problem(text, corpus.path, 1)])
    values = np.array([clock.cycles_of_ns(scale * value) for value in corpus.numbers(target).tolist()])
    columns = tuple(replace(c, unit=CYCLES, values=values) if c.name == target else c for c in corpus.columns)
    return replace(corpus, columns=columns)
