"""The critical path of a run: back from what ended last, always to what was waited for last."""

from __future__ import annotations

from fractions import Fraction

from topology.collectives.running import CollectiveRun
from topology.collectives.send import Send


def critical_sends(run: CollectiveRun) -> list[tuple[Send, Fraction]]:
    """The sends on it, first to last, each with the picoseconds until the next one could start, or until the end.

    Together they are the whole time since the first rank's arrival that mattered.
    """
    if not run.times:
        return []
    sends = {send.name: send for send in run.plan.sends}
    name: str | None = max(run.times, key=lambda name: run.times[name].usable)
    assert name is not None
    until = run.times[name].usable
    found = []
    while name is not None:
        times = run.times[name]
        found.append((sends[name], until - times.ready))
        name, until = times.bound_by, Fraction(times.ready)
    return found[::-1]
