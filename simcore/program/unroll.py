"""Unrolling: every loop's body as often as its trip count says, so that both models run what the hardware runs.

A copy of an instruction is called ``name#k``, one ``#k`` per enclosing loop, outermost first, k from 0. An edge between
instructions of one body stays inside its iteration; an edge from a body to what follows the loop comes from the last
iteration. Edges to a loop itself go with the loop (no model reads them).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import msgspec
import numpy as np

from simcore.errors import InputError, Problem
from simcore.program.columns import (
    EDGE_DTYPES,
    EVENT_DTYPES,
    NAME_SEPARATOR,
    OPERAND_DTYPES,
    Array,
    Columns,
    Extra,
    LoopSpan,
)
from simcore.program.program import Block, Function, Program

MAX_UNROLLED_EVENTS = 50_000_000
"""Events that an unrolled block may have."""

MARK = "#"


@dataclass(frozen=True, slots=True)
class UnrolledLoop:
    """An outermost loop after unrolling: ``trip_count`` iterations of ``events`` events each, from ``begin`` on."""

    name: str
    begin: int
    events: int
    trip_count: int


@dataclass(frozen=True, slots=True)
class UnrolledProgram:
    """A program without loops; ``loops`` lists each block's former outermost loops, in the order of the blocks."""

    program: Program
    loops: tuple[tuple[UnrolledLoop, ...], ...]


def unroll(program: Program) -> UnrolledProgram:
    """``program`` with all loops unrolled. Raises InputError for a block that would be too large."""
    loops: list[tuple[UnrolledLoop, ...]] = []
    functions = []
    for function in program.functions:
        blocks = []
        for block in function.blocks:
            columns, former = _Unrolling(block, program.file).columns()
            blocks.append(Block(block.name, columns))
            loops.append(former)
        functions.append(Function(function.name, blocks))
    parts = {f.name: getattr(program, f.name) for f in fields(program)}
    return UnrolledProgram(Program(**{**parts, "functions": functions}), tuple(loops))


