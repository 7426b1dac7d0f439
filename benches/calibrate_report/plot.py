"""Plots of a fit as SVG: the law through its points, and the error at each; what was measured is shaded."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 420, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 14, 40
SAMPLES = 160
BEYOND = 0.25
"""How far a law is drawn beyond what was measured, as a share of the measured range."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """A straight scale from the values ``low..high`` to the pixels ``begin..end``."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of ``value``."""
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Round values along the axis, four to nine of them."""
        raw = (self.high - self.low) / 5
        unit = 10 ** math.floor(math.log10(raw))
        step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= raw)
        first = math.ceil(self.low / step)
        return [k * step for k in range(first, math.floor(self.high / step) + 1)]


def axis(values: Sequence[float], begin: float, end: float) -> Axis:
    """A scale that holds ``values`` with a little room; a single value gets room of its own size."""
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or abs(high) * 0.5 or 1.0
    return Axis(low - room, high + room, begin, end)


def law_plot(
    points: Sequence[Point], measured: tuple[float, float], law: Callable[[float], float], names: tuple[str, str]
) -> str:
    """Points and the law over one feature; the law is dashed outside ``measured``, where it is EXTRAPOLATED."""
    low, high = measured
    room = BEYOND * (high - low) or abs(high) * BEYOND or 1.0
    begin = low - room if low - room > 0 else low
    grid = [begin + (high + room - begin) * k / SAMPLES for k in range(SAMPLES + 1)]
    inside = [(x, law(x)) for x in (low, *(x for x in grid if low < x < high), high)]
    before = [(x, law(x)) for x in (*(x for x in grid if x < low), low)]
    after = [(x, law(x)) for x in (high, *(x for x in grid if x > high))]
    curve = [*before, *inside, *after]
    xs = axis([p[0] for p in (*points, *curve)], LEFT, WIDTH - RIGHT)
    ys = axis([p[1] for p in (*points, *curve)], HEIGHT - BOTTOM, TOP)
    shade = f'<rect class="range" x="{xs.at(low):.1f}" y="{TOP}" width="{max(xs.at(high) - xs.at(low), 1):.1f}" '
    body = [
        shade + f'height="{HEIGHT - BOTTOM - TOP}"/>',
        _line(before, xs, ys, "law outside"),
        _line(inside, xs, ys, "law"),
        _line(after, xs, ys, "law outside"),
        _dots(points, xs, ys),
    ]
    return _framed(body, xs, ys, names)


def diagonal_plot(points: Sequence[Point], names: tuple[str, str]) -> str:
    """Predicted (y) against measured (x), for laws of several features; on the line they are equal."""
    values = [value for point in points for value in point]
    xs, ys = axis(values, LEFT, WIDTH - RIGHT), axis(values, HEIGHT - BOTTOM, TOP)
    ends = [(min(values), min(values)), (max(values), max(values))]
    return _framed([_line(ends, xs, ys, "law"), _dots(points, xs, ys)], xs, ys, names)


def error_plot(points: Sequence[Point], names: tuple[str, str]) -> str:
    """Errors (y, in percent) over a feature or over the measured value."""
    xs = axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    ys = axis([0.0, *(y for _, y in points)], HEIGHT - BOTTOM, TOP)
    zero = [(xs.low, 0.0), (xs.high, 0.0)]
    stems = "".join(_line([(x, 0.0), (x, y)], xs, ys, "stem") for x, y in points)
    return _framed([_line(zero, xs, ys, "zero"), stems, _dots(points, xs, ys)], xs, ys, names)


def _framed(body: list[str], xs: Axis, ys: Axis, names: tuple[str, str]) -> str:
    floor = HEIGHT - BOTTOM
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(names[1])} over {escape(names[0])}">']
    for tick in xs.ticks():
        x = xs.at(tick)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{floor}"/>')
        parts.append(f'<text x="{x:.1f}" y="{floor + 14}" text-anchor="middle">{tick:g}</text>')
    for tick in ys.ticks():
        y = ys.at(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    parts += body
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{escape(names[0])}</text>')
    turned = f'transform="rotate(-90 12 {HEIGHT / 2:.1f})"'
    parts.append(f'<text x="12" y="{HEIGHT / 2:.1f}" text-anchor="middle" {turned}>{escape(names[1])}</text>')
    return "".join([*parts, "</svg>"])


def _line(points: Sequence[Point], xs: Axis, ys: Axis, kind: str) -> str:
    path = " ".join(f"{xs.at(x):.1f},{ys.at(y):.1f}" for x, y in points)
    return f'<polyline class="{kind}" points="{path}"/>'


def _dots(points: Sequence[Point], xs: Axis, ys: Axis) -> str:
    return "".join(
        f'<circle cx="{xs.at(x):.1f}" cy="{ys.at(y):.1f}" r="3.5"><title>{x:g}, {y:g}</title></circle>'
        for x, y in points
    )
