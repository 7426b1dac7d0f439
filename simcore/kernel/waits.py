"""Who waits for what, and who owes it: the edges of the wait-for graph, read off a machine that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simpy.events import Condition, Event

from simcore.kernel.channel import Channel, Token
from simcore.kernel.clock import show_ticks
from simcore.kernel.describe import describe
from simcore.kernel.naming import Named
from simcore.kernel.port import Arrival
from simcore.kernel.process import Process

if TYPE_CHECKING:
    from simcore.kernel.environment import Environment


@dataclass(frozen=True, slots=True)
class Waiting:
    """A part's own word for a wait that no process and no channel shows (see ``Process.waiting_on`` for the fields).

    ``owing``: who will make it happen, where ``on`` is only a name.
    """

    on: Named | str
    instruction: str
    since_ticks: int
    by_program: bool = False
    owing: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a slot of a channel, for which instruction, since when."""

    name: str
    instruction: str
    since_ticks: int

    def __str__(self) -> str:
        return f"held by {self.name}{_on_behalf(self.instruction)} since {show_ticks(self.since_ticks)}"


@dataclass(frozen=True, slots=True)
class Wait:
    """One line of a deadlock report.

    ``idle`` marks a receiver without a message: it is not stuck, it has nothing to do. ``by_program`` marks a wait
    that the program asked for and that the program alone can end.
    """

    waiter: str
    on: str
    instruction: str
    since_ticks: int
    holders: tuple[Holder, ...] = ()
    idle: bool = False
    by_program: bool = False

    def __str__(self) -> str:
        held = "".join(f", {holder}" for holder in self.holders)
        waiter = f"{self.waiter}{_on_behalf(self.instruction)}"
        return f"{waiter} waits since {show_ticks(self.since_ticks)} for {self.on}{held}"


@dataclass(frozen=True, slots=True)
class Edge:
    """``waiter`` goes on only when one of ``owing`` does what ``wait`` says; nobody owing means that none is known."""

    waiter: Named
    wait: Wait
    owing: tuple[Named, ...]


def edges(env: Environment) -> Iterator[Edge]:
    """Every wait of the machine: processes in the order of their start, then channels, then the parts' own.

    A channel tells of the requests that no process waits for: those of a part that is told by a callback. A process
    that waits for its own part leaves it to that part to say what for.
    """
    told: set[int] = set()
    words = {id(part): [_edge_on(part, waiting) for waiting in part.waiting()] for part in env.parts}
    for process in env.processes:
        if _waits_for_its_part(process) and words.get(id(process.owner)):
            continue
        for target in _pending(process.target, process):
            yield _edge_of(process, target)
            told.add(id(target))
    for channel in env.channels:
        for token in channel.waiters:
            if id(token) not in told:
                yield _edge_of_token(token.who, token)
    for part in env.parts:
        yield from words[id(part)]


def _waits_for_its_part(process: Process) -> bool:
    note = process.note
    return note is not None and note[0] is process.target and note[1] is process.owner


def _pending(target: Event, process: Process) -> Iterator[Event]:
    """The events still to come behind ``target``: itself, or those of a condition that nobody annotated."""
    noted = process.note is not None and process.note[0] is target
    if isinstance(target, Condition) and not noted:
        for event in target._events:
            if not event.triggered:
                yield from _pending(event, process)
    else:
        yield target


def _edge_of(process: Process, target: Event) -> Edge:
    since = process.since_ticks
    if isinstance(target, Token):
        return _edge_of_token(process, target)
    if process.note is not None and process.note[0] is target:
        _, on, instruction, by_program = process.note
        return _edge_on(process, Waiting(on, instruction, since, by_program))
    owing: tuple[Named, ...] = ()
    if isinstance(target, Arrival) and target.port.sender is not None:
        owing = (target.port.sender,)
    elif isinstance(target, Process):
        owing = (target,)
    return Edge(process, Wait(process.name, describe(target), "", since, idle=isinstance(target, Arrival)), owing)


def _edge_of_token(who: Named, token: Token) -> Edge:
    return _edge_on(who, Waiting(token.channel, token.instruction, token.since_ticks))


def _edge_on(waiter: Named, waiting: Waiting) -> Edge:
    on = waiting.on
    holders: tuple[Holder, ...] = ()
    owing: tuple[Named, ...] = ()
    if isinstance(on, Channel):
        text = f"channel {on.name}"
        owing = tuple(token.who for token in on.holders)
        holders = tuple(Holder(t.who.name, t.instruction, t.since_ticks) for t in on.holders)
    elif isinstance(on, str):
        text, owing = on, waiting.owing
    else:
        text, owing = on.name, (on,)
    wait = Wait(waiter.name, text, waiting.instruction, waiting.since_ticks, holders, by_program=waiting.by_program)
    return Edge(waiter, wait, owing)


def _on_behalf(instruction: str) -> str:
    return f" (for {instruction})" if instruction else ""