class _Unrolling:
    """One block's unrolling.

    ``size[l]`` is the number of events of one iteration of loop l, its inner loops unrolled; ``chain[l]`` the loops
    around and including it, outermost first.
    """

    def __init__(self, block: Block, file: str) -> None:
        self.c = block.columns
        self.loops: tuple[LoopSpan, ...] = self.c.loops
        self.size = self._sizes()
        self.chain: list[tuple[int, ...]] = []
        for loop in self.loops:
            outer = self.chain[loop.parent] if loop.parent >= 0 else ()
            self.chain.append((*outer, len(self.chain)))
        total = len(self.c) + sum(
            (loop.trip_count * self.size[k]) - (loop.end - loop.begin)
            for k, loop in enumerate(self.loops)
            if loop.parent < 0
        )
        if total > MAX_UNROLLED_EVENTS:
            message = f"unrolled it has {total} instructions (allowed: {MAX_UNROLLED_EVENTS}; leave --unroll out)"
            raise InputError([Problem(message, file, where=f"block {block.name}")])

    def columns(self) -> tuple[Columns, tuple[UnrolledLoop, ...]]:
        """The unrolled block and its former outermost loops."""
        if not self.loops:
            return self.c, ()
        source, prefix = self._copies()
        first_copy = self._first_copies(source)
        former = tuple(
            UnrolledLoop(
                loop.header.name, int(self._place_of(loop, first_copy, len(source))), self.size[k], loop.trip_count
            )
            for k, loop in enumerate(self.loops)
            if loop.parent < 0
        )
        edges = self._edges(source, prefix, first_copy)
        operand = _gather(self.c.op_count, source)
        arrays: dict[str, Array] = {key: getattr(self.c, key)[source] for key in EVENT_DTYPES}
        arrays |= {key: getattr(self.c, key)[operand] for key in OPERAND_DTYPES}
        arrays |= {key: value.astype(EDGE_DTYPES[key], copy=False) for key, value in edges.items()}
        names = self._names(source, prefix)
        return (
            Columns(
                names=np.frombuffer(NAME_SEPARATOR.join(names).encode(), dtype=np.uint8),
                **arrays,
                words=self.c.words,
                loops=(),
                extras=self._extras(source),
            ),
            former,
        )

    def _sizes(self) -> list[int]:
        size = [loop.end - loop.begin for loop in self.loops]
        for k in range(len(self.loops) - 1, -1, -1):
            loop = self.loops[k]
            if loop.parent >= 0:
                size[loop.parent] += loop.trip_count * size[k] - (loop.end - loop.begin)
        return size

    def _copies(self) -> tuple[Array, Array]:
        """The source event of each copy, and int64[copies, depth + 1]: by how much its iterations shift it.

        Column d is the shift by the d outermost loops around the copy; a loop shifts by iteration times size.
        """
        depth = max(len(chain) for chain in self.chain)
        children: dict[int, list[int]] = {}
        for k, loop in enumerate(self.loops):
            children.setdefault(loop.parent, []).append(k)
        return self._copy_range(-1, 0, len(self.c), children, depth)

    def _copy_range(
        self, parent: int, begin: int, end: int, children: dict[int, list[int]], depth: int
    ) -> tuple[Array, Array]:
        """One iteration of ``parent`` (or the whole block), with its inner loops unrolled."""
        sources: list[Array] = []
        prefixes: list[Array] = []
        at = begin
        level = len(self.chain[parent]) if parent >= 0 else 0
        for k in children.get(parent, []):
            loop = self.loops[k]
            sources.append(np.arange(at, loop.begin))
            prefixes.append(np.zeros((loop.begin - at, depth + 1), dtype=np.int64))
            source, prefix = self._copy_range(k, loop.begin, loop.end, children, depth)
            shift = np.repeat(np.arange(loop.trip_count, dtype=np.int64) * self.size[k], len(source))
            prefix = np.tile(prefix, (loop.trip_count, 1))
            prefix[:, level + 1 :] += shift[:, None]
            sources.append(np.tile(source, loop.trip_count))
            prefixes.append(prefix)
            at = loop.end
        sources.append(np.arange(at, end))
        prefixes.append(np.zeros((end - at, depth + 1), dtype=np.int64))
        return np.concatenate(sources), np.concatenate(prefixes)

    def _first_copies(self, source: Array) -> Array:
        """Where each event's first copy lies; every event has one, as loops run at least once."""
        first = np.zeros(len(self.c), dtype=np.int64)
        _, where = np.unique(source, return_index=True)
        first[:] = where
        return first

    def _place_of(self, loop: LoopSpan, first_copy: Array, total: int) -> int:
        return int(first_copy[loop.begin]) if loop.begin < len(self.c) else total

    def _innermost(self) -> list[tuple[int, ...]]:
        """The loops around each event, outermost first."""
        around: list[tuple[int, ...]] = [()] * len(self.c)
        for k, loop in enumerate(self.loops):
            for event in range(loop.begin, loop.end):
                around[event] = self.chain[k]
        return around

    def _edges(self, source: Array, prefix: Array, first_copy: Array) -> dict[str, Array]:
        """Edges of all copies: the shared loops in the consumer's iteration, finished loops in their last."""
        c, around = self.c, self._innermost()
        consumers = np.repeat(np.arange(len(c)), c.dep_count).tolist()
        shared, last = [], []
        for consumer, producer in zip(consumers, c.dep_on.tolist(), strict=True):
            common = 0
            for one, other in zip(around[consumer], around[producer], strict=False):
                common += one == other
            shared.append(common)
            last.append(sum((self.loops[k].trip_count - 1) * self.size[k] for k in around[producer][common:]))
        edge = _gather(c.dep_count, source)
        copy = np.repeat(np.arange(len(source)), c.dep_count[source])
        within = prefix[copy, np.array(shared, dtype=np.int64)[edge]] if len(edge) else np.zeros(0, dtype=np.int64)
        return {
            "dep_on": first_copy[c.dep_on[edge]] + within + np.array(last, dtype=np.int64)[edge],
            "dep_kind": c.dep_kind[edge],
        }

    def _names(self, source: Array, prefix: Array) -> list[str]:
        plain, around = self.c.name_list(), self._innermost()
        names = []
        for event, shifts in zip(source.tolist(), prefix.tolist(), strict=True):
            chain = around[event]
            steps = ((shifts[d + 1] - shifts[d]) // self.size[k] for d, k in enumerate(chain))
            names.append(plain[event] + "".join(f"{MARK}{step}" for step in steps))
        return names

    def _extras(self, source: Array) -> dict[int, Extra]:
        known = self.c.extras
        if not known:
            return {}
        kept = {event: msgspec.structs.replace(extra, loop_dependencies=()) for event, extra in known.items()}
        return {copy: kept[event] for copy, event in enumerate(source.tolist()) if event in kept}


def _gather(counts: Array, chosen: Array) -> Array:
    """Indices of the ragged rows ``chosen`` whose lengths are ``counts``, one after the other."""
    end = np.cumsum(counts, dtype=np.int64)
    begin = (end - counts)[chosen]
    length = counts[chosen].astype(np.int64)
    total = np.cumsum(length)
    offset = np.arange(int(total[-1]) if len(total) else 0) - np.repeat(total - length, length)
    return np.repeat(begin, length) + offset
