"""Pairwise exchange: every rank sends every other its part directly, in each step to one that is a step farther on.

In step s rank i sends to rank i + s and receives from rank i - s (R. Thakur, R. Rabenseifner and W. Gropp, Optimization
of collective communication operations in MPICH, IJHPCA 2005: their all-to-all of long messages).
"""

from __future__ import annotations

from collections.abc import Sequence

from topology.collectives.draft import Draft
from topology.collectives.send import Run


def all_to_all_pairwise(draft: Draft, ranks: int, blocks: Sequence[Run]) -> None:
    """Each of ``ranks`` ranks has all ``blocks``, and sends block k to rank k."""
    for step in range(1, ranks):
        for rank in range(ranks):
            to = (rank + step) % ranks
            draft.send("all_to_all", step - 1, rank, to, blocks[to])
