"""The start barrier: all PEs of a kernel begin at once, when the farthest of them can (ADR-0048).

Source of the formula: the published predecessor (ywkang/kernbench2, ADR of March 2026), whose IO CPU adds the path from
itself to an M CPU and from there to a PE, counts each CPU once, and takes the maximum over all targets.
"""

from __future__ import annotations

from dataclasses import replace

from components.host.orders import Order, PeWork, RunKernel


def farthest_ticks(order: Order) -> int:
    """From now until the last PE of ``order`` has decoded it, in ticks, if nothing is in the way."""
    return max(
        errand.travel_ticks + (farthest_ticks(errand.body) if isinstance(errand.body, Order) else 0)
        for errand in order.errands
    )


def with_start(order: Order, start_ticks: int) -> Order:
    """``order`` with every kernel in it set to begin at ``start_ticks``."""
    return replace(order, errands=tuple([replace(e, body=_started(e.body, start_ticks)) for e in order.errands]))


def _started(body: Order | PeWork, start_ticks: int) -> Order | PeWork:
    if isinstance(body, Order):
        return with_start(body, start_ticks)
    return replace(body, start_ticks=start_ticks) if isinstance(body, RunKernel) else body
