"""Finding the lines of a few paths in one pass over a document, without keeping the document as a tree of positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from simcore.errors import Problem
from simcore.program.faults import Fault, Path

Position = tuple[int, int]
"""1-based line and column."""


@dataclass(slots=True)
class Place:
    """Where a value begins and, inside a mapping, its key."""

    value: Position
    key: Position | None


@dataclass(slots=True)
class Wanted:
    """A tree of the paths to find; a pass over the document descends it and notes the places it meets."""

    children: dict[str | int, Wanted] = field(default_factory=dict)
    place: Place | None = None

    @classmethod
    def tree(cls, paths: Iterable[Path]) -> Wanted:
        """The tree of all ``paths`` and everything on the way to them."""
        root = cls()
        for path in paths:
            node = root
            for step in path:
                if step not in node.children:
                    node.children[step] = cls()
                node = node.children[step]
        return root

    def nearest_place(self, path: Path) -> Place | None:
        """The place of ``path`` or, when it is not in the document, of its closest ancestor that is."""
        node, best = self, self.place
        for step in path:
            child = node.children.get(step)
            if child is None or child.place is None:
                break
            node, best = child, child.place
        return best

    def problems(self, faults: Sequence[Fault], file: str) -> list[Problem]:
        """The faults as problems with their places, in file order. The tree must be of their paths."""
        found = []
        for fault in faults:
            place = self.nearest_place(fault.path)
            at = (None, None) if place is None else place.value
            if place is not None and fault.at_key and place.key is not None:
                at = place.key
            message = f"{fault.subject}: {fault.message}" if fault.subject else fault.message
            found.append(Problem(message, file, *at))
        return sorted(found, key=lambda p: (p.line or 0, p.column or 0))
