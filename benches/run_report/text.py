"""The report as tables for people."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from benches.exact_ns import Ns
from benches.learned_report.difference import print_learned
from benches.run_report.model import PartRecord, RunReport
from benches.schedule_report.text import ns_text, print_block, print_rests_on, table_of
from benches.unroll_report import print_unroll


def print_report(report: RunReport, console: Console) -> None:
    """Prints everything the report holds."""
    oracle = f"{report.oracle} oracle" if report.timing == "hwm" else f"{report.timing} timing"
    console.print(f"{report.program} on {report.arch}, simulated ({oracle}, {report.memory} memory)")
    several = len(report.blocks) != 1
    for block in report.blocks:
        print_block(block, console, titled=several)
        _print_difference(block.makespan_ns, block.perfsim_ns, block.difference_ns, block.attribution, console)
        _print_parts(block.parts, console)
    if several:
        console.print("\nall blocks")
        _print_difference(report.makespan_ns, report.perfsim_ns, report.difference_ns, report.attribution, console)
        _print_parts(report.parts, console)
    if report.whole_program_ns != report.makespan_ns:
        console.print(f"whole program with all trips: {ns_text(report.whole_program_ns)}")
    if report.unroll is not None:
        print_unroll(report.unroll, console)
    if report.learned is not None:
        print_learned(report.learned, console)
    print_rests_on(report.provenance, report.not_costed, console)
    for note in report.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _print_difference(
    makespan_ns: Ns, perfsim_ns: Ns, difference_ns: Ns, attribution: Mapping[str, Ns], console: Console
) -> None:
    line = f"machine {ns_text(makespan_ns)}, PerfSim {ns_text(perfsim_ns)}: "
    causes = ", ".join(f"{cause} {ns:+} ns" for cause, ns in attribution.items() if ns)
    line += f"{difference_ns:+} ns" if difference_ns else "equal"
    console.print(f"{line} ({causes})" if causes else line, soft_wrap=True)


def _print_parts(parts: Mapping[str, PartRecord], console: Console) -> None:
    table = table_of("part", ">requests", ">busy ns", ">utilisation", ">waited for ns")
    for name, part in parts.items():
        table.add_row(name, *map(str, (part.requests, part.busy, f"{part.utilisation:.1%}", part.wait)))
    console.print(table)
