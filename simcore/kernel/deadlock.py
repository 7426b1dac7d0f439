"""Deadlock: nothing is left to happen and the program is not done. Found by structure, never by a time-out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from simcore.errors import KernbenchError
from simcore.kernel.clock import show_ticks
from simcore.kernel.drain import undrained
from simcore.kernel.errors import Fault
from simcore.kernel.naming import Named
from simcore.kernel.process import Process
from simcore.kernel.waits import Edge, Wait, edges

if TYPE_CHECKING:
    from simcore.kernel.environment import Environment

_SHOWN = 20
"""Lines of one list that a report prints; the fields of the error hold them all."""


class Deadlock(KernbenchError):
    """The run stopped before its program was done.

    ``cycle`` holds the waits that close on themselves, each on the next one; it is empty where somebody waits for what
    nobody will do, and ``roots`` then holds those waits. ``blocked`` holds every wait of somebody with work to do,
    ``idle`` the receivers without a message, ``leftovers`` what the machine still contains, all in a fixed order.
    ``fault`` is ``program`` (exit code 2) if a wait of the cycle or of the roots was asked for by the program, else
    ``model`` (exit code 3).
    """

    def __init__(
        self,
        now_ticks: int,
        cycle: tuple[Wait, ...],
        roots: tuple[Wait, ...],
        blocked: tuple[Wait, ...],
        idle: tuple[Wait, ...],
        leftovers: tuple[str, ...],
    ) -> None:
        super().__init__(now_ticks, cycle, roots, blocked, idle, leftovers)
        self.now_ticks = now_ticks
        self.cycle = cycle
        self.roots = roots
        self.blocked = blocked
        self.idle = idle
        self.leftovers = leftovers
        self.fault: Fault = "program" if any(wait.by_program for wait in cycle or roots) else "model"
        self.exit_code = 2 if self.fault == "program" else 3

    def __str__(self) -> str:
        told = {*self.cycle, *self.roots}
        lines = [
            f"deadlock at {show_ticks(self.now_ticks)}, the {self.fault}'s fault: nothing is left to happen, "
            f"but the program is not done ({len(self.blocked)} blocked, {len(self.idle)} idle)",
            *_section("each waits for the next, the last for the first:", self.cycle),
            *_section("nobody will end these waits:", self.roots),
            *_section("also blocked:", [wait for wait in self.blocked if wait not in told]),
            *_section("idle:", [wait for wait in self.idle if wait not in told]),
            *_section("left in the machine:", self.leftovers),
        ]
        return "\n".join(lines)


def diagnose(env: Environment) -> Deadlock:
    """The error for a machine whose queue is empty and whose program is not done."""
    graph = list(edges(env))
    busy = [edge for edge in graph if not edge.wait.idle]
    cycle = _cycle(busy) or _cycle(graph)
    roots = () if cycle else tuple(edge.wait for edge, successors in _successors(busy) if not successors)
    return Deadlock(
        env.now,
        cycle,
        roots,
        tuple(edge.wait for edge in busy),
        tuple(edge.wait for edge in graph if edge.wait.idle),
        undrained(env),
    )


def _successors(graph: Sequence[Edge]) -> list[tuple[Edge, list[Named]]]:
    """Each wait with those who wait themselves among the ones that owe it: a part owes through its processes too."""
    waiters = {id(edge.waiter): edge.waiter for edge in graph}
    of_part: dict[int, list[Named]] = {}
    for waiter in waiters.values():
        of_part.setdefault(id(waiter), []).append(waiter)
        if isinstance(waiter, Process) and waiter.owner is not None:
            of_part.setdefault(id(waiter.owner), []).append(waiter)
    return [(edge, [actor for owing in edge.owing for actor in of_part.get(id(owing), [])]) for edge in graph]


def _cycle(graph: Sequence[Edge]) -> tuple[Wait, ...]:
    """The waits of a shortest cycle through the first wait that is in one and is not idle; empty if there is none.

    Receivers that are all idle, each fed by the next, are a machine at rest and no cycle.
    """
    import networkx as nx

    waits: nx.DiGraph[int] = nx.DiGraph()
    for edge, successors in _successors(graph):
        for successor in successors:
            waits.add_edge(id(edge.waiter), id(successor), wait=edge.wait)
    component = {actor: i for i, actors in enumerate(nx.strongly_connected_components(waits)) for actor in actors}
    for waiter, owing in waits.edges:
        if not waits.edges[waiter, owing]["wait"].idle and component[waiter] == component[owing]:
            path = [waiter, *nx.shortest_path(waits, owing, waiter)]
            return tuple(waits.edges[pair]["wait"] for pair in pairwise(path))
    return ()


def _section(title: str, entries: Sequence[Wait | str]) -> list[str]:
    if not entries:
        return []
    cut = [f"    and {len(entries) - _SHOWN} more"] if len(entries) > _SHOWN else []
    return [f"  {title}", *(f"    {entry}" for entry in entries[:_SHOWN]), *cut]
