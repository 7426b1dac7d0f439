"""The whole tray: the switch, and each package with its cubes and IO chiplets."""

from __future__ import annotations

from topology.draw.links import links_between, rate_of
from topology.draw.svg import Canvas, Point
from topology.hierarchy import Hierarchy, Sip
from topology.system import System

CUBE_PX = 44.0
GAP_PX = 10.0
IO_PX = 30.0
MARGIN_PX = 18.0
SWITCH_PX = (180.0, 40.0)


def draw_tray(system: System, hierarchy: Hierarchy) -> Canvas:
    """Packages in a row, or as their torus or mesh has them, below the switch."""
    canvas = Canvas(system.name, [system.summary] if system.summary else [])
    first = hierarchy.sips[0]
    wide = first.w * (CUBE_PX + GAP_PX) - GAP_PX + 2 * MARGIN_PX
    high = first.h * (CUBE_PX + GAP_PX) - GAP_PX + IO_PX + GAP_PX + 2 * MARGIN_PX + 20
    columns = min(hierarchy.sip_w, 4) if hierarchy.sip_h == 1 else hierarchy.sip_w
    at: list[Point] = [
        ((sip.index % columns) * (wide + 50), (sip.index // columns) * (high + 60)) for sip in hierarchy.sips
    ]
    centre = sum(x for x, _ in at[:columns]) / min(columns, len(at)) + wide / 2
    switch = (centre, -90.0)
    if hierarchy.switch is not None:
        for sip, (x, y) in zip(hierarchy.sips, at, strict=True):
            _draw_uplinks(canvas, system, hierarchy.switch, sip, switch, (x + wide / 2, y))
        canvas.box(switch, SWITCH_PX, "box host", hierarchy.switch)
    for sip, corner in zip(hierarchy.sips, at, strict=True):
        _draw_package(canvas, sip, corner, (wide, high))
    canvas.notes.append(
        f"{len(hierarchy.sips)} package(s), {hierarchy.sip_topology} of {hierarchy.sip_w} x {hierarchy.sip_h} for "
        f"collectives; {system.graph.number_of_nodes()} parts, {system.graph.number_of_edges()} links"
    )
    return canvas


def _draw_uplinks(canvas: Canvas, system: System, switch: str, sip: Sip, from_: Point, to: Point) -> None:
    links = links_between(system, [io.pcie_ep for io in sip.ios], [switch])
    canvas.line(from_, (to[0], from_[1] + 45), to)
    canvas.label((to[0], from_[1] + 62), rate_of(links))


def _draw_package(canvas: Canvas, sip: Sip, corner: Point, size: Point) -> None:
    x, y = corner
    canvas.box((x + size[0] / 2, y + size[1] / 2), size, "frame")
    count = max(1, len(sip.ios))
    inner = size[0] - 2 * MARGIN_PX
    for number, io in enumerate(sip.ios):
        width = inner / count - (4 if count > 1 else 0)
        middle = x + MARGIN_PX + inner * (number + 0.5) / count
        canvas.box((middle, y + MARGIN_PX + IO_PX / 2), (width, IO_PX), "box host", io.name)
    top = y + MARGIN_PX + (IO_PX + GAP_PX if sip.ios else 0)
    for cube in sip.cubes:
        middle_x = x + MARGIN_PX + cube.x * (CUBE_PX + GAP_PX) + CUBE_PX / 2
        middle_y = top + cube.y * (CUBE_PX + GAP_PX) + CUBE_PX / 2
        if cube.x + 1 < sip.w:
            canvas.line((middle_x + CUBE_PX / 2, middle_y), (middle_x + CUBE_PX / 2 + GAP_PX, middle_y))
        if cube.y + 1 < sip.h:
            canvas.line((middle_x, middle_y + CUBE_PX / 2), (middle_x, middle_y + CUBE_PX / 2 + GAP_PX))
        canvas.box((middle_x, middle_y), (CUBE_PX, CUBE_PX), "box compute", str(cube.index), hint=cube.name)
    canvas.text((x + size[0] / 2, y + size[1] - 14), f"{sip.name}: {sip.w} x {sip.h} cubes")
