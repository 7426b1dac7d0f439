"""The way between routers of one package: cube by cube in x-first order, and through each cube's mesh (ADR-0042).

East and west crossings come before north and south ones. So that this stays dimension order on the grid that all
routers of the package make together, a crossing to the north or south takes the connection of the destination's column.
Where there is a choice, of connections or of the routers that one serves, a way that never leaves the southward
direction again comes first (:meth:`topology.mesh.MeshShape.way` says why), then the shorter one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from topology.hierarchy import OPPOSITE, Connection, Cube, IoChiplet, Phy, Sip
from topology.mesh import Cell, leaves_south

_STEP = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}


@dataclass(slots=True)
class _Walk:
    """A way so far: where it is, the side by which it came, the parts that it has passed."""

    cube: Cube
    cell: Cell
    heading: str
    nodes: list[str]


@dataclass(slots=True)
class CubeWays:
    """Ways inside one package. ``spread``: an east or west crossing takes the connection of the source's row."""

    sip: Sip
    spread: bool
    _legs: dict[tuple[int, Cell, Cell], tuple[str, ...]] = field(default_factory=dict, repr=False)
    _columns: dict[tuple[str, int], int] = field(default_factory=dict, repr=False)

    def between(self, src: Cube, start: Cell, dst: Cube, end: Cell) -> list[str]:
        """The parts from the router ``start`` of ``src`` to ``end`` of ``dst``; empty if holes leave none."""
        return self._on(_Walk(src, start, "", [src.mesh.router[start]]), dst, end)

    def to_io(self, src: Cube, start: Cell, io: IoChiplet) -> list[str]:
        """The parts from the router ``start`` of ``src`` to the NOC of ``io``; empty if there is no way."""
        phy = _nearest_phy(self.sip, io, src)
        walk = _Walk(src, start, "", [src.mesh.router[start]])
        if not self._cross_to(walk, self.sip.cubes[phy.cube], None):
            return []
        port = _facing(walk.cube, phy.side, walk.cell)
        out = _nearest(walk, [(port, cell) for cell in port.cells], phy.side, None)
        if out is None:
            return []
        leg = self._leg(walk.cube, walk.cell, out[1])
        return [*walk.nodes, *leg[1:], port.node, phy.connections[port.number], io.io_noc]

    def from_io(self, io: IoChiplet, dst: Cube, end: Cell) -> list[str]:
        """The parts from the NOC of ``io`` to the router ``end`` of ``dst``; empty if there is no way."""
        phy = _nearest_phy(self.sip, io, dst)
        first = self.sip.cubes[phy.cube]
        port = _facing(first, phy.side, end)
        heading = OPPOSITE[phy.side]
        start = self._entry(first, port, heading, None, dst, end)
        if start is None:
            return []
        before = [io.io_noc, phy.connections[port.number], port.node, first.mesh.router[start]]
        return self._on(_Walk(first, start, heading, before), dst, end)

    def nearest_io(self, cube: Cube) -> IoChiplet | None:
        """The IO chiplet with the port nearest to ``cube``, of equals the first."""
        ios = self.sip.ios
        return min(ios, key=lambda io: _distance(self.sip, _nearest_phy(self.sip, io, cube), cube)) if ios else None

    def _on(self, walk: _Walk, dst: Cube, end: Cell) -> list[str]:
        """All of the way, from where ``walk`` has come to."""
        if not self._cross_to(walk, dst, end):
            return []
        leg = self._leg(walk.cube, walk.cell, end)
        return walk.nodes + list(leg[1:]) if leg else []

    def _cross_to(self, walk: _Walk, dst: Cube, end: Cell | None) -> bool:
        """Goes on to the cube ``dst``; False if holes leave no way."""
        while (side := _next_side(walk.cube, dst)) is not None:
            chosen = _nearest(walk, self._exits(walk, side, end), side, end)
            if chosen is None:
                return False
            port, out = chosen
            dx, dy = _STEP[side]
            following = self.sip.cube_at(walk.cube.x + dx, walk.cube.y + dy)
            entry_port = following.sides[OPPOSITE[side]][port.number]
            entry = self._entry(following, entry_port, side, out, dst, end)
            if entry is None:
                return False
            walk.nodes += self._leg(walk.cube, walk.cell, out)[1:]
            walk.nodes += [port.node, entry_port.node, following.mesh.router[entry]]
            walk.cube, walk.cell, walk.heading = following, entry, side
        return True

    def _exits(self, walk: _Walk, side: str, end: Cell | None) -> list[tuple[Connection, Cell]]:
        """The connections, each with a router of it, through which a way may leave the cube."""
        connections = walk.cube.sides[side]
        if side in "NS":
            connections = (self._serving_column(walk.cube, side, (end or walk.cell)[1]),)
        elif not self.spread:
            connections = connections[:1]
        return [(connection, cell) for connection in connections for cell in connection.cells]

    def _entry(
        self, cube: Cube, port: Connection, heading: str, out: Cell | None, dst: Cube, end: Cell | None
    ) -> Cell | None:
        """The router of ``port`` at which a way goes on: of equals one that faces ``out``, then the first."""
        if len(port.cells) == 1:
            return port.cells[0]
        side = _next_side(cube, dst)
        goals = (end,) if end is not None else port.cells
        if side is not None:
            column = (end or port.cells[0])[1]
            same = cube.sides[side][port.number]
            goals = (self._serving_column(cube, side, column) if side in "NS" else same).cells
        ranks = []
        for cell in port.cells:
            faces = out is not None and (cell[0] == out[0] or cell[1] == out[1])
            for goal in goals:
                if cell == goal or cube.mesh.shape.way(cell, goal):
                    steps = cube.mesh.shape.headings(cell, goal)
                    ranks.append((leaves_south(heading + steps + (side or "")), len(steps), not faces, cell))
        return min(ranks)[3] if ranks else None

    def _serving_column(self, cube: Cube, side: str, column: int) -> Connection:
        """The connection of ``side`` with the router nearest to ``column``; all cubes are built alike."""
        key = (side, column)
        if key not in self._columns:
            self._columns[key] = _serving_column(cube.sides[side], column).number
        return cube.sides[side][self._columns[key]]

    def _leg(self, cube: Cube, src: Cell, dst: Cell) -> tuple[str, ...]:
        key = (cube.index, src, dst)
        if key not in self._legs:
            router = cube.mesh.router
            self._legs[key] = tuple([router[cell] for cell in cube.mesh.shape.way(src, dst)])
        return self._legs[key]


