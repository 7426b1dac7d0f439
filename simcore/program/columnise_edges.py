"""Dependencies by name -> edges by event index, merged per pair of instructions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from simcore.program.codes import EDGE_CODES
from simcore.program.columnise_fields import Extras, Fields, Irregular
from simcore.program.columns import NAME_SEPARATOR, Array, LoopSpan

_AT_HAND = 2**14
"""When more names are at hand, all but those of the last chunk are given up."""


class Names:
    """Takes a block's names and dependencies chunk by chunk, and knows where each name stands.

    Most edges are short, so the names of the last few chunks are kept at hand, in a dictionary that fits the
    processor's cache. All names are gathered when an edge leads farther back, and then kept. ``loops`` is the block's
    growing list of loops.
    """

    def __init__(self, loops: Sequence[LoopSpan]) -> None:
        self.text: list[bytes] = []
        self.count = 0
        self._loops = loops
        self._events: dict[str, int] = {}
        self._has_all = True
        self._keeps_all = False
        self._last: Sequence[str] = ()
        self._hashes: list[Array] = []
        self._loop_index: dict[str, int] = {}

    def add(self, names: Sequence[str]) -> None:
        """The next events' names, and those of the loops that have begun since."""
        if len(self._events) > _AT_HAND and not self._keeps_all:
            begin = self.count - len(self._last)
            self._events = dict(zip(self._last, range(begin, self.count), strict=True))
            self._has_all = False
        if names:
            self.text.append(names_text(names))
        known = len(self._events)
        self._events.update(zip(names, range(self.count, self.count + len(names)), strict=True))
        if len(self._events) != known + len(names):
            raise Irregular("duplicate name")
        self.count += len(names)
        self._last = names
        self._hashes.append(np.array(list(map(hash, names)), np.int64))
        if len(self._loops) > len(self._loop_index):
            self._keep_all()
            self._add_loops()

    def _keep_all(self) -> None:
        """Has all names at hand from now on."""
        self._keeps_all = True
        if not self._has_all:
            names = NAME_SEPARATOR.encode().join(self.text).decode().split(NAME_SEPARATOR)
            self._events, self._has_all = dict(zip(names, range(self.count), strict=True)), True
            if len(self._events) != self.count:
                raise Irregular("duplicate name")

    def _add_loops(self) -> None:
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

    def edges(self, events: Fields, extras: Extras) -> dict[str, Array]:
        """The edge columns of ``events``, which were added last. Edges from a loop go to ``extras``."""
        n = events.count
        begin = self.count - n
        flat: list[Any] = list(chain.from_iterable(events["dependencies"]))
        if str in set(map(type, flat)):
            flat = [(d, "Flow") if type(d) is str else d for d in flat]
        counts = events.lengths("dependencies")
        consumer = np.repeat(np.arange(begin, self.count), counts)
        producer = self._producers(flat)
        kind = np.frombuffer(bytearray([EDGE_CODES[kind] for _, kind in flat]), np.uint8)
        is_event = producer >= 0
        if not is_event.all():
            for edge in np.flatnonzero(~is_event).tolist():
                self._edge_from_loop(flat[edge][0], int(kind[edge]), int(consumer[edge]), extras)
            consumer, producer, kind = consumer[is_event], producer[is_event], kind[is_event]
            counts = np.bincount(consumer - begin, minlength=n)
        if np.any(producer >= consumer):
            raise Irregular("forward dependency")
        if _has_repeated_pair(consumer, producer):
            consumer, producer, kind = merge_edges(consumer, producer, kind)
            counts = np.bincount(consumer - begin, minlength=n)
        return {"dep_count": counts, "dep_on": producer, "dep_kind": kind}

    def _producers(self, edges: Sequence[tuple[str, str | int]]) -> Array:
        """The producer of each edge, -1 if it is no instruction."""
        index = self._events
        try:
            return np.array([index[name] for name, _ in edges], np.int64)
        except KeyError:
            self._keep_all()
        index = self._events
        return np.array([index.get(name, -1) for name, _ in edges], np.int64)

    def _edge_from_loop(self, name: str, kind: int, event: int, extras: Extras) -> None:
        loop = self._loops[self._loop_index[name]]
        if loop.begin > event:
            raise Irregular("dependency on a later loop")
        known = dict(extras.get(event, "loop_dependencies") or ())
        known[name] = max(kind, known.get(name, 0))
        extras.put(event, "loop_dependencies", tuple(known.items()))

    def check_all_different(self) -> None:
        """To be called at the end: no two instructions or loops may share a name."""
        if not self._has_all:
            hashes = np.sort(np.concatenate(self._hashes))
            if np.any(hashes[1:] == hashes[:-1]):
                self._keep_all()
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


def _has_repeated_pair(consumer: Array, producer: Array) -> bool:
    key = np.sort((consumer << 32) | producer)
    return bool(np.any(key[1:] == key[:-1]))


def merge_edges(consumer: Array, producer: Array, kind: Array) -> tuple[Array, Array, Array]:
    """One edge per (consumer, producer): the strongest kind, at the place of the first. Consumers must be ascending."""
    key = (consumer.astype(np.int64) << 32) | producer.astype(np.int64)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    first = np.ones(len(key), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    strongest = np.maximum.reduceat(kind[order], np.flatnonzero(first))
    place = order[first]
    back = np.argsort(place, kind="stable")
    place = place[back]
    return consumer[place], producer[place], strongest[back]
