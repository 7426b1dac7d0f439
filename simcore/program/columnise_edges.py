"""Dependencies by name -> edges by event index, merged per pair of instructions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from simcore.program.codes import EDGE_CODES
from simcore.program.columnise_fields import Extras, Irregular
from simcore.program.columns import NAME_SEPARATOR, Array, LoopSpan
from simcore.program.instruction import Dependency


class Names:
    """Takes a block's names and dependencies chunk by chunk, and knows where each name stands.

    ``loops`` is the block's growing list of loops.
    """

    def __init__(self, loops: Sequence[LoopSpan]) -> None:
        self.text: list[bytes] = []
        self._loops = loops
        self._events: dict[str, int] = {}
        self._loop_index: dict[str, int] = {}

    def add(self, names: Sequence[str]) -> None:
        """The next events' names, and those of the loops that have begun since."""
        if names:
            self.text.append(names_text(names))
        begin = len(self._events)
        self._events.update(zip(names, range(begin, begin + len(names)), strict=True))
        if len(self._events) != begin + len(names):
            raise Irregular("duplicate name")
        for k in range(len(self._loop_index), len(self._loops)):
            self._loop_index[self._loops[k].header.name] = k
            if len(self._loop_index) != k + 1:
                raise Irregular("duplicate name of a loop")
            self._check_loop(self._loops[k], k)

    def _check_loop(self, loop: LoopSpan, number: int) -> None:
        for dependency in loop.header.dependencies:
            name, kind = (dependency, "Flow") if isinstance(dependency, str) else dependency
            is_event = name in self._events
            later = self._events[name] >= loop.begin if is_event else self._loop_index[name] >= number
            if later or kind not in EDGE_CODES:
                raise Irregular("loop dependency")

    def edges(self, dependencies: Sequence[Sequence[Dependency | str]], extras: Extras) -> dict[str, Array]:
        """The edge columns of the events added last. Edges from a loop go to ``extras``."""
        n = len(dependencies)
        begin = len(self._events) - n
        flat: list[Dependency | str] = list(chain.from_iterable(dependencies))
        pairs = [(d, "Flow") if type(d) is str else d for d in flat] if str in set(map(type, flat)) else flat
        producer_names, kind_words = zip(*pairs, strict=True) if pairs else ((), ())
        kind = np.fromiter(map(EDGE_CODES.__getitem__, kind_words), np.uint8, len(pairs))
        consumer = np.repeat(np.arange(begin, begin + n), np.fromiter(map(len, dependencies), np.int64, n))
        if self._loops:
            producer = np.array([self._events.get(p, -1) for p in producer_names], dtype=np.int64)
            is_event = producer >= 0
            for edge in np.flatnonzero(~is_event).tolist():
                self._edge_from_loop(producer_names[edge], int(consumer[edge]), int(kind[edge]), extras)
            consumer, producer, kind = consumer[is_event], producer[is_event], kind[is_event]
        else:
            producer = np.fromiter(map(self._events.__getitem__, producer_names), np.int64, len(pairs))
        if np.any(producer >= consumer):
            raise Irregular("forward dependency")
        consumer, producer, kind = merge_edges(consumer, producer, kind)
        return {"dep_count": np.bincount(consumer - begin, minlength=n), "dep_on": producer, "dep_kind": kind}

    def _edge_from_loop(self, name: str, event: int, kind: int, extras: Extras) -> None:
        loop = self._loops[self._loop_index[name]]
        if loop.begin > event:
            raise Irregular("dependency on a later loop")
        known = dict(extras.get(event, "loop_dependencies") or ())
        known[name] = max(kind, known.get(name, 0))
        extras.put(event, "loop_dependencies", tuple(known.items()))

    def check_disjoint(self) -> None:
        """To be called at the end: no loop may share a name with an instruction."""
        if not self._events.keys().isdisjoint(self._loop_index):
            raise Irregular("a loop and an instruction of one name")


def names_text(names: Sequence[str]) -> bytes:
    """One or more names as columns store them. Raises :class:`Irregular` for one that is empty or not printable."""
    joined = NAME_SEPARATOR.join(names)
    framed = NAME_SEPARATOR + joined + NAME_SEPARATOR
    if framed.count(NAME_SEPARATOR) != len(names) + 1 or NAME_SEPARATOR * 2 in framed:
        raise Irregular("name that is empty or holds NUL")
    if not joined.replace(NAME_SEPARATOR, "").isprintable():
        raise Irregular("name that cannot be printed")
    return joined.encode()


def merge_edges(consumer: Array, producer: Array, kind: Array) -> tuple[Array, Array, Array]:
    """One edge per (consumer, producer): the strongest kind, at the place of the first. Consumers must be ascending."""
    key = (consumer.astype(np.int64) << 32) | producer.astype(np.int64)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.ones(len(key), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    if first.all():
        return consumer, producer, kind
    strongest = np.maximum.reduceat(kind[order], np.flatnonzero(first))
    place = order[first]
    back = np.argsort(place, kind="stable")
    place = place[back]
    return consumer[place], producer[place], strongest[back]
