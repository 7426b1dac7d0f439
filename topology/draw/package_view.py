"""A package: its cubes, the UCIe connections between them, and the IO chiplets with their parts."""

from __future__ import annotations

from topology.draw.links import links_between, rate_of
from topology.draw.svg import Canvas, Point
from topology.hierarchy import OPPOSITE, Cube, Hierarchy, IoChiplet, Sip
from topology.system import System

CUBE_PX = (150.0, 96.0)
GAP_PX = (110.0, 60.0)
IO_HIGH_PX = 150.0
PART_PX = (96.0, 30.0)
_OUT = {"N": (0.0, -1.0), "S": (0.0, 1.0), "W": (-1.0, 0.0), "E": (1.0, 0.0)}


def draw_package(system: System, hierarchy: Hierarchy) -> Canvas:
    """The first package."""
    sip = hierarchy.sips[0]
    cube = sip.cubes[0]
    canvas = Canvas(
        f"{system.name}: package {sip.name}",
        [
            f"{sip.w} x {sip.h} cubes, each with {len(cube.mesh.cell)} routers, {len(cube.pes)} PE tiles and "
            f"{len(cube.hbm)} HBM slices; lines are UCIe connections, in both directions"
        ],
    )
    for a in sip.cubes:
        if a.x + 1 < sip.w:
            _draw_crossing(canvas, system, a, sip.cube_at(a.x + 1, a.y), "E")
        if a.y + 1 < sip.h:
            _draw_crossing(canvas, system, a, sip.cube_at(a.x, a.y + 1), "S")
    for io in sip.ios:
        _draw_io(canvas, system, hierarchy, sip, io)
    for each in sip.cubes:
        labels = (f"cube{each.index}", f"{len(each.pes)} PE tiles", f"{len(each.hbm)} HBM slices")
        canvas.box(_centre(each), CUBE_PX, "box compute", *labels, hint=each.name)
    return canvas


def _centre(cube: Cube) -> Point:
    return cube.x * (CUBE_PX[0] + GAP_PX[0]), cube.y * (CUBE_PX[1] + GAP_PX[1])


def _port(cube: Cube, side: str, number: int, count: int) -> Point:
    """Where a connection leaves the box of its cube."""
    (x, y), (w, h) = _centre(cube), CUBE_PX
    along = (number + 1) / (count + 1) - 0.5
    if side in "NS":
        return x + along * w * 0.7, y + _OUT[side][1] * h / 2
    return x + _OUT[side][0] * w / 2, y + along * h * 0.8


def _draw_crossing(canvas: Canvas, system: System, a: Cube, b: Cube, side: str) -> None:
    here, there = a.sides[side], b.sides[OPPOSITE[side]]
    for k in range(len(here)):
        canvas.line(_port(a, side, k, len(here)), _port(b, OPPOSITE[side], k, len(there)))
    links = links_between(system, [c.node for c in here], [c.node for c in there])
    (ax, ay), (bx, by) = _centre(a), _centre(b)
    canvas.label(((ax + bx) / 2, (ay + by) / 2), rate_of(links))


def _draw_io(canvas: Canvas, system: System, hierarchy: Hierarchy, sip: Sip, io: IoChiplet) -> None:
    """The chiplet stands above or below the cubes, beside them if its ports are at their sides."""
    side = io.phys[0].side
    corners = [_centre(cube) for cube in (sip.cubes[0], sip.cubes[-1])]
    middle = (corners[0][0] + corners[1][0]) / 2, (corners[0][1] + corners[1][1]) / 2
    same = [other for other in sip.ios if other.phys[0].side == side]
    shift = (same.index(io) - (len(same) - 1) / 2) * 420.0
    if side in "NS":
        edge = corners[0][1] if side == "N" else corners[1][1]
        centre = middle[0] + shift, edge + _OUT[side][1] * (CUBE_PX[1] / 2 + 70 + IO_HIGH_PX / 2)
    else:
        edge = corners[0][0] if side == "W" else corners[1][0]
        centre = edge + _OUT[side][0] * (CUBE_PX[0] / 2 + 110 + 190), middle[1] + shift
    noc = (centre[0], centre[1] + 42)
    canvas.box(centre, (400, IO_HIGH_PX), "frame")
    canvas.text((centre[0], centre[1] - IO_HIGH_PX / 2 + 14), io.name)
    for phy in io.phys:
        cube = sip.cubes[phy.cube]
        facing = cube.sides[phy.side]
        for k in range(len(phy.connections)):
            canvas.line(noc, _port(cube, phy.side, k, len(phy.connections)))
        at = _port(cube, phy.side, 0, 1)
        label = rate_of(links_between(system, list(phy.connections), [c.node for c in facing]))
        canvas.label((at[0] + _OUT[phy.side][0] * 50, at[1] + _OUT[phy.side][1] * 16), label)
    pcie, cpu = (centre[0] - 130, centre[1] - 22), (centre[0] + 130, centre[1] - 22)
    for part, node in ((pcie, io.pcie_ep), (cpu, io.io_cpu)):
        canvas.line(part, noc)
        label = rate_of(links_between(system, [node], [io.io_noc]))
        canvas.label(((part[0] + noc[0]) / 2, (part[1] + noc[1]) / 2), label)
    if hierarchy.switch is not None:
        up = (pcie[0], centre[1] - IO_HIGH_PX / 2 - 34)
        canvas.line(pcie, up)
        label = rate_of(links_between(system, [io.pcie_ep], [hierarchy.switch]))
        canvas.label((up[0], up[1] - 10), f"{hierarchy.switch}, {label}")
    canvas.box(pcie, PART_PX, "box host", "pcie_ep")
    canvas.box(cpu, PART_PX, "box host", "io_cpu")
    canvas.box(noc, PART_PX, "box network", "io_noc")
