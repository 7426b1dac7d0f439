"""Which instructions of several programs are one collective (ADR-0064).

First action: lists the CollectiveComputes of every device, block by block. Those that are number k of the same stream
in the same block are one collective of all devices that have any.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from simcore.errors import InputError, Problem, hint
from simcore.program.columns import Columns
from topology.collectives.for_program import Described, described, plan_for_instruction
from topology.collectives.layout import Layout
from topology.collectives.plan import ALGORITHMS
from topology.collectives.ranks import layout_of
from topology.collectives.send import Plan
from topology.system import System

RING = "ring"
OPTION = "--collective"
ALONE = "collectives of one rank move nothing"
"""Words for what is left out; others are those of :class:`Described`."""


@dataclass(frozen=True, slots=True)
class Member:
    """A device and the blocks of its program, which was read from ``file``."""

    device: str
    file: str
    blocks: Sequence[Columns]


@dataclass(frozen=True, slots=True)
class Joint:
    """One collective: in block number ``block``, of rank r event number ``events[r]``; ``name``: that of rank 0's."""

    name: str
    block: int
    plan: Plan
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """The collectives of a run. ``ranks``: the place of each rank among the members.

    ``left_out``: by the place of a member, how many of its CollectiveComputes move nothing, by the words for why.
    """

    ranks: tuple[int, ...]
    collectives: tuple[Joint, ...]
    left_out: Mapping[int, Counter[str]]


def checked_algorithm(word: str) -> str:
    """``word``. Raises InputError if it is no algorithm."""
    if word not in ALGORITHMS:
        raise InputError([Problem(f'no algorithm "{word}" {hint(word, ALGORITHMS)}', OPTION)])
    return word


def joined(system: System, members: Sequence[Member], algorithm: str) -> Joined:
    """The collectives of ``members``; their ranks are the members that have any, in that order.

    Raises InputError, naming both places, where two ranks do not do the same, and for an algorithm that needs another
    arrangement of ranks.
    """
    checked_algorithm(algorithm)
    known = {id(columns): _by_stream(columns) for member in members for columns in member.blocks}
    listed = [[known[id(columns)] for columns in member.blocks] for member in members]
    ranks = tuple([place for place, blocks in enumerate(listed) if any(blocks)])
    if len(ranks) < 2:
        counts = {place: sum(map(len, _streams(listed[place]))) for place in ranks}
        return Joined(ranks, (), {place: Counter({ALONE: count}) for place, count in counts.items()})
    first = ranks[0]
    problems = [
        problem
        for other in ranks[1:]
        for problem in _differences(members[first], listed[first], members[other], listed[other])
    ]
    if problems:
        raise InputError(problems)
    left_out = Counter([cc.left_out for stream in _streams(listed[first]) for cc in stream if cc.left_out])
    collectives = _joints([members[place] for place in ranks], [listed[place] for place in ranks], algorithm, system)
    return Joined(ranks, tuple(collectives), {place: left_out for place in ranks})


Streams = Mapping[int, list[Described]]
"""The collectives of a block by their stream, each stream in program order."""


def _by_stream(columns: Columns) -> Streams:
    found: dict[int, list[Described]] = defaultdict(list)
    for collective in described(columns):
        found[collective.stream].append(collective)
    return dict(sorted(found.items()))


def _streams(blocks: Sequence[Streams]) -> Iterator[list[Described]]:
    return (stream for block in blocks for stream in block.values())


def _joints(
    members: Sequence[Member], listed: Sequence[Sequence[Streams]], algorithm: str, system: System
) -> Iterator[Joint]:
    """The collectives that move something, block by block and stream by stream."""
    layout = layout_of(system, ",".join(member.device for member in members))
    plans: dict[tuple[int, str, int, int], Plan] = {}
    for number, columns in enumerate(members[0].blocks):
        names = columns.name_list()
        for stream, collectives in listed[0][number].items():
            for k, own in enumerate(collectives):
                if own.left_out:
                    continue
                if own.needs_algorithm:
                    _check_grid(layout, algorithm, system)
                key = stream, own.kind, own.nbytes, own.element_bytes
                if key not in plans:
                    plans[key] = plan_for_instruction(columns, own.event, layout, algorithm, file=members[0].file)
                events = tuple([blocks[number][stream][k].event for blocks in listed])
                yield Joint(names[own.event], number, plans[key], events)


def _check_grid(layout: Layout, algorithm: str, system: System) -> None:
    if algorithm != RING and layout.grid is None:
        message = f"{algorithm} needs devices that fill a grid of {system.name} row by row, and these do not"
        raise InputError([Problem(f"{message} (allowed: {RING})", OPTION)])


def _differences(one: Member, ours: Sequence[Streams], other: Member, theirs: Sequence[Streams]) -> Iterator[Problem]:
    """What ``other`` does not do as ``one`` does: of every stream of a block the first difference."""
    for number in range(max(len(ours), len(theirs))):
        mine, its = (blocks[number] if number < len(blocks) else {} for blocks in (ours, theirs))
        for stream in sorted({*mine, *its}):
            pair = mine.get(stream, []), its.get(stream, [])
            for k in range(max(map(len, pair))):
                a, b = (found[k] if k < len(found) else None for found in pair)
                if a is None or b is None or a.words != b.words:
                    which = f"collective {k} of stream {stream} in block {number}"
                    yield _difference(which, _said(one, number, a), _said(other, number, b), other, number, b)
                    break


def _difference(which: str, ours: str, theirs: str, other: Member, number: int, found: Described | None) -> Problem:
    where = None if found is None else f"instruction {_name(other, number, found)}"
    return Problem(f"{which} is {theirs}, but {ours} (all devices do the same)", other.file, where=where)


def _said(member: Member, number: int, found: Described | None) -> str:
    if found is None:
        return f"missing on {member.device} ({member.file})"
    return f"{found.words} on {member.device} ({member.file}, instruction {_name(member, number, found)})"


def _name(member: Member, number: int, found: Described) -> str:
    return member.blocks[number].name_list()[found.event]
