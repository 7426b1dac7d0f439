"""How the ranks of a collective stand to each other: in a row, or in a grid in each of several packages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Packages:
    """``w`` x ``h`` packages, joined for a collective as ``topology`` says: ``ring_1d``, ``torus_2d`` or
    ``mesh_2d_no_wrap``."""

    w: int
    h: int
    topology: str


ONE_PACKAGE = Packages(1, 1, "ring_1d")


@dataclass(frozen=True, slots=True)
class Grid:
    """``w`` x ``h`` ranks in each package: numbered package by package, row by row."""

    w: int
    h: int
    packages: Packages = ONE_PACKAGE

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self.w * self.h * self.packages.w * self.packages.h

    def in_package(self, package: int) -> list[list[int]]:
        """The ranks of a package, row by row."""
        first = package * self.w * self.h
        return [[first + y * self.w + x for x in range(self.w)] for y in range(self.h)]

    def all_rows(self) -> list[list[int]]:
        """The rows of all packages, one below the other."""
        return [row for package in range(self.packages.w * self.packages.h) for row in self.in_package(package)]


@dataclass(frozen=True, slots=True)
class Layout:
    """``nodes``: the part at which each rank sends and receives. ``grid``: None where they only have an order."""

    nodes: tuple[str, ...]
    grid: Grid | None
