"""A PE tile: its parts where their offsets put them, and the wires between them."""

from __future__ import annotations

from itertools import pairwise

from topology.draw.links import links_between, rate_of
from topology.draw.svg import Canvas, Point, class_of
from topology.hierarchy import Hierarchy, PeTile
from topology.system import System
from topology.text.quantities import shown

PART_PX = (124.0, 46.0)
STEP_PX = (168.0, 120.0)


def draw_tile(system: System, hierarchy: Hierarchy) -> Canvas:
    """The first PE tile."""
    cube = hierarchy.sips[0].cubes[0]
    pe = cube.pes[0]
    at = _places(system, pe)
    words = {name: _words(system, node) for name, node in pe.parts.items()}
    canvas = Canvas(f"{system.name}: PE tile {pe.name}", ["wires inside the tile, in both directions"])
    parts = {node: name for name, node in pe.parts.items()}
    for name, node in pe.parts.items():
        for other in system.graph.successors(node):
            if other in parts and list(pe.parts).index(parts[other]) > list(pe.parts).index(name):
                _draw_wire(canvas, at, name, parts[other])
    top = min(y for _, y in at.values())
    here = at[_name_of(pe, pe.router_part)]
    router = (here[0], top - 90)
    canvas.line(here, router)
    canvas.box(router, (210, 34), "box network", f"router {pe.router.rpartition('.')[2]}", hint=pe.router)
    canvas.label((here[0], top - 50), rate_of(links_between(system, [pe.router_part], [pe.router])))
    if pe.command_part is not None and cube.m_cpu is not None:
        part = at[_name_of(pe, pe.command_part)]
        m_cpu = (part[0], top - 90)
        canvas.line(part, m_cpu, css="command")
        canvas.box(m_cpu, (110, 34), "box compute", "M_CPU", hint=cube.m_cpu)
        canvas.label((part[0], top - 50), "commands")
    for name, place in at.items():
        spec = system.node(pe.parts[name])
        canvas.box(place, PART_PX, f"box {class_of(spec.kind)}", *words[name], hint=spec.name)
    return canvas


def _name_of(pe: PeTile, node: str) -> str:
    return next(name for name, part in pe.parts.items() if part == node)


def _places(system: System, pe: PeTile) -> dict[str, Point]:
    """Positions in the drawing: offsets in steps of the smallest distance between two columns or rows."""
    found = {name: system.node(node).pos_mm for name, node in pe.parts.items()}
    mm = {name: (float(pos[0]), float(pos[1])) for name, pos in found.items() if pos is not None}
    scale = []
    for axis in (0, 1):
        values = sorted({pos[axis] for pos in mm.values()})
        gaps = [b - a for a, b in pairwise(values)]
        scale.append(STEP_PX[axis] / min(gaps) if gaps else 1.0)
    return {name: (pos[0] * scale[0], pos[1] * scale[1]) for name, pos in mm.items()}


def _words(system: System, node: str) -> tuple[str, ...]:
    """The part's name and, if it has one, its overhead."""
    spec = system.node(node)
    overhead = spec.parameters.get("overhead_ns")
    name = node.rpartition(".")[2]
    return (name,) if overhead is None else (name, f"{shown(overhead)} ns")


def _draw_wire(canvas: Canvas, at: dict[str, Point], a: str, b: str) -> None:
    """Straight, or in a bow round the parts that are in between."""
    (ax, ay), (bx, by) = at[a], at[b]
    between = [name for name, p in at.items() if name not in (a, b) and _covers(p, at[a], at[b])]
    if not between:
        canvas.line((ax, ay), (bx, by))
        return
    if ay == by:
        canvas.curve((ax, ay), ((ax + bx) / 2, ay - 2.3 * PART_PX[1]), (bx, by))
    else:
        canvas.curve((ax, ay), ((ax + bx) / 2 + 1.1 * PART_PX[0], (ay + by) / 2), (bx, by))


def _covers(part: Point, a: Point, b: Point) -> bool:
    """Whether the box of a part lies on the straight line from ``a`` to ``b``."""
    for step in range(1, 40):
        x, y = a[0] + (b[0] - a[0]) * step / 40, a[1] + (b[1] - a[1]) * step / 40
        if abs(x - part[0]) < PART_PX[0] / 2 and abs(y - part[1]) < PART_PX[1] / 2:
            return True
    return False
