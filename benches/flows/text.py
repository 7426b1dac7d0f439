"""The result of ``kernbench flows`` for people."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from rich.console import Console

from benches.flows.model import FlowRecord, FlowsReport, LinkRecord
from benches.schedule_report.text import table_of

FLOW_ROWS = 40
LINK_ROWS = 20


def print_report(report: FlowsReport, console: Console) -> None:
    """Prints the flows, the links, and what the arbitration means; of many flows and links the most telling ones."""
    console.print(
        f"{report.name} on {report.topology}: {len(report.flows)} flows, {report.arbitration}, "
        f"makespan {report.makespan_ns:.2f} ns",
        soft_wrap=True,
    )
    console.print(report.fairness, soft_wrap=True)
    console.print()
    dearest = sorted(range(len(report.flows)), key=lambda n: -report.flows[n].cost_ns)[:FLOW_ROWS]
    shown = [report.flows[n] for n in sorted(dearest)]
    by_ports = any(flow.by_ports_end_ns is not None for flow in report.flows)
    _print_flows(shown, console, by_ports=by_ports)
    if len(shown) < len(report.flows):
        console.print(f"the {len(shown)} of {len(report.flows)} flows that others cost most; --json has all")
    console.print()
    links = sorted(report.links, key=lambda link: -link.utilisation)[:LINK_ROWS]
    _print_links(links, console)
    if len(links) < len(report.links):
        console.print(f"the {len(links)} busiest of {len(report.links)} links; --json has all")
    errors = sorted(abs(flow.fair_error_pct) for flow in report.flows if flow.fair_error_pct is not None)
    if errors:
        console.print(
            f"\nagainst max-min fair sharing: median flow off by {median(errors):.3f} %, worst {errors[-1]:.3f} %"
        )
    if report.by_ports is not None:
        console.print(f"analysis of turns by router input: {report.by_ports}", soft_wrap=True)
    for note in dict.fromkeys([*report.notes, *(f"{f.name}: {f.note}" for f in report.flows if f.note is not None)]):
        console.print(f"note: {note}", soft_wrap=True)


def _print_flows(flows: Sequence[FlowRecord], console: Console, *, by_ports: bool) -> None:
    # One more analysis takes the place of what can be reckoned from the rest.
    middle = (">by ports ns", ">off %") if by_ports else (">alone ns",)
    headings = ("flow", ">bytes", ">start ns", ">end ns", ">GB/s", ">fair end ns", ">off %", *middle)
    table = table_of(*headings, ">cost ns", ">slowdown", "bottleneck")
    for f in flows:
        ports = (_or_dash(f.by_ports_end_ns, 2), _or_dash(f.by_ports_error_pct, 3))
        table.add_row(
            f.name,
            str(f.bytes),
            f"{f.start_ns:.2f}",
            f"{f.end_ns:.2f}",
            _or_dash(f.mean_gbs, 2),
            f"{f.fair_end_ns:.2f}",
            _or_dash(f.fair_error_pct, 3),
            *(ports if by_ports else (f"{f.alone_end_ns:.2f}",)),
            f"{f.cost_ns:.2f}",
            _or_dash(f.slowdown, 3),
            " -> ".join(f.bottleneck) if f.bottleneck is not None else "-",
        )
    console.print(table)


def _print_links(links: Sequence[LinkRecord], console: Console) -> None:
    table = table_of("link", ">flows", ">bytes", ">busy ns", ">busy", ">cost ns")
    for link in links:
        name = f"{link.src} -> {link.dst}"
        row = (
            str(link.flows),
            str(link.bytes),
            f"{link.busy_ns:.2f}",
            f"{link.utilisation:.1%}",
            f"{link.cost_ns:.2f}",
        )
        table.add_row(name, *row)
    console.print(table)


def _or_dash(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