def _nearest(
    walk: _Walk, exits: list[tuple[Connection, Cell]], side: str, end: Cell | None
) -> tuple[Connection, Cell] | None:
    """The exit to go to: one in the row (to the north or south: the column of ``end``), then the nearest, the first."""
    shape, here = walk.cube.mesh.shape, walk.cell
    ranks = []
    for order, (_, cell) in enumerate(exits):
        if cell == here or shape.way(here, cell):
            steps = shape.headings(here, cell)
            aside = abs(cell[0] - here[0]) if side in "EW" else end is not None and cell[1] != end[1]
            turns = leaves_south(walk.heading + steps + side)
            ranks.append((turns, aside, len(steps), order) if side in "EW" else (turns, len(steps), aside, order))
    return exits[min(ranks)[3]] if ranks else None


def _next_side(cube: Cube, dst: Cube) -> str | None:
    if cube.x != dst.x:
        return "E" if dst.x > cube.x else "W"
    if cube.y != dst.y:
        return "S" if dst.y > cube.y else "N"
    return None


def _serving_row(connections: tuple[Connection, ...], row: int) -> Connection:
    """The connection with the router nearest to ``row``, of equals the northern one."""
    return min(connections, key=lambda c: min((abs(cell[0] - row), cell[0]) for cell in c.cells))


def _serving_column(connections: tuple[Connection, ...], column: int) -> Connection:
    """The connection with the router nearest to ``column``, of equals the western one."""
    return min(connections, key=lambda c: min((abs(cell[1] - column), cell[1]) for cell in c.cells))


def _facing(cube: Cube, side: str, cell: Cell) -> Connection:
    """The connection on the side of an IO chiplet that serves the column (or row) of ``cell``."""
    serving = _serving_column if side in "NS" else _serving_row
    return serving(cube.sides[side], cell[1] if side in "NS" else cell[0])


def _nearest_phy(sip: Sip, io: IoChiplet, cube: Cube) -> Phy:
    return min(io.phys, key=lambda phy: _distance(sip, phy, cube))


def _distance(sip: Sip, phy: Phy, cube: Cube) -> tuple[int, int]:
    at = sip.cubes[phy.cube]
    return abs(at.x - cube.x), abs(at.y - cube.y)
