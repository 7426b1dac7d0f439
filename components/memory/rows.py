"""Many services at once: the recurrence of a queue, solved for all its requests in one go."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Moments = npt.NDArray[np.int64]

FITS = 1 << 61
"""Moments, and their distance, below this can be added without leaving 64 bits."""


def ends_in_turn(asked: Moments, service: int, free_at: Moments) -> Moments:
    """When services that take ``service`` each are over, column by column, one after the other down the rows.

    ``asked``: (requests, queues), moments that may not fall; ``free_at``: (queues,). It is what
    ``end[i] = max(asked[i], end[i-1]) + service`` comes to, with ``free_at`` before the first.
    """
    ramp = np.arange(len(asked), dtype=np.int64)[:, None] * service
    slack = asked - ramp
    slack[0] = np.maximum(slack[0], free_at)
    ends: npt.NDArray[Any] = np.maximum.accumulate(slack, axis=0) + ramp + service
    return ends
