"""Faults of names and dependencies in a block: duplicates, unknown and later producers, cycles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from simcore.errors import nearest
from simcore.program.codes import EDGE_CODES
from simcore.program.edges import EdgeKind
from simcore.program.faults import Faults, Path, kind_of, shown


@dataclass(slots=True)
class _Node:
    name: str
    path: Path
    edges: list[tuple[str, Path]] = field(default_factory=list)


def check_names(instructions: list[Any], path: Path, faults: Faults) -> None:
    """Adds the block's name and dependency faults; ``path`` leads to the instruction list."""
    nodes: list[_Node] = []
    order: dict[str, int] = {}
    for value, where in _walk(instructions, path):
        name = value.get("name")
        node = _Node(name if isinstance(name, str) else "", where)
        faults.subject = f"instruction {name}" if node.name else None
        _read_edges(value, node, faults)
        if node.name and node.name in order:
            faults.add((*where, "name"), f'duplicate name "{node.name}" (names are unique in a block)')
        elif node.name:
            order[node.name] = len(nodes)
        nodes.append(node)
    in_cycle = _cycles(nodes, order, faults)
    for position, node in enumerate(nodes):
        faults.subject = f"instruction {node.name}" if node.name else None
        for producer, where in node.edges:
            _check_edge(producer, where, position, node, order, in_cycle, faults)
    faults.subject = None


def _walk(instructions: Any, path: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """Instructions in walk order, transfers and loop bodies after their owners; malformed ones are left out.

    Keeps its own stack: a document may nest deeper than Python recurses.
    """
    stack: list[tuple[Any, Path]] = [(v, (*path, i)) for i, v in reversed(list(enumerate(instructions)))]
    while stack:
        value, where = stack.pop()
        if not isinstance(value, dict):
            continue
        yield value, where
        body = value.get("body")
        if isinstance(body, list):
            stack.extend((v, (*where, "body", i)) for i, v in reversed(list(enumerate(body))))
        if value.get("transfer") is not None:
            stack.append((value["transfer"], (*where, "transfer")))


def _read_edges(value: dict[str, Any], node: _Node, faults: Faults) -> None:
    where = (*node.path, "dependencies")
    for k, entry in enumerate(faults.sequence(value.get("dependencies", []), where)):
        if isinstance(entry, str):
            node.edges.append((entry, (*where, k)))
        elif isinstance(entry, (list, tuple)) and len(entry) == 2 and isinstance(entry[0], str):
            node.edges.append((entry[0], (*where, k, 0)))
            kind = entry[1]
            if isinstance(kind, (bool, float)) or not isinstance(kind, (int, str)) or kind not in EDGE_CODES:
                words = [e.name for e in EdgeKind]
                guess = nearest(kind, words) if isinstance(kind, str) else None
                more = f'; did you mean "{guess}"?' if guess else ""
                faults.add(
                    (*where, k, 1),
                    f"unknown dependency kind {shown(kind)} (allowed: {', '.join(words)}, or 0 to 4{more})",
                )
        else:
            faults.add((*where, k), f"dependencies[{k}]: expected a name or [name, kind], got {kind_of(entry)}")


def _check_edge(
    producer: str, where: Path, position: int, node: _Node, order: dict[str, int], in_cycle: set[int], faults: Faults
) -> None:
    if producer not in order:
        guess = nearest(producer, order) if len(order) <= 5000 else None
        more = f' (did you mean "{guess}"?)' if guess else " (allowed: names of earlier instructions in the block)"
        faults.add(where, f"depends on unknown instruction {shown(producer)}{more}")
        return
    at = order[producer]
    if at == position:
        faults.add(where, "depends on itself")
    elif at > position and not (at in in_cycle and position in in_cycle):
        faults.add(where, f'depends on "{producer}", which comes later in the block (allowed: earlier instructions)')


def _cycles(nodes: list[_Node], order: dict[str, int], faults: Faults) -> set[int]:
    """Reports each dependency cycle once (self-dependencies aside) and returns the members of all."""
    in_cycle: set[int] = set()
    state = [0] * len(nodes)
    for root in range(len(nodes)):
        if state[root]:
            continue
        trail, iterators = [root], [iter(nodes[root].edges)]
        state[root] = 1
        while trail:
            for producer, where in iterators[-1]:
                target = order.get(producer)
                if target is None or target == trail[-1]:
                    continue
                if state[target] == 1:
                    cycle = trail[trail.index(target) :]
                    names = " -> ".join(nodes[k].name for k in (*cycle, target))
                    faults.subject = f"instruction {nodes[trail[-1]].name}"
                    faults.add(where, f"dependency cycle: {names}")
                    in_cycle.update(cycle)
                elif state[target] == 0:
                    state[target] = 1
                    trail.append(target)
                    iterators.append(iter(nodes[target].edges))
                    break
            else:
                state[trail.pop()] = 2
                iterators.pop()
    return in_cycle
