"""The report on a system as tables for people."""

from __future__ import annotations

from rich.console import Console

from benches.schedule_report.text import table_of
from benches.topology_report.model import AddressReport, OriginRow, PathReport, SystemReport
from topology.address_map import FIRST_IO_DIE

_GIB = 1 << 30
_KIB = 1 << 10


def print_report(report: SystemReport, console: Console) -> None:
    """Prints everything the report holds."""
    console.print(f"{report.name} ({report.file})")
    if report.summary:
        console.print(report.summary, soft_wrap=True)
    console.print(f"{report.nodes} parts, {report.links} links")
    for what, value in report.levels.items():
        console.print(f"  {what}: {value}")
    options = [f"{key} {'unbounded' if value is None else value}" for key, value in report.options.items()]
    console.print(f"options: {', '.join(options)}", soft_wrap=True)
    table = table_of("kind of part", ">parts")
    for kind, count in report.nodes_by_kind.items():
        table.add_row(kind, str(count))
    console.print(table)
    table = table_of("kind of link", ">links")
    for kind, count in report.links_by_kind.items():
        table.add_row(kind, str(count))
    console.print(table)
    if report.address_map is not None:
        _print_addresses(report.address_map, console)
    if report.probe_cases:
        _print_cases(report, console)
    if report.path is not None:
        _print_path(report.path, console)
    if report.origin is not None:
        _print_origin(report.origin, console)


def _print_addresses(found: AddressReport, console: Console) -> None:
    fields = ", ".join(f"{name} {high}:{low}" for name, (high, low) in found.fields.items())
    console.print(f"address bits: {fields}")
    size = f"{shown_gib(found.hbm_bytes_per_cube)} of HBM from offset 0"
    console.print(
        f"  die 0 to {found.cubes_per_sip - 1}: a cube, {size}, "
        f"{found.slices_per_cube} slices of {shown_gib(found.slice_bytes)} (PE tile = offset // slice)"
    )
    if found.pseudo_channel_bits is not None:
        high, low = found.pseudo_channel_bits
        console.print(f"  pseudo-channel of a slice: bits {high}:{low}")
    if found.sram_offset is not None and found.sram_bytes is not None:
        console.print(f"  SRAM of a cube: {found.sram_bytes // _KIB} KiB from offset {found.sram_offset:#x}")
    if found.io_chiplets_per_sip:
        last = FIRST_IO_DIE + found.io_chiplets_per_sip - 1
        console.print(f"  die {FIRST_IO_DIE}{f' to {last}' if last > FIRST_IO_DIE else ''}: an IO chiplet")


def shown_gib(size: int) -> str:
    """A size in GiB, or in bytes if that is no short number."""
    return f"{size // _GIB} GiB" if size % _GIB == 0 else f"{size} bytes"


def _print_cases(report: SystemReport, console: Console) -> None:
    table = table_of("probe case", "from", "to")
    for case in report.probe_cases:
        table.add_row(case.name, case.src or "-", case.dst or f"no place: {case.reason}")
    console.print(table)


def _print_path(path: PathReport, console: Console) -> None:
    slowest = path.bottleneck
    rate = f"{slowest.bw_gbs:g} GB/s from {slowest.src} to {slowest.dst}" if slowest is not None else "none"
    console.print(f"path over {path.edges} links: {len(path.links)} links, {path.length_mm:g} mm", soft_wrap=True)
    console.print(f"bottleneck: {rate}", soft_wrap=True)
    table = table_of("part", "link to the next", ">GB/s", ">mm")
    for link in path.links:
        mark = " <" if slowest is not None and (link.src, link.dst) == (slowest.src, slowest.dst) else ""
        rate = f"{link.bw_gbs:g}{mark}" if link.bw_gbs is not None else "-"
        table.add_row(link.src, link.kind, rate, f"{link.length_mm:g}")
    table.add_row(path.dst, "", "", "")
    console.print(table)


def _print_origin(rows: list[OriginRow], console: Console) -> None:
    table = table_of("of", "value", "provenance", "where", ">count")
    for row in rows:
        where = f"{row.template}, {row.place}" if row.template is not None else row.place
        table.add_row(row.what, f"{row.key} {row.value}", row.provenance, where, str(row.count))
    console.print(table)
    reasons = {(row.provenance, row.source): None for row in rows if row.source is not None}
    for provenance, source in reasons:
        console.print(f"{provenance}: {source}", soft_wrap=True)
