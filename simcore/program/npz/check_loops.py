"""The rules of a block's loops: nested properly, named once, and saying nothing wrong about themselves."""

from __future__ import annotations

from simcore.program.codes import EDGE_CODES
from simcore.program.columnise import check_headers
from simcore.program.columnise_fields import Irregular
from simcore.program.columnise_flat import is_loop
from simcore.program.columns import Columns, Flag
from simcore.program.edges import EdgeKind
from simcore.program.faults import shown
from simcore.program.generations import Generation
from simcore.program.instruction import Instruction
from simcore.program.limits import MAX_NESTING
from simcore.program.npz.name_text import NameText
from simcore.program.npz.report import Report


def check_loops(columns: Columns, names: NameText, generation: Generation, report: Report) -> None:
    """Adds everything that is wrong with the loops, and with dependencies on and of loops."""
    loops = columns.loops
    numbers = {loop.header.name: k for k, loop in enumerate(loops)}
    if len(numbers) != len(loops):
        report.add("head", "two loops have one name")
    _check_nesting(columns, report)
    producers = {_name_and_kind(d)[0] for loop in loops for d in loop.header.dependencies}
    events = names.positions(numbers.keys() | producers) if loops else {}
    for name in numbers.keys() & events.keys():
        report.add("head", f"a loop and an event have the name {shown(name)}")
    for number, loop in enumerate(loops):
        label = f"loop {shown(loop.header.name)}"
        try:
            check_headers([loop.header], generation)
        except Irregular as irregular:
            report.add("head", f"{label}: an attribute breaks a rule ({irregular})")
        for name, kind in map(_name_and_kind, loop.header.dependencies):
            earlier = events[name] < loop.begin if name in events else numbers.get(name, number) < number
            if not earlier or kind not in EDGE_CODES:
                report.add("head", f"{label}: a dependency on no earlier instruction, or of no kind")
    for event, extra in columns.extras.items():
        for name, kind in extra.loop_dependencies:
            if name not in numbers or loops[numbers[name]].begin > event or kind not in set(EdgeKind):
                report.add("head", f"extras of event {event}: a dependency on no earlier loop, or of no kind")
        if len(dict(extra.loop_dependencies)) != len(extra.loop_dependencies):
            report.add("head", f"extras of event {event}: two dependencies on one loop")


def _name_and_kind(dependency: str | tuple[str, str | int]) -> tuple[str, str | int]:
    return (dependency, "Flow") if isinstance(dependency, str) else dependency


def _check_nesting(columns: Columns, report: Report) -> None:
    """Loops come in the order in which they begin, each inside its parent and after its parent's earlier loops."""
    n = len(columns)
    outer: list[int] = []
    reached = {-1: 0}
    for number, loop in enumerate(columns.loops):
        while outer and outer[-1] != loop.parent:
            outer.pop()
        parent_end = columns.loops[outer[-1]].end if outer else n
        is_inside = reached.get(loop.parent, n + 1) <= loop.begin <= loop.end <= parent_end
        if not is_inside or (loop.parent >= 0) != bool(outer) or len(outer) >= MAX_NESTING:
            report.add("head", f"loop {shown(loop.header.name)} does not nest")
            return
        if _splits(columns, loop.begin) or _splits(columns, loop.end) or not _is_header(loop.header):
            report.add("head", f"loop {shown(loop.header.name)}: it is none, or parts a trigger from its transfer")
        outer.append(number)
        reached[number] = loop.begin
        reached[loop.parent] = loop.end


def _is_header(header: Instruction) -> bool:
    return is_loop(header) and header.body is None


def _splits(columns: Columns, event: int) -> bool:
    return event < len(columns) and bool(columns.flags[event] & Flag.TRANSFER)
