"""Builds the report on a system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from benches.topology_report.model import (
    SCHEMA,
    AddressReport,
    LinkReport,
    OriginRow,
    PathReport,
    ProbeRow,
    SystemReport,
)
from topology.address_map import ADDRESS_BITS, DIE_SHIFT, SIP_SHIFT, AddressMap
from topology.kinds import EdgeSet
from topology.probe_places import NoPlace, probe_places
from topology.routes.route import Route
from topology.routes.router import PathRouter
from topology.system import LinkSpec, NodeSpec, Origin, System
from topology.text.quantities import shown

VARIOUS = "various"
"""The value of a row whose parts do not share one, such as their positions."""

OPTIONS = ("ns_per_mm", "flit_bytes", "arbitration", "window_flits", "buffer_bytes", "ucie_spreading")


def report_of(
    system: System, *, ends: tuple[str, str] | None = None, edges: EdgeSet = EdgeSet.DATA, origin: bool = False
) -> SystemReport:
    """The report; with the route between ``ends``, and with the origin of every value if that is asked for."""
    return SystemReport(
        schema=SCHEMA,
        name=system.name,
        file=system.file,
        summary=system.summary,
        options={key: _plain(getattr(system, key)) for key in OPTIONS},
        nodes=system.graph.number_of_nodes(),
        links=system.graph.number_of_edges(),
        nodes_by_kind=_counts(node.kind for node in system.nodes()),
        links_by_kind=_counts(link.kind for link in system.links()),
        levels=_levels(system),
        address_map=_addresses(system.address_map) if system.address_map is not None else None,
        probe_cases=_cases(system),
        path=_path(PathRouter(system).find_path(*ends, edges), edges) if ends is not None else None,
        origin=_origins(system) if origin else None,
    )


def _plain(value: Fraction | int | str | None) -> float | int | str | None:
    return float(value) if isinstance(value, Fraction) else value


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _levels(system: System) -> dict[str, int | str]:
    """How many of what each level has; of a free graph, its meshes."""
    hierarchy = system.hierarchy
    if hierarchy is None:
        return {mesh.name: f"{mesh.shape.w} x {mesh.shape.h} routers" for mesh in system.meshes}
    sip = hierarchy.sips[0]
    cube = sip.cubes[0]
    connections = sum(len(group) for group in cube.sides.values())
    return {
        "packages": f"{len(hierarchy.sips)} ({hierarchy.sip_topology}, {hierarchy.sip_w} x {hierarchy.sip_h})",
        "IO chiplets per package": len(sip.ios),
        "cubes per package": f"{len(sip.cubes)} ({sip.w} x {sip.h})",
        "routers per cube": f"{len(cube.mesh.cell)} ({cube.mesh.shape.w} x {cube.mesh.shape.h}"
        + (f", {len(cube.mesh.shape.holes)} left out)" if cube.mesh.shape.holes else ")"),
        "PE tiles per cube": len(cube.pes),
        "parts per PE tile": len(cube.pes[0].parts),
        "UCIe connections per cube": f"{connections} ({', '.join(f'{s} {len(g)}' for s, g in cube.sides.items())})",
    }


def _addresses(found: AddressMap) -> AddressReport:
    bits = None
    if found.burst_bytes is not None and found.pseudo_channels is not None:
        low = found.burst_bytes.bit_length() - 1
        bits = (low + found.pseudo_channels.bit_length() - 2, low)
    return AddressReport(
        fields={
            "sip": (ADDRESS_BITS - 1, SIP_SHIFT),
            "die": (SIP_SHIFT - 1, DIE_SHIFT),
            "offset": (DIE_SHIFT - 1, 0),
        },
        sips=found.sips,
        cubes_per_sip=found.cubes,
        io_chiplets_per_sip=found.ios,
        hbm_bytes_per_cube=found.hbm_bytes,
        slices_per_cube=found.slices,
        slice_bytes=found.slice_bytes,
        pseudo_channel_bits=bits,
        sram_offset=found.sram_offset,
        sram_bytes=found.sram_bytes,
    )


def _cases(system: System) -> list[ProbeRow]:
    if system.hierarchy is None:
        return []
    return [
        ProbeRow(place.name, reason=place.reason)
        if isinstance(place, NoPlace)
        else ProbeRow(place.name, place.src, place.dst)
        for place in probe_places(system)
        if system.probe_cases is None or place.name in system.probe_cases
    ]


def _path(route: Route, edges: EdgeSet) -> PathReport:
    bottleneck = route.bottleneck
    return PathReport(
        src=route.nodes[0],
        dst=route.nodes[-1],
        edges=edges.name.lower(),
        nodes=list(route.nodes),
        length_mm=float(route.length_mm),
        bottleneck=_link(bottleneck) if bottleneck is not None else None,
        links=[_link(link) for link in route.links],
    )


def _link(link: LinkSpec) -> LinkReport:
    rate = float(link.bw_gbs) if link.bw_gbs is not None else None
    return LinkReport(link.src, link.dst, link.kind, rate, float(link.length_mm))


def _origins(system: System) -> list[OriginRow]:
    """Every value: of blocks that shape the system, of parts by kind, of links by kind; equal ones in one row."""
    rows: dict[tuple[str, str, Origin], OriginRow] = {}
    for stated in system.stated:
        _count(rows, stated.block, stated.key, stated.value, stated.origin, system.name)
    for node in system.nodes():
        values: Mapping[str, object] = {**node.parameters, **_position(node)}
        for key, value in values.items():
            _count(rows, node.kind, key, value, node.origin[key], node.name)
    for link in system.links():
        for key, origin in link.origin.items():
            _count(rows, f"link {link.kind}", key, getattr(link, key), origin, f"{link.src} -> {link.dst}")
    return list(rows.values())


def _position(node: NodeSpec) -> dict[str, object]:
    """Only positions that a file states: those of routers and tiles follow from the geometry."""
    return {"pos_mm": node.pos_mm} if "pos_mm" in node.origin else {}


def _count(
    rows: dict[tuple[str, str, Origin], OriginRow], what: str, key: str, value: object, origin: Origin, name: str
) -> None:
    text = shown(value)
    row = rows.get((what, key, origin))
    if row is not None:
        row.count += 1
        row.value = text if row.value == text else VARIOUS
        return
    rows[what, key, origin] = OriginRow(
        what, key, text, origin.provenance, origin.place, origin.template, origin.source, 1, name
    )
