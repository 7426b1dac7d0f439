"""Drawings of a system as SVG: the whole of it, a package, a cube, a PE tile, or a free graph."""

from __future__ import annotations

from dataclasses import dataclass

from simcore.errors import InputError, Problem, hint
from topology.draw.cube_view import draw_cube
from topology.draw.graph_view import draw_graph
from topology.draw.package_view import draw_package
from topology.draw.system_view import draw_tray
from topology.draw.tile_view import draw_tile
from topology.system import System

LEVELS = ("system", "sip", "cube", "pe")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing: a name for its file, what it shows, and the SVG text."""

    name: str
    title: str
    svg: str


def draw_system(system: System, level: str | None = None) -> Drawing:
    """``system`` at ``level``; without one, the whole. Packages, cubes and tiles are alike, so the first is drawn.

    Raises InputError for a level that the system does not have.
    """
    hierarchy = system.hierarchy
    if hierarchy is None:
        if level not in (None, "system"):
            raise InputError([Problem(f"a free graph has no level {level} (allowed: system)", system.file)])
        canvas = draw_graph(system)
        return Drawing(f"{system.name}-system", canvas.title, canvas.svg())
    level = level or "system"
    if level not in LEVELS:
        raise InputError([Problem(f"no level {level} {hint(level, LEVELS)}", system.file)])
    views = {"system": draw_tray, "sip": draw_package, "cube": draw_cube, "pe": draw_tile}
    canvas = views[level](system, hierarchy)
    return Drawing(f"{system.name}-{level}", canvas.title, canvas.svg())
