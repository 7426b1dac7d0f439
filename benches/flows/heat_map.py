"""How busy each link is, on the drawing of the topology: parts where ``kernbench topology draw`` has them, or, in a
hierarchy, where they lie in their package; of that only what the flows use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benches.flows.model import FlowsReport, LinkRecord
from benches.flows.traffic import Ends
from topology.draw.graph_view import layout
from topology.draw.svg import Canvas, Point, class_of
from topology.hierarchy import Hierarchy
from topology.system import System

SHADES = 10
PX_PER_MM = 12.0
PACKAGE_GAP_PX = 80.0
APART_PX = 4.0
"""Between the lines of the two directions of a connection."""
MOST_LABELS = 60


@dataclass(frozen=True, slots=True)
class _Heat:
    """Between two boxes, in one direction: the busiest of their links."""

    utilisation: float
    links: int


def draw_heat_map(canvas: Canvas, report: FlowsReport, system: System, corner: Point) -> None:
    """Adds the map to ``canvas``, below and to the right of ``corner``."""
    if system.hierarchy is None:
        boxes, at = _free(system)
    else:
        boxes, at = _placed(system, system.hierarchy, report)
    left, top = (min((p[axis] for p in at.values()), default=0.0) for axis in (0, 1))
    at = {name: (x - left + corner[0] + 40, y - top + corner[1] + 60) for name, (x, y) in at.items()}
    canvas.text(
        corner, "how busy each link is, as a share of the makespan; the busiest where a line stands for several", "note"
    )
    _draw_scale(canvas, (corner[0], corner[1] + 16))
    found = _between(report.links, boxes)
    for link in system.links() if system.hierarchy is None else ():
        ends = boxes[link.src], boxes[link.dst]
        if ends not in found:
            canvas.line(*_beside(at[ends[0]], at[ends[1]]))
    for (a, b), heat in sorted(found.items(), key=lambda item: item[1].utilisation):
        (ax, ay), (bx, by) = _beside(at[a], at[b])
        canvas.line((ax, ay), (bx, by), css=f"heat h{min(SHADES - 1, int(heat.utilisation * SHADES))}")
    if len(found) <= MOST_LABELS:
        for (a, b), heat in found.items():
            (ax, ay), (bx, by) = _beside(at[a], at[b])
            # Nearer to the end, so that the two directions' words do not cover each other.
            canvas.label((ax + (bx - ax) * 0.62, ay + (by - ay) * 0.62), f"{heat.utilisation:.0%}")
    if system.hierarchy is None:
        for group in layout(system)[0]:
            canvas.box(at[group.label], group.size, f"box {class_of(group.kind)}", group.label, hint=group.kind)
    else:
        for name, place in at.items():
            canvas.box(place, (9.0, 9.0), f"box {class_of(system.node(name).kind)}", hint=name)


def _free(system: System) -> tuple[dict[str, str], dict[str, Point]]:
    """The box of each part, and where the boxes are."""
    groups, at = layout(system)
    return {name: group.label for group in groups for name in group.names}, at


def _placed(system: System, hierarchy: Hierarchy, report: FlowsReport) -> tuple[dict[str, str], dict[str, Point]]:
    """Every part that flows use is a box of its own; packages stand side by side, what is in none above them."""
    used = dict.fromkeys(name for link in report.links for name in (link.src, link.dst))
    places = {name: pos for name in used if (pos := system.node(name).pos_mm) is not None}
    wide = max((float(x) for x, _ in places.values()), default=0.0) * PX_PER_MM + PACKAGE_GAP_PX
    top = min((float(y) for _, y in places.values()), default=0.0) * PX_PER_MM
    at: dict[str, Point] = {}
    for name in used:
        number = next((n for n, sip in enumerate(hierarchy.sips) if name.startswith(f"{sip.name}.")), 0)
        if name in places:
            x, y = places[name]
            at[name] = (float(x) * PX_PER_MM + number * wide, float(y) * PX_PER_MM)
        else:
            at[name] = (wide * len(hierarchy.sips) / 2, top - 60)
    return {name: name for name in used}, at


def _between(links: list[LinkRecord], boxes: Mapping[str, str]) -> dict[Ends, _Heat]:
    found: dict[Ends, _Heat] = {}
    for link in links:
        ends = (boxes[link.src], boxes[link.dst])
        before = found.get(ends, _Heat(0.0, 0))
        found[ends] = _Heat(max(before.utilisation, link.utilisation), before.links + 1)
    return found


def _beside(a: Point, b: Point) -> tuple[Point, Point]:
    """The line from ``a`` to ``b``, to the right of the middle as one looks along it."""
    along = b[0] - a[0], b[1] - a[1]
    length = (along[0] ** 2 + along[1] ** 2) ** 0.5 or 1.0
    off = -along[1] / length * APART_PX, along[0] / length * APART_PX
    return (a[0] + off[0], a[1] + off[1]), (b[0] + off[0], b[1] + off[1])


def _draw_scale(canvas: Canvas, at: Point) -> None:
    for shade in range(SHADES):
        x = at[0] + shade * 26
        canvas.line((x, at[1]), (x + 22, at[1]), css=f"heat h{shade}")
    canvas.text((at[0] + SHADES * 26 + 4, at[1]), "0 to 100 %", "note")
