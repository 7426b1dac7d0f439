"""The comparison as tables for people."""

from __future__ import annotations

from rich.console import Console

from benches.diff_report.attribution import Change
from benches.diff_report.model import BlockDiff, ContributionRecord, DiffReport, EventChange, SideRecord
from benches.exact_ns import Ns
from benches.schedule_report.model import BoundBy
from benches.schedule_report.text import ns_text, table_of
from simcore.program.engines import Lane

CONTRIBUTIONS = 20
CHANGED = 20
NAMES = 12
"""Rows and names that are shown, the largest or first ones; the JSON has all."""


def print_diff(report: DiffReport, console: Console) -> None:
    """Prints what the comparison found."""
    for letter, side in (("A", report.a), ("B", report.b)):
        _print_side(letter, side, console)
    if report.equal:
        console.print("equal: every instruction, its times and what bound it")
        return
    share = f" ({report.difference_ns / report.a.makespan_ns:+.1%})" if report.a.makespan_ns else ""
    console.print(f"B less A: {report.difference_ns:+} ns{share}")
    several = len(report.blocks) + len(report.blocks_only_in_a) + len(report.blocks_only_in_b) != 1
    for block in report.blocks:
        if several:
            console.print(f"\nblock {block.function}/{block.block}")
        _print_block(block, console)
    for letter, sign, lone in (("A", "-", report.blocks_only_in_a), ("B", "+", report.blocks_only_in_b)):
        for only in lone:
            console.print(f"\nblock {only.function}/{only.block} is only in {letter}: {sign}{only.makespan_ns} ns")


def _print_side(letter: str, side: SideRecord, console: Console) -> None:
    memory = f"{side.memory} memory" if side.memory is not None else None
    how = ", ".join(word for word in (side.what, side.arch, side.timing, memory, side.place) if word is not None)
    console.print(f"{letter}: {side.file} ({how}): {side.program}, {ns_text(side.makespan_ns)}", soft_wrap=True)


def _print_block(block: BlockDiff, console: Console) -> None:
    if block.equal:
        console.print("equal")
        return
    before, after = block.makespan_ns
    console.print(f"makespan {before} -> {after} ns: {block.difference_ns:+} ns")
    for title, names in (
        ("only in A", block.only_in_a),
        ("only in B", block.only_in_b),
        ("in another order", block.reordered),
    ):
        if names:
            more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
            console.print(f"{title} ({len(names)}): {', '.join(names[:NAMES])}{more}", soft_wrap=True)
    if block.contributions:
        _print_contributions(block, console)
    if block.changed:
        _print_changed(block.changed, console)


def _print_contributions(block: BlockDiff, console: Console) -> None:
    causes = ", ".join(f"{cause} {ns:+} ns" for cause, ns in block.by_cause_ns.items() if ns)
    console.print(f"by cause: {causes or 'the contributions of each cause cancel'}", soft_wrap=True)
    table = table_of(">ns", "instruction", "why")
    for piece in block.contributions[:CONTRIBUTIONS]:
        table.add_row(f"{piece.ns:+}", piece.instruction, _why(piece))
    console.print(table)
    rest = block.contributions[CONTRIBUTIONS:]
    if rest:
        console.print(f"and {len(rest)} smaller ones, {sum(piece.ns for piece in rest):+} ns together")


def _why(piece: ContributionRecord) -> str:
    more = piece.ns > 0
    match Change[piece.change]:
        case Change.waits:
            return f"waits {'longer' if more else 'less'}: {_bound(BoundBy(piece.cause, piece.on))}"
        case Change.runs:
            return f"{'longer' if more else 'shorter'} until the next one can go"
        case Change.added:
            return "only in B"
        case Change.removed:
            return "only in A"
        case Change.ends_last:
            return f"ends last in {'B' if more else 'A'}, beside this path"


def _print_changed(changed: list[EventChange], console: Console) -> None:
    own = [event for event in changed if _size(event)]
    rebound = [event for event in changed if not _size(event) and (_differ(event.bound_by) or _differ(event.lane))]
    along = len(changed) - len(own) - len(rebound)
    console.print(
        f"{len(changed)} instructions changed: {len(own)} of themselves, {len(rebound)} only in what bound them or "
        f"where they ran, {along} moved along with what they wait for",
        soft_wrap=True,
    )
    shown = (sorted(own, key=_size, reverse=True) + rebound)[:CHANGED]
    if not shown:
        return
    table = table_of("instruction", ">start A", ">start B", ">moved", ">of itself", ">lasts", "bound by")
    for event in shown:
        moved, lasts = _change(event.start_ns), _change(event.duration_ns)
        before, after = (_bound(by) for by in event.bound_by)
        bound = before if before == after else f"{before} -> {after}"
        if _differ(event.lane):
            bound += f" ({Lane(event.lane[0]).name} -> {Lane(event.lane[1]).name})"
        times = (event.start_ns[0], event.start_ns[1], f"{moved:+}", f"{event.own_ns:+}", f"{lasts:+}")
        table.add_row(event.name, *map(str, times), bound)
    console.print(table)


def _size(event: EventChange) -> float:
    """How much of the change is the event's own, in ns, to rank it."""
    return abs(float(event.own_ns)) + abs(float(_change(event.duration_ns)))


def _differ(pair: tuple[object, object]) -> bool:
    return pair[0] != pair[1]


def _change(pair: tuple[Ns, Ns]) -> Ns:
    return pair[1] - pair[0]


def _bound(by: BoundBy) -> str:
    return by.cause + (f" on {by.on}" if by.on else "")
