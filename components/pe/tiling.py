"""The plan of a command: its tiles in order, and the stages of each (ADR-0054). Pure: it depends on the command alone.

First action: every fault of the command is found, before any tile is made. A matrix of r x c elements in tiles of
p x q lies in memory tile after tile, row by row, each tile as long as a whole one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from components.pe.commands import SCOPES, GemmCommand, MathCommand, Planned
from components.pe.stages import DmaIn, DmaOut, Fetch, Gemm, Math, Stage, Store, Tile
from simcore.errors import InputError, Problem, hint


@dataclass(frozen=True, slots=True)
class Cut:
    """One dimension in tiles: ``size`` elements, ``tile`` in each but the last."""

    size: int
    tile: int

    @property
    def count(self) -> int:
        """Tiles along it."""
        return -(-self.size // self.tile)

    def extent(self, index: int) -> int:
        """Elements of the tile of that number."""
        return min(self.tile, self.size - index * self.tile)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix as it lies in memory."""

    rows: Cut
    columns: Cut
    element_bytes: int

    def offset(self, row: int, column: int) -> int:
        """Bytes from its begin to the tile in that row and column of tiles."""
        whole = self.rows.tile * self.columns.tile * self.element_bytes
        return (row * self.columns.count + column) * whole

    def nbytes(self, row: int, column: int) -> int:
        """What the tile holds."""
        return self.rows.extent(row) * self.columns.extent(column) * self.element_bytes


def plan_of(command: Planned) -> tuple[Tile, ...]:
    """The tiles of ``command``, in the order in which they are fed. Raises InputError with every fault of it."""
    return plan_gemm(command) if isinstance(command, GemmCommand) else plan_math(command)


def plan_gemm(command: GemmCommand) -> tuple[Tile, ...]:
    """Tiles by row of C, then by column, then along K, so that the accumulator stays where it is over a K loop."""
    _check(command, ("m", "k", "n", "tile_m", "tile_k", "tile_n", "element_bytes"), ("a", "b", "c"))
    m, k, n = Cut(command.m, command.tile_m), Cut(command.k, command.tile_k), Cut(command.n, command.tile_n)
    cells = ((i, j, s) for i in range(m.count) for j in range(n.count) for s in range(k.count))
    return tuple([Tile(f"m{i}.n{j}.k{s}", tuple(_gemm_stages(command, m, k, n, i, j, s))) for i, j, s in cells])


def _gemm_stages(command: GemmCommand, m: Cut, k: Cut, n: Cut, i: int, j: int, step: int) -> Iterator[Stage]:
    a, b = Matrix(m, k, command.element_bytes), Matrix(k, n, command.element_bytes)
    if command.a is not None:
        yield DmaIn("A", command.a + a.offset(i, step), a.nbytes(i, step))
    if command.b is not None:
        yield DmaIn("B", command.b + b.offset(step, j), b.nbytes(step, j))
    yield Fetch(a.nbytes(i, step) + b.nbytes(step, j))
    yield Gemm(m.extent(i), k.extent(step), n.extent(j))
    elements = m.extent(i) * n.extent(j)
    for epilogue in command.epilogues:
        if epilogue.scope == "k_tile":
            yield Math(epilogue.operation, elements)
    if step == k.count - 1:
        for epilogue in command.epilogues:
            if epilogue.scope == "output_tile":
                yield Math(epilogue.operation, elements)
        yield from _out("C", command.c, Matrix(m, n, command.element_bytes), i, j)


def plan_math(command: MathCommand) -> tuple[Tile, ...]:
    """Tiles by row, then by column."""
    _check(command, ("m", "n", "tile_m", "tile_n", "element_bytes"), ("source", "destination"))
    m, n = Cut(command.m, command.tile_m), Cut(command.n, command.tile_n)
    cells = ((i, j) for i in range(m.count) for j in range(n.count))
    return tuple([Tile(f"m{i}.n{j}", tuple(_math_stages(command, m, n, i, j))) for i, j in cells])


def _math_stages(command: MathCommand, m: Cut, n: Cut, i: int, j: int) -> Iterator[Stage]:
    matrix = Matrix(m, n, command.element_bytes)
    if command.source is not None:
        yield DmaIn("source", command.source + matrix.offset(i, j), matrix.nbytes(i, j))
    yield Fetch(matrix.nbytes(i, j))
    yield Math(command.operation, m.extent(i) * n.extent(j))
    yield from _out("destination", command.destination, matrix, i, j)


def _out(operand: str, base: int | None, matrix: Matrix, i: int, j: int) -> Iterator[Stage]:
    yield Store(matrix.nbytes(i, j))
    if base is not None:
        yield DmaOut(operand, base + matrix.offset(i, j), matrix.nbytes(i, j))


def _check(command: Planned, sizes: tuple[str, ...], addresses: tuple[str, ...]) -> None:
    faults = []
    for field in sizes:
        if type(value := getattr(command, field)) is not int or value < 1:
            faults.append(f"{field} {value!r} (an int, 1 or more)")
    for field in addresses:
        value = getattr(command, field)
        if value is not None and (type(value) is not int or value < 0):
            faults.append(f"{field} {value!r} (an address: an int, 0 or more)")
    if isinstance(command, GemmCommand):
        unknown = [epilogue.scope for epilogue in command.epilogues if epilogue.scope not in SCOPES]
        faults += [f"scope {scope!r} of an epilogue {hint(scope, SCOPES)}" for scope in unknown]
    if faults:
        raise InputError([Problem(fault, "<kernel>", where=command.name) for fault in faults])
