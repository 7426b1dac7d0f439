"""Costs of a block by laws: one number per event whose opcode has a law, the analytic cost for all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simcore.oracle.group import Group, first_accesses
from simcore.oracle.learned.features import feature_matrix
from simcore.oracle.learned.law import Law
from simcore.program.columns import Array, Columns
from simcore.program.opcodes import Opcode
from simcore.timing.confidence import Level

GIVEN = -1
"""Stands for a confidence level where the program gives the cost."""

_CHUNK = 1 << 14
"""Events whose features are held at a time."""


@dataclass(frozen=True, slots=True)
class LearnedCosts:
    """Costs of n events. ``total_ns``, ``analytic_ns``: int64[n], with the laws and without them.

    ``law``: int16[n], index into ``laws``, -1 where none was used. ``level``: int8[n], a confidence
    :class:`~simcore.timing.confidence.Level`: UNCALIBRATED where no law was there to use, ``GIVEN`` for a given cost.
    """

    total_ns: Array
    analytic_ns: Array
    law: Array
    level: Array
    laws: tuple[Law, ...]


def learned_costs(columns: Columns, laws: Sequence[Law], analytic_ns: Array, given: Array) -> LearnedCosts:
    """The block's costs by ``laws``, rounded to the nearest nanosecond; ``given`` (bool[n]) events keep theirs."""
    total = analytic_ns.copy()
    used = np.full(len(columns), -1, dtype=np.int16)
    level = np.where(given, np.int8(GIVEN), np.int8(Level.UNCALIBRATED))
    first_access = first_accesses(columns)
    for index, law in enumerate(laws):
        events = np.flatnonzero((columns.opcode == Opcode[law.opcode]) & ~given)
        used[events] = index
        for begin in range(0, len(events), _CHUNK):
            chosen = events[begin : begin + _CHUNK]
            features = feature_matrix(Group(columns, chosen, first_access))
            total[chosen] = np.floor(law.predict(features) + 0.5).astype(np.int64)
            level[chosen] = law.levels(features)
    return LearnedCosts(total, analytic_ns, used, level, tuple(laws))
