"""Two sides -> the fields of the comparison."""

from __future__ import annotations

from collections import Counter

import numpy as np

from benches.diff_report.align import Alignment, align, blocks_by_name
from benches.diff_report.attribution import Contribution, contributions, start_change
from benches.diff_report.model import BlockDiff, ContributionRecord, DiffReport, EventChange, LoneBlock, SideRecord
from benches.diff_report.side import Side, SideBlock
from benches.exact_ns import Ns, exact_ns
from benches.schedule_report.model import BoundBy
from simcore.units import TICKS_PER_NS

SCHEMA = "kernbench.diff/1"


def diff_of(a: Side, b: Side) -> DiffReport:
    """Everything in which ``b`` differs from ``a``."""
    pairs, only_a, only_b = blocks_by_name(a, b)
    blocks = [_block_diff(align(*pair)) for pair in pairs]
    return DiffReport(
        schema=SCHEMA,
        a=_side(a),
        b=_side(b),
        equal=not only_a and not only_b and all(block.equal for block in blocks),
        difference_ns=_ns(b.makespan - a.makespan),
        blocks=blocks,
        blocks_only_in_a=[_lone(block) for block in only_a],
        blocks_only_in_b=[_lone(block) for block in only_b],
    )


def _side(side: Side) -> SideRecord:
    return SideRecord(
        side.file, side.what, side.program, side.arch, side.timing, _ns(side.makespan), side.memory, side.place
    )


def _lone(block: SideBlock) -> LoneBlock:
    return LoneBlock(block.function, block.block, _ns(block.schedule.makespan))


def _block_diff(alignment: Alignment) -> BlockDiff:
    a, b = alignment.a, alignment.b
    changed = [_event_change(alignment, event) for event in _changed(alignment)]
    only_in_a = [name for name, partner in zip(a.names, alignment.in_b, strict=True) if partner < 0]
    only_in_b = [name for name, partner in zip(b.names, alignment.in_a, strict=True) if partner < 0]
    pieces = sorted(contributions(alignment), key=lambda piece: -abs(piece.ticks))
    by_cause: Counter[str] = Counter()
    for piece in pieces:
        by_cause[piece.cause] += piece.ticks
    return BlockDiff(
        function=a.function,
        block=a.block,
        equal=not (changed or only_in_a or only_in_b or alignment.reordered),
        makespan_ns=(_ns(a.schedule.makespan), _ns(b.schedule.makespan)),
        difference_ns=_ns(b.schedule.makespan - a.schedule.makespan),
        contributions=[_contribution(piece) for piece in pieces],
        by_cause_ns={cause: _ns(ticks) for cause, ticks in by_cause.items()},
        changed=changed,
        only_in_a=only_in_a,
        only_in_b=only_in_b,
        reordered=[b.names[event] for event in alignment.reordered],
    )


def _contribution(piece: Contribution) -> ContributionRecord:
    return ContributionRecord(piece.instruction, piece.change.name, piece.cause, piece.on, _ns(piece.ticks))


def _changed(alignment: Alignment) -> list[int]:
    """Events of ``b``, in order, that differ from their partners in lane, time or bound."""
    a, b = alignment.a, alignment.b
    in_a = np.array(alignment.in_a, dtype=np.int64)
    both = np.flatnonzero(in_a >= 0)
    partner = in_a[both]
    differs = np.zeros(len(both), dtype=bool)
    for field in ("lane", "start", "duration", "next_dispatch"):
        differs |= getattr(a.schedule, field)[partner] != getattr(b.schedule, field)[both]
    differs |= np.array(
        [
            (a.cause[k], a.on_name[k]) != (b.cause[event], b.on_name[event])
            for event, k in zip(both.tolist(), partner.tolist(), strict=True)
        ],
        dtype=bool,
    )
    changed: list[int] = both[differs].tolist()
    return changed


def _event_change(alignment: Alignment, event: int) -> EventChange:
    a, b, partner = alignment.a, alignment.b, alignment.in_a[event]

    def pair(field: str) -> tuple[int, int]:
        return int(getattr(a.schedule, field)[partner]), int(getattr(b.schedule, field)[event])

    start, duration, dispatch = pair("start"), pair("duration"), pair("next_dispatch")
    why = start_change(alignment, event)
    return EventChange(
        name=b.names[event],
        lane=pair("lane"),
        start_ns=_both(start),
        duration_ns=_both(duration),
        next_dispatch_ns=_both(dispatch),
        end_ns=_both((start[0] + duration[0], start[1] + duration[1])),
        bound_by=(BoundBy(a.cause[partner], a.on_name[partner]), BoundBy(b.cause[event], b.on_name[event])),
        cause=why.cause,
        on=why.on,
        inherited_ns=_ns(why.inherited),
        own_ns=_ns(why.own),
    )


def _ns(ticks: int) -> Ns:
    return exact_ns(ticks, TICKS_PER_NS)


def _both(pair: tuple[int, int]) -> tuple[Ns, Ns]:
    return _ns(pair[0]), _ns(pair[1])
