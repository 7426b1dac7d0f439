"""The delays of a block's instructions -> the fields of their report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benches.exact_ns import Ns, exact_ns
from benches.run_report.execute import MachineBlock
from benches.run_report.model import DelayRecord, Inherited
from benches.schedule_report.model import BoundBy, Event
from simcore.explain.attribution import Attribution, Split
from simcore.explain.why import Why
from simcore.schedule import Cause
from simcore.units import TICKS_PER_NS

if TYPE_CHECKING:
    from components.core.demand import Stretch


def labelled(split: Mapping[Why, int]) -> dict[str, Ns]:
    """Nanoseconds by label, the largest first."""
    ordered = sorted(split.items(), key=lambda item: (-item[1], item[0].label))
    return {why.label: exact_ns(ticks, TICKS_PER_NS) for why, ticks in ordered if ticks}


def delay_records(block: MachineBlock, attribution: Attribution) -> list[DelayRecord]:
    """The delay of every instruction, in program order."""
    names = block.columns.name_list()
    records = []
    for event, total in enumerate(attribution.splits()):
        delay = attribution.delay(event)
        inherited = None
        if delay.moment is not None and delay.inherited:
            inherited = Inherited(names[delay.on], delay.moment.name, exact_ns(delay.inherited, TICKS_PER_NS))
        records.append(
            DelayRecord(
                name=names[event],
                delay_ns=exact_ns(delay.total, TICKS_PER_NS),
                own=labelled(delay.own),
                start=labelled(delay.start),
                total=labelled(total),
                inherited=inherited,
            )
        )
    return records


def name_stretches(events: list[Event], stretches: Mapping[int, Stretch]) -> None:
    """Names in ``events`` what made them last longer than they cost."""
    for number, stretch in stretches.items():
        cause = largest(dict(stretch.end))
        if cause is not None:
            event = events[number]
            event.started_by = event.bound_by
            event.bound_by = BoundBy(cause.word, cause.part or None)


def largest(split: Split) -> Why | None:
    """The largest piece whose word is a cause of real memory; None if there is none. Of equals the first by label."""
    found = [(ticks, why) for why, ticks in split.items() if ticks > 0 and why.word in _MEMORY_CAUSES]
    return min(found, key=lambda item: (-item[0], item[1].label))[1] if found else None


_MEMORY_CAUSES = {cause.name for cause in Cause if cause > Cause.floor}
