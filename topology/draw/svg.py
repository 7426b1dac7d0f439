"""A small writer of SVG: shapes in the order in which they are drawn, the same bytes for the same calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

Point = tuple[float, float]

FONT_PX = 12
CHARACTER_PX = 6.7
"""Mean width of a character at FONT_PX, near enough to tell whether a word fits."""

LABEL_CHARACTER_PX = 5.6
"""The same for a small character."""

_STYLE = """\
text { font: 12px sans-serif; fill: #222; text-anchor: middle; dominant-baseline: central }
.title { font-size: 18px; font-weight: bold; text-anchor: start }
.note { fill: #555; text-anchor: start }
.small { font-size: 10px }
.box { stroke: #444; stroke-width: 1.2; fill: #fff }
.frame { stroke: #999; stroke-width: 1.2; fill: #fafafa }
.hole { stroke: #bbb; stroke-dasharray: 5 4; fill: #f0f0f0 }
.host { fill: #fde9c8 } .compute { fill: #d6e8fb } .memory { fill: #d9f0d3 } .network { fill: #e8e0f2 }
.link { stroke: #666; stroke-width: 1.4; fill: none }
.command { stroke: #c33; stroke-width: 1; stroke-dasharray: 4 3; fill: none }
"""

KIND_CLASS = {
    "pcie_endpoint": "host",
    "io_cpu": "host",
    "switch": "host",
    "hbm_controller": "memory",
    "sram": "memory",
    "tcm": "memory",
    "router": "network",
    "ucie_port": "network",
    "node": "network",
}
"""Colour class of each kind of part; all others compute."""


def class_of(kind: str) -> str:
    """The colour class of a part of ``kind``."""
    return KIND_CLASS.get(kind, "compute")


@dataclass(slots=True)
class Canvas:
    """Shapes drawn so far. Coordinates in pixels; the picture is as large as what is in it, and a margin."""

    title: str
    notes: list[str] = field(default_factory=list)
    _shapes: list[str] = field(default_factory=list)
    _extent: list[Point] = field(default_factory=list)

    def box(self, centre: Point, size: Point, css: str, *labels: str, hint: str = "") -> None:
        """A rectangle with its lines of text in the middle; ``hint`` shows when the pointer rests on it."""
        (x, y), (w, h) = centre, size
        self._extent += [(x - w / 2, y - h / 2), (x + w / 2, y + h / 2)]
        shape = f'<rect class={quoteattr(css)} x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}"'
        self._shapes.append(f'{shape} rx="3"><title>{escape(hint)}</title></rect>' if hint else f'{shape} rx="3"/>')
        for number, label in enumerate(labels):
            small = len(label) * CHARACTER_PX > w - 4
            at = (x, y + (number - (len(labels) - 1) / 2) * (FONT_PX + 2))
            self.text(at, label, "small" if small else "")

    def text(self, at: Point, words: str, css: str = "") -> None:
        """A line of text around ``at``."""
        half = len(words) * CHARACTER_PX / 2
        reach = (0.0, 2 * half) if css in ("title", "note") else (-half, half)
        self._extent += [(at[0] + reach[0], at[1] - FONT_PX), (at[0] + reach[1], at[1] + FONT_PX)]
        attribute = f" class={quoteattr(css)}" if css else ""
        self._shapes.append(f'<text{attribute} x="{at[0]:.1f}" y="{at[1]:.1f}">{escape(words)}</text>')

    def label(self, at: Point, words: str) -> None:
        """A small line of text on white, to be read above links."""
        if not words:
            return
        w = len(words) * LABEL_CHARACTER_PX + 6
        self._shapes.append(
            f'<rect x="{at[0] - w / 2:.1f}" y="{at[1] - 8:.1f}" width="{w:.1f}" height="16" fill="#fff"/>'
        )
        self.text(at, words, "small")

    def line(self, *points: Point, css: str = "link") -> None:
        """Straight lines from point to point."""
        self._extent += points
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._shapes.append(f'<polyline class={quoteattr(css)} points="{path}"/>')

    def curve(self, a: Point, over: Point, b: Point, css: str = "link") -> None:
        """A curve from ``a`` to ``b`` that bends towards ``over``."""
        self._extent += [a, over, b]
        path = f"M {a[0]:.1f} {a[1]:.1f} Q {over[0]:.1f} {over[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
        self._shapes.append(f'<path class={quoteattr(css)} d="{path}"/>')

    def svg(self) -> str:
        """The whole picture: title on top, then the notes, then the shapes."""
        left, top = (min((p[axis] for p in self._extent), default=0.0) for axis in (0, 1))
        head = Canvas("")
        y = top - 34 - 18 * len(self.notes)
        head.text((left, y), self.title, "title")
        for number, note in enumerate(self.notes):
            head.text((left, y + 24 + 18 * number), note, "note")
        points = self._extent + head._extent
        wide = max(p[0] for p in points) + 24, max(p[1] for p in points) + 24
        begin = min(p[0] for p in points) - 24, min(p[1] for p in points) - 24
        w, h = wide[0] - begin[0], wide[1] - begin[1]
        view = f"{begin[0]:.1f} {begin[1]:.1f} {w:.1f} {h:.1f}"
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{w:.0f}" height="{h:.0f}">',
            f"<style>\n{_STYLE}</style>",
            f'<rect x="{begin[0]:.1f}" y="{begin[1]:.1f}" width="{w:.1f}" height="{h:.1f}" fill="#fff"/>',
            *head._shapes,
            *self._shapes,
            "</svg>\n",
        ]
        return "\n".join(lines)
