"""One block's report as tables for people, and the pieces that other tables are made of."""

from __future__ import annotations

from rich.console import Console

from benches.exact_ns import Ns
from benches.plain_table import PlainTable
from benches.schedule_report.model import BlockReport, Event, Explanation
from simcore.program.engines import Lane

PATH_ROWS = 12
"""Steps of the critical path that are shown: the longest ones, in time order."""


def print_block(block: BlockReport, console: Console, *, titled: bool) -> None:
    """Prints everything that ``block`` holds; ``titled``: under its name."""
    if titled:
        console.print(f"\nblock {block.function}/{block.block}")
    line = f"critical path {ns_text(block.critical_path_ns)} over {block.instructions} instructions"
    if block.makespan_ns != block.critical_path_ns:
        line += f"; the latest event ends at {ns_text(block.makespan_ns)}"
    no_anti = ns_text(block.critical_path_no_anti_ns)
    slack = f"without anti-dependencies {no_anti} (slack {block.anti_dependency_slack})"
    console.print(f"{line}; {slack}", soft_wrap=True)
    console.print(_engine_table(block))
    if block.explanation is not None:
        _print_explanation(block.explanation, block, console)
    if block.events is not None:
        console.print(_event_table(block.events))


def print_rests_on(provenance: dict[str, float], not_costed: dict[str, int], console: Console) -> None:
    """Prints whose numbers the result rests on, and what has none."""
    shares = [f"{name.replace('_', ' ')} {share:.1%}" for name, share in provenance.items() if share]
    console.print(f"critical path rests on: {', '.join(shares) or 'nothing'}")
    if not_costed:
        listed = ", ".join(f"{opcode} ({count})" for opcode, count in not_costed.items())
        console.print(f"not costed (0 ns): {listed}")


def table_of(*headings: str) -> PlainTable:
    """A plain table; a heading that begins with > is of numbers."""
    table = PlainTable()
    for heading in headings:
        table.add_column(heading.lstrip(">"), justify="right" if heading.startswith(">") else "left", overflow="fold")
    return table


def ns_text(ns: Ns) -> str:
    """``ns`` for a reader, in microseconds too where it is long."""
    return f"{ns} ns" if ns < 10_000 else f"{ns} ns ({ns / 1000:.1f} us)"


def _engine_table(block: BlockReport) -> PlainTable:
    table = table_of(
        "engine", ">events", ">busy ns", ">busy", ">overlapped ns", ">idle ns", "idle because of", ">after ns"
    )
    for name, use in block.engines.items():
        idle = ", ".join(f"{cause} {ns}" for cause, ns in use.idle_ns.items())
        share = _share(use.busy_ns, block.makespan_ns)
        row = (name, use.events, use.busy_ns, share, use.overlapped_ns, sum(use.idle_ns.values()), idle)
        table.add_row(*map(str, row), str(use.after_ns))
    return table


def _print_explanation(explanation: Explanation, block: BlockReport, console: Console) -> None:
    for title, parts in (
        ("critical path by engine", explanation.path_by_engine_ns),
        ("critical path by what ended each piece", explanation.path_by_cause_ns),
    ):
        listed = ", ".join(f"{name} {ns} ns ({_share(ns, block.makespan_ns)})" for name, ns in parts.items() if ns)
        console.print(f"{title}: {listed or 'empty'}", soft_wrap=True)
    lower = explanation.lower_bounds
    console.print(
        f"lower bounds: busiest engine {lower.busiest_engine or '-'} {lower.busiest_engine_ns} ns, "
        f"dependences alone {lower.dependences_ns} ns, no anti-dependencies {lower.no_anti_ns} ns",
        soft_wrap=True,
    )
    if explanation.slack is not None:
        least = explanation.slack.smallest_nonzero_ns
        console.print(
            f"slack: {explanation.slack.zero} of {block.instructions} instructions have none"
            + (f", the least of the others is {least} ns" if least is not None else ""),
            soft_wrap=True,
        )
    steps = explanation.path
    longest = sorted(range(len(steps)), key=lambda k: (steps[k].start_ns - steps[k].until_ns, k))[:PATH_ROWS]
    table = table_of(">at ns", ">for ns", "instruction", "opcode", "engine", "started by")
    for k in sorted(longest):
        step = steps[k]
        by = step.bound_by.cause + (f" on {step.bound_by.on}" if step.bound_by.on else "")
        name = (step.name or "(floor)") + (f" [{step.source}]" if step.source else "")
        row = (step.start_ns, step.until_ns - step.start_ns, name, step.opcode or "", step.lane or "", by)
        table.add_row(*map(str, row))
    console.print(f"longest of the critical path's {len(steps)} steps:")
    console.print(table)


def _event_table(events: list[Event]) -> PlainTable:
    table = table_of("event", "lane", ">start ns", ">duration ns", ">next dispatch ns", "bound by")
    for event in events:
        by = event.bound_by.cause + (f" on {event.bound_by.on}" if event.bound_by.on else "")
        row = (event.name, Lane(event.lane).name, event.start, event.duration, event.next_dispatch, by)
        table.add_row(*map(str, row))
    return table


def _share(part: Ns, whole: Ns) -> str:
    return f"{part / whole:.0%}" if whole else "0%"
