"""Faults of names and dependencies in a block: duplicates, unknown and later producers, cycles."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from simcore.errors import nearest
from simcore.program.codes import EDGE_CODES
from simcore.program.edges import EdgeKind
from simcore.program.faults import Faults, Path, kind_of, plain, shown, subject_of
from simcore.program.graph import components

_GUESS_AMONG = 5000
"""Above so many names in a block, an unknown one is reported without its nearest neighbour: the search is slow."""

_GUESSES = 50
"""So many unknown names get a nearest neighbour; the rest of a file that is wrong throughout does not."""

_EDGE_KINDS = tuple(e.name for e in EdgeKind)

_CYCLE_SHOWN = 8
"""So many names of a cycle are shown."""


class BlockNames:
    """Collects a block's names and dependencies and finds what is wrong with them.

    Holds little beside the names, for a block can have millions.
    """

    def __init__(self, path: Path, faults: Faults) -> None:
        self.path = path
        self.faults = faults
        self.names: list[str] = []
        self.places: list[Path] = []
        self.producers: list[tuple[str, ...]] = []
        self.order: dict[str, int] = {}
        self.known: dict[str, str] = {}
        self.guesses: dict[str, str | None] = {}

    def add(self, value: Any, position: int) -> None:
        """Takes the block's instruction at ``position`` and all within it."""
        for instruction, where in _walk(value, (position,)):
            name = instruction.get("name")
            name = name if isinstance(name, str) else ""
            self.faults.subject = subject_of(name)
            if name and name in self.order:
                message = f"duplicate name {shown(name)} (names are unique in a block)"
                self.faults.add((*self.path, *where, "name"), message)
            elif name:
                self.order[name] = len(self.names)
            self.names.append(name)
            self.places.append(where)
            self.producers.append(self._producers(instruction, (*self.path, *where, "dependencies")))

    def _producers(self, instruction: dict[str, Any], path: Path) -> tuple[str, ...]:
        """The names that an instruction depends on, "" for what is no dependency."""
        entries = instruction.get("dependencies", ())
        return tuple([self._producer(e, path, k) for k, e in enumerate(self.faults.sequence(entries, path))])

    def _producer(self, entry: Any, path: Path, k: int) -> str:
        name, kind = entry if isinstance(entry, (list, tuple)) and len(entry) == 2 else (entry, "Flow")
        if not isinstance(name, str):
            self.faults.add((*path, k), f"dependencies[{k}]: expected a name or [name, kind], got {kind_of(entry)}")
            return ""
        if isinstance(kind, (bool, float)) or not isinstance(kind, (int, str)) or kind not in EDGE_CODES:
            allowed = self.faults.hint(kind if isinstance(kind, str) else None, _EDGE_KINDS, "or 0 to 4")
            got = shown(kind) if isinstance(kind, (str, int, float)) else kind_of(kind)
            self.faults.add((*path, k, 1), f"unknown dependency kind {got} {allowed}")
        if not name:
            self.faults.add((*path, k, 0), f"dependencies[{k}]: the name is empty")
        return self.known.setdefault(name, name)

    def finish(self) -> None:
        """Checks the dependencies once all names are known."""
        later: list[tuple[int, int, int]] = []
        for consumer, producers in enumerate(self.producers):
            for k, name in enumerate(producers):
                producer = self.order.get(name)
                if producer is None:
                    if name:
                        self._add(consumer, k, f"depends on unknown instruction {shown(name)}{self._guess(name)}")
                elif producer == consumer:
                    self._add(consumer, k, "depends on itself")
                elif producer > consumer:
                    later.append((consumer, k, producer))
        self._check_later(later)
        self.faults.subject = None

    def _check_later(self, later: list[tuple[int, int, int]]) -> None:
        """Each dependency on a later instruction is a fault; the first of a cycle names the cycle."""
        if not later:
            return
        component = components(self._targets())
        reported: set[int] = set()
        for consumer, k, producer in later:
            if component[consumer] == component[producer] and component[consumer] not in reported:
                reported.add(component[consumer])
                self._add(consumer, k, f"dependency cycle: {self._cycle(consumer, producer, component)}")
            else:
                message = f"depends on {shown(self.names[producer])}, which comes later in the block"
                self._add(consumer, k, f"{message} (allowed: earlier instructions)")

    def _targets(self) -> list[list[int]]:
        return [[self.order[p] for p in producers if p in self.order] for producers in self.producers]

    def _cycle(self, consumer: int, producer: int, component: Sequence[int]) -> str:
        """The shortest cycle over the edge ``consumer -> producer``, as text."""
        came_from = {producer: consumer}
        queue = deque([producer])
        while consumer not in came_from:
            node = queue.popleft()
            for name in self.producers[node]:
                target = self.order.get(name)
                if target is not None and target not in came_from and component[target] == component[consumer]:
                    came_from[target] = node
                    queue.append(target)
        cycle = [consumer]
        while cycle[-1] != producer:
            cycle.append(came_from[cycle[-1]])
        names = [plain(self.names[node]) for node in (*cycle, consumer)][::-1]
        if len(names) > _CYCLE_SHOWN:
            names[_CYCLE_SHOWN - 2 : -1] = [f"({len(names) - _CYCLE_SHOWN + 1} more)"]
        return " -> ".join(names)

    def _guess(self, name: str) -> str:
        if name not in self.guesses and len(self.order) <= _GUESS_AMONG and len(self.guesses) < _GUESSES:
            self.guesses[name] = nearest(name, self.order)
        guess = self.guesses.get(name)
        return f" (did you mean {shown(guess)}?)" if guess else " (allowed: names of earlier instructions in the block)"

    def _add(self, consumer: int, k: int, message: str) -> None:
        self.faults.subject = subject_of(self.names[consumer])
        self.faults.add((*self.path, *self.places[consumer], "dependencies", k, 0), message)


def _walk(instruction: Any, path: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """An instruction and those within it in walk order; malformed ones are left out.

    Keeps its own stack: a document may nest deeper than Python recurses.
    """
    stack: list[tuple[Any, Path]] = [(instruction, path)]
    while stack:
        value, where = stack.pop()
        if not isinstance(value, dict):
            continue
        yield value, where
        body = value.get("body")
        if isinstance(body, (list, tuple)):
            stack.extend((v, (*where, "body", i)) for i, v in reversed(list(enumerate(body))))
        if value.get("transfer") is not None:
            stack.append((value["transfer"], (*where, "transfer")))
