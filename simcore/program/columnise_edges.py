"""Dependencies by name -> edges by event index, merged per pair of instructions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from simcore.program.codes import EDGE_CODES, ENGINE_CODES
from simcore.program.columnise_fields import Extras, Irregular
from simcore.program.columns import Array, LoopSpan
from simcore.program.instruction import Dependency


def edge_arrays(
    names: Sequence[str], dependencies: Sequence[Sequence[Dependency | str]], loops: Sequence[LoopSpan], extras: Extras
) -> dict[str, Array]:
    n = len(names)
    index = dict(zip(names, range(n), strict=True))
    loop_index = {loop.header.name: k for k, loop in enumerate(loops)}
    if len(index) != n or len(loop_index) != len(loops) or not index.keys().isdisjoint(loop_index):
        raise Irregular("duplicate name")
    for loop in loops:
        _check_loop_header(loop, index, loop_index)
    counts = np.array(list(map(len, dependencies)), dtype=np.int64)
    edges = [(d, "Flow") if type(d) is str else d for d in chain.from_iterable(dependencies)]
    producer_names, kind_words = zip(*edges, strict=True) if edges else ((), ())
    kinds = np.array(list(map(EDGE_CODES.__getitem__, kind_words)), dtype=np.uint8)
    consumer = np.repeat(np.arange(n), counts)
    if loop_index:
        producers = np.array([index.get(p, -1) for p in producer_names], dtype=np.int64)
        keep = producers >= 0
        for edge in np.flatnonzero(~keep).tolist():
            span = loops[loop_index[producer_names[edge]]]
            event = int(consumer[edge])
            if span.begin > event:
                raise Irregular("dependency on a later loop")
            known = extras.get(event, "loop_dependencies") or ()
            extras.put(event, "loop_dependencies", (*known, (span.header.name, int(kinds[edge]))))
        consumer, producers, kinds = consumer[keep], producers[keep], kinds[keep]
    else:
        producers = np.array(list(map(index.__getitem__, producer_names)), dtype=np.int64)
    if np.any(producers >= consumer):
        raise Irregular("forward dependency")
    consumer, producers, kinds = merge_edges(consumer, producers, kinds)
    return {"dep_count": np.bincount(consumer, minlength=n), "dep_on": producers, "dep_kind": kinds}


def _check_loop_header(loop: LoopSpan, index: dict[str, int], loop_index: dict[str, int]) -> None:
    header = loop.header
    if header.engine not in ENGINE_CODES or not header.name or not header.name.isprintable():
        raise Irregular("loop header")
    if header.cost is not None or header.ins or header.outs or header.queue is not None:
        raise Irregular("a loop has no cost, operands or queue of its own")
    for dependency in header.dependencies:
        name, kind = (dependency, "Flow") if isinstance(dependency, str) else dependency
        later = index[name] >= loop.begin if name in index else loop_index[name] >= loop_index[header.name]
        if later or kind not in EDGE_CODES:
            raise Irregular("loop dependency")


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
