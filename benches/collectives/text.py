"""The report on a collective as tables for people."""

from __future__ import annotations

from rich.console import Console

from benches.collectives.model import CollectiveReport, Point
from benches.collectives.sizes import shown_size
from benches.schedule_report.text import table_of


def print_report(report: CollectiveReport, console: Console) -> None:
    """Prints everything the report holds; phases and streams of the largest size."""
    where = f" in a grid of {report.grid}" if report.grid is not None else ""
    console.print(f"{report.kind} by {report.algorithm} on {report.topology}: {len(report.ranks)} ranks{where}")
    if len(report.ranks) > 1:
        console.print(f"ranks: {report.ranks[0]} to {report.ranks[-1]}", soft_wrap=True)
    console.print(f"{_streams(report)}; links serve by {report.arbitration}", soft_wrap=True)
    console.print(f"{_after_arrival(report)}", soft_wrap=True)
    if report.root is not None:
        console.print(f"root: rank {report.root}{' of each package' if report.algorithm == 'hierarchical' else ''}")
    console.print(_points(report))
    largest = max(report.points, key=lambda point: point.bytes)
    _print_point(largest, console)
    if report.roots:
        console.print(f"\nwhere the root is, {shown_size(largest.bytes)}:")
        table = table_of("root", ">rank", ">sends in a chain", ">ns", ">against the first %")
        for place in report.roots:
            change = 100 * (place.time_ns / report.roots[0].time_ns - 1) if report.roots[0].time_ns else None
            texts = str(place.rank), str(place.steps), _number(place.time_ns), _number(change)
            table.add_row(place.root, *texts)
        console.print(table)
    for note in report.notes:
        console.print(f"note: {note}", soft_wrap=True)


def _streams(report: CollectiveReport) -> str:
    shares = [f"{stream}: {share:.4g}" for stream, share in report.streams.items()]
    return f"streams and what part of the data they carry: {', '.join(shares)}"


def _after_arrival(report: CollectiveReport) -> str:
    slots = f"queue slots in {report.tier}" if report.tier is not None else "no queue slots"
    rate = report.reduce_ns_per_byte
    return f"{slots}; reductions take {rate:g} ns per byte{'' if rate else ' (free)'}"


def _points(report: CollectiveReport) -> object:
    table = table_of(
        ">size",
        ">ns",
        ">algbw GB/s",
        ">busbw GB/s",
        ">alpha-beta ns",
        ">error %",
        ">bound ns",
        ">busiest link ns",
        ">%",
    )
    for point in report.points:
        link = point.busiest_link
        table.add_row(
            shown_size(point.bytes),
            _number(point.time_ns),
            _number(point.algbw_gbs),
            _number(point.busbw_gbs),
            _number(point.alpha_beta.time_ns),
            _number(point.alpha_beta.error_pct),
            _number(point.bound_ns),
            _number(link.busy_ns if link is not None else None),
            _number(link.utilisation_pct if link is not None else None),
        )
    return table


def _print_point(point: Point, console: Console) -> None:
    said, link = point.alpha_beta, point.busiest_link
    console.print(f"\n{shown_size(point.bytes)}:")
    alpha = f"{said.steps} sends, alpha {_number(said.alpha_ns)} ns in all" if said.steps else "no sends"
    console.print(f"alpha-beta: {alpha}, bytes {_number(said.bytes_ns)} ns")
    if link is not None:
        share = f"{_number(link.busy_ns)} ns of {_number(point.time_ns)}"
        console.print(f"busiest link: {link.src} to {link.dst}, {link.bytes} bytes, {share}", soft_wrap=True)
    table = table_of("phase", ">sends", ">bytes", ">on the critical path", ">ns there")
    for phase in point.phases:
        spent = str(phase.critical_sends), _number(phase.critical_ns)
        table.add_row(phase.name, str(phase.sends), str(phase.bytes), *spent)
    console.print(table)
    if len(point.streams) > 1:
        table = table_of("stream", ">bytes sent", ">ends at ns")
        for stream in point.streams:
            table.add_row(str(stream.stream), str(stream.bytes), _number(stream.end_ns))
        console.print(table)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}".rstrip("0").rstrip(".")
