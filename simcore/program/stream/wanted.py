"""Finding the lines of a few paths in one pass over a document, without keeping the document as a tree of positions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from simcore.program.faults import Path


@dataclass(slots=True)
class Place:
    """Byte or character offsets of a value and, inside a mapping, of its key."""

    value: int
    key: int | None


@dataclass(slots=True)
class Wanted:
    """A tree of the paths to find; a pass over the document descends it and notes the places it meets."""

    path: Path = ()
    children: dict[str | int, Wanted] = field(default_factory=dict)
    place: Place | None = None

    @classmethod
    def tree(cls, paths: Iterable[Path]) -> Wanted:
        """The tree of all ``paths`` and everything on the way to them."""
        root = cls()
        for path in paths:
            node = root
            for depth, step in enumerate(path):
                node = node.children.setdefault(step, cls(path[: depth + 1]))
        return root

    def child(self, step: str | int | None) -> Wanted | None:
        """The wanted node below ``step``, if any path goes there."""
        return self.children.get(step) if step is not None else None

    def nearest_place(self, path: Path) -> Place | None:
        """The place of ``path`` or, when it is not in the document, of its closest ancestor that is."""
        node, best = self, self.place
        for step in path:
            child = node.children.get(step)
            if child is None:
                break
            node = child
            best = node.place or best
        return best
