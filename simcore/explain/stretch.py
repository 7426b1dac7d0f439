"""The stretch test: let one event cost more, re-run, and see whether the makespan moves as its slack says.

It is the proof of a critical path and of slacks: an event that lasts ``d`` longer moves the makespan by ``d`` less its
slack, so by all of ``d`` if it is on the path, and not at all if its slack is ``d`` or more. Anything else needs one
of the reasons that are listed here, and a difference without a reason is a fault of kernbench.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from simcore.errors import ModelBug
from simcore.explain.of_perfsim import block_relations
from simcore.explain.relations import Relations
from simcore.explain.slack import Slack, slack_of
from simcore.perfsim.block_walk import run_walk
from simcore.perfsim.costs import changed_costs
from simcore.perfsim.estimate import BlockEstimate, Estimate
from simcore.perfsim.lower import lower


class Reason(Enum):
    """Why the makespan moved by something else than the stretch less the slack."""

    first_cost = "an event of no cost hands over no PSUM bank; now it does, and others wait for it"
    overlap_window = "it became long enough for its engine to go on before its end, so others may start earlier"
    released_early = "those who wait for it wait for its start, which did not move"


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one stretch did, in ns.

    ``slack``: the event's before. ``grown``: how much longer it lasts (a collective on a share of the bandwidth grows
    by more than its cost). ``expected``: how far the makespan moves by the relations, ``grown`` less
    :attr:`Slack.stretch`; exact unless ``reason`` is ``first_cost`` (no bound) or ``overlap_window`` (an upper bound).
    ``reason``: None if the makespan moved by ``grown`` less ``slack`` (not below 0).
    """

    event: int
    slack: int
    grown: int
    expected: int
    moved: int
    reason: Reason | None


def stretch(estimate: Estimate, event: int, by_ns: int, *, block: int = 0) -> Stretch:
    """Lets ``event`` of the ``block``-th block cost ``by_ns`` more (above 0)."""
    return stretches(estimate, [event], by_ns, block=block)[0]


def stretches(estimate: Estimate, events: Iterable[int], by_ns: int, *, block: int = 0) -> list[Stretch]:
    """One :class:`Stretch` for each of ``events``, each from the same base.

    Raises ModelBug if the makespan of a re-run moves as neither slack nor a reason says.
    """
    if by_ns <= 0:
        raise ValueError(f"a stretch of {by_ns} ns (allowed: above 0)")
    base = estimate.blocks[block]
    relations = block_relations(estimate, base)
    slack = slack_of(base.schedule, relations)
    return [_stretched(estimate, base, relations, slack, event, by_ns) for event in events]


def _stretched(
    estimate: Estimate, base: BlockEstimate, relations: Relations, slack: Slack, event: int, by_ns: int
) -> Stretch:
    after = _run_with(estimate, base, event, by_ns)
    grown = int(after.duration[event] - base.duration[event])
    own_slack = int(slack.slack[event])
    expected = max(grown - int(slack.stretch[event]), 0)
    moved = after.makespan_ns - base.makespan_ns
    reason = None
    if moved != max(grown - own_slack, 0):
        if _differ(relations, block_relations(estimate, after)):
            reason = Reason.first_cost
        elif _drain(after, event) != _drain(base, event) and moved <= expected:
            reason = Reason.overlap_window
        elif moved == expected:
            reason = Reason.released_early
        else:
            raise ModelBug(
                f"event {event} lasts {grown} ns longer: makespan {moved:+d} ns, by its slack {expected:+d} ns"
            )
    return Stretch(event, own_slack, grown, expected, moved, reason)


def _run_with(estimate: Estimate, base: BlockEstimate, event: int, by_ns: int) -> BlockEstimate:
    prepared = estimate.prepared
    cost = changed_costs(base.columns, base.costs.total_ns, estimate.changes).copy()
    cost[event] += by_ns
    inputs = lower(base.columns, cost, prepared.arch, estimate.options, prepared.program.file)
    schedule = run_walk(inputs, estimate.options, prepared.arch_version, include_anti_deps=estimate.include_anti_deps)
    return BlockEstimate(base.function, base.block, base.columns, base.costs, schedule)


def _differ(one: Relations, other: Relations) -> bool:
    """Whether who waits for whom has changed."""
    same = np.array_equal(one.first, other.first) and np.array_equal(one.earlier, other.earlier)
    return not (same and np.array_equal(one.moment, other.moment))


def _drain(block: BlockEstimate, event: int) -> int:
    s = block.schedule
    return int(s.end[event] - s.next_dispatch[event])
