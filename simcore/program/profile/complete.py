"""Whether a profile shows what a prediction is held against and what constants are fitted to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simcore.program.columns import Flag
from simcore.program.measured import Measurement
from simcore.program.program import Program


def lacking(profile: Program, measured: Measurement) -> Iterator[str]:
    """What is missing of ``profile`` (one block), each named by its table."""
    columns = profile.blocks[0][1].columns
    if np.any(columns.flags & Flag.TRANSFER) and not measured.packets:
        yield 'the tables "dma" and "dma_queues_info" show no packet of a queue that the kernel triggers'
    if any(row.sets for row in measured.instructions) and not measured.semaphores:
        yield 'the table "semaphore_update" shows no update, though instructions raise semaphores'
    if any(row.waits for row in measured.instructions) and not len(columns.dep_on):
        yield 'the table "instruction": rows wait for semaphores, but none names its predecessors'


def same_runs(profiles: list[Program]) -> Iterator[tuple[Program, Program]]:
    """(profile, an earlier one) where both hold the same measurement, whatever their files are called."""
    for k, profile in enumerate(profiles):
        earlier = next((p for p in profiles[:k] if p.measured is not None and p.measured == profile.measured), None)
        if earlier is not None:
            yield profile, earlier
