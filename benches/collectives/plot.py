"""Bandwidth over size as SVG: bus bandwidth as simulated, as the analysis has it, and what no plan can beat."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from benches.calibrate_report.plot import Axis, axis
from benches.collectives.model import CollectiveReport
from benches.collectives.sizes import shown_size

WIDTH, HEIGHT = 560, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 34, 56

STYLE = """\
text{font:11px sans-serif;fill:#333}.grid{stroke:#ddd}polyline{fill:none;stroke-width:1.6}
.simulated{stroke:#1668a7}.analysis{stroke:#c8601a;stroke-dasharray:5 3}.bound{stroke:#888;stroke-dasharray:2 3}
circle{fill:#1668a7}"""

Series = list[tuple[float, float]]


def bandwidth_plot(report: CollectiveReport) -> str:
    """The drawing of ``report``; sizes that take no time have no bandwidth and are left out."""
    series = _series(report)
    points = [point for _, _, line in series for point in line]
    xs = axis([x for x, _ in points] or [0.0], LEFT, WIDTH - RIGHT)
    ys = axis([0.0, *(y for _, y in points)], HEIGHT - BOTTOM, TOP)
    title = f"{report.kind} by {report.algorithm}, {len(report.ranks)} ranks of {report.topology}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<text x="{LEFT}" y="16">{escape(title)}; GB/s of bus bandwidth over size</text>',
        *_grid(report, xs, ys),
    ]
    for number, (kind, name, line) in enumerate(series):
        path = " ".join(f"{xs.at(x):.1f},{ys.at(y):.1f}" for x, y in line)
        parts.append(f'<polyline class="{kind}" points="{path}"/>')
        if kind == "simulated":
            parts += [f'<circle cx="{xs.at(x):.1f}" cy="{ys.at(y):.1f}" r="3"/>' for x, y in line]
        x, y = LEFT + 150 * number, HEIGHT - 10
        parts.append(f'<polyline class="{kind}" points="{x},{y - 4} {x + 24},{y - 4}"/>')
        parts.append(f'<text x="{x + 30}" y="{y}">{name}</text>')
    return "".join([*parts, "</svg>\n"])


def _series(report: CollectiveReport) -> Sequence[tuple[str, str, Series]]:
    factor = report.bus_factor
    simulated, analysis, bound = [], [], []
    for point in report.points:
        x = math.log2(point.bytes)
        if point.busbw_gbs is not None:
            simulated.append((x, point.busbw_gbs))
        if point.alpha_beta.time_ns:
            analysis.append((x, factor * point.bytes / point.alpha_beta.time_ns))
        if point.bound_ns:
            bound.append((x, factor * point.bytes / point.bound_ns))
    named = (("simulated", "simulated", simulated), ("analysis", "alpha-beta", analysis), ("bound", "bound", bound))
    return [row for row in named if row[2]]


def _grid(report: CollectiveReport, xs: Axis, ys: Axis) -> list[str]:
    floor, parts = HEIGHT - BOTTOM, []
    for point in report.points:
        x = xs.at(math.log2(point.bytes))
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{floor}"/>')
        parts.append(f'<text x="{x:.1f}" y="{floor + 16}" text-anchor="middle">{shown_size(point.bytes)}</text>')
    for tick in ys.ticks():
        y = ys.at(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    return parts
