"""The rules and relations of an estimate. The machine's are in :mod:`components.core.rules`."""

from __future__ import annotations

from simcore.explain.relations import Relations, relations_of
from simcore.explain.rules import Rules
from simcore.perfsim.estimate import BlockEstimate, Estimate
from simcore.perfsim.options import PerfSimOptions
from simcore.perfsim.walk import BANKS
from simcore.program.engines import BARRIER_LANES
from simcore.program.vocabulary import QUEUE_COUNT


def rules_of(options: PerfSimOptions, arch_version: int, *, include_anti_deps: bool) -> Rules:
    """The rules of a run of PerfSim.

    Raises ValueError for the collective reflow: it lengthens events after others have been placed behind them, so no
    set of relations gives its schedule.
    """
    if options.collective_reflow != "none":
        raise ValueError("collective_reflow changes placed events: its schedule follows from no wait-for relations")
    depths = {ring: options.depth(ring) for ring in range(QUEUE_COUNT)}
    return Rules(
        include_anti_deps=include_anti_deps,
        engine_order=options.engine_order,
        barrier_lanes=BARRIER_LANES if options.barriers else (),
        psum_banks=BANKS if options.psum_banks else 0,
        coupled=options.coupled(arch_version),
        early_ordered=True,
        ring_depths={ring: depth for ring, depth in depths.items() if depth is not None},
        edge_latency=0,
    )


def block_relations(estimate: Estimate, block: BlockEstimate) -> Relations:
    """The relations of one block of ``estimate``. Raises ValueError for the collective reflow."""
    rules = rules_of(estimate.options, estimate.prepared.arch_version, include_anti_deps=estimate.include_anti_deps)
    return relations_of(block.columns, block.schedule, rules)
