"""The plan of a collective: kind, algorithm, arrangement of the ranks, size, streams and root give all of its sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from simcore.errors import InputError, Problem, hint
from topology.collectives.draft import Draft
from topology.collectives.hierarchical import Hierarchy
from topology.collectives.layout import Grid
from topology.collectives.pairwise import all_to_all_pairwise
from topology.collectives.ring import all_gather_ring, broadcast_chain, reduce_scatter_ring, single_parts
from topology.collectives.send import Extent, Plan, Send
from topology.collectives.shares import cut
from topology.collectives.torus import all_gather_torus, all_reduce_torus, broadcast_torus, reduce_scatter_torus

KINDS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast")
ALGORITHMS = ("ring", "torus", "hierarchical")
"""All that do each of these kinds."""
ALL_TO_ALL, PAIRWISE = "all_to_all", "pairwise"
"""A kind that one algorithm does, and no other kind."""
CORNER, CENTRE = "corner", "centre"
ONE_STREAM = {0: Fraction(1)}


@dataclass(frozen=True, slots=True)
class Collective:
    """What is asked for: ``kind`` by ``algorithm`` over ``ranks`` ranks that stand in ``grid`` (None: only in a row).

    ``nbytes``: the whole buffer, which of an all-gather or a reduce-scatter each rank contributes or keeps 1/n of, and
    of an all-to-all sends each other rank 1/n of.
    ``streams``: what part of the data each carries. ``root``: ``corner``, ``centre``, or a number: a rank of the first
    package for ``hierarchical``, else any rank; None: the corner, where there is a choice. No element of
    ``grain_bytes`` is cut in two.
    """

    kind: str
    algorithm: str
    nbytes: int
    ranks: int
    grid: Grid | None = None
    streams: Mapping[int, Fraction] = field(default_factory=lambda: ONE_STREAM)
    root: str | None = None
    grain_bytes: int = 1

    @property
    def has_root(self) -> bool:
        """Whether it makes a difference where its root is."""
        return self.kind == "broadcast" or self.algorithm == "hierarchical"


def plan_of(asked: Collective) -> Plan:
    """All sends of ``asked``. Raises InputError with everything that is wrong with it."""
    root = checked_root(asked)
    count = _part_count(asked)
    extents = cut(Extent(0, asked.nbytes), [1] * count, asked.grain_bytes)
    # A rank's part stays one piece of the buffer whatever the streams: each carries a share of every part.
    by_part = [cut(extent, list(asked.streams.values()), asked.grain_bytes) for extent in extents]
    sends: list[Send] = []
    parts = {}
    for index, stream in enumerate(asked.streams):
        parts[stream] = tuple([shares[index] for shares in by_part])
        draft = Draft(stream, parts[stream])
        _list_sends(asked, root, draft)
        sends += draft.sends
    return Plan(
        asked.kind, asked.algorithm, asked.nbytes, asked.ranks, root if asked.has_root else None, parts, tuple(sends)
    )


def checked_root(asked: Collective) -> int:
    """The root's number (0 where there is none). Raises InputError with everything that is wrong with ``asked``."""
    problems = unknown_words(asked.kind, asked.algorithm)
    if asked.nbytes < 1:
        problems.append(Problem(f"{asked.nbytes} (expected a number of bytes, 1 or more)", "--bytes"))
    if asked.ranks < 1:
        problems.append(Problem("no rank takes part (expected 1 or more)", "--ranks"))
    if asked.grid is None and asked.algorithm in ("torus", "hierarchical"):
        message = f"{asked.algorithm} needs ranks in a grid, and these only have an order"
        problems.append(Problem(f"{message} (say which with --grid WxH, or --algorithm ring)", "--algorithm"))
    if asked.grid is not None and asked.grid.size != asked.ranks:
        problems.append(Problem(f"has {asked.grid.size} places for {asked.ranks} ranks", "--grid"))
    root = 0
    if not problems and asked.root is not None:
        chosen = _root(asked)
        root = chosen if isinstance(chosen, int) else 0
        problems += [chosen] if isinstance(chosen, Problem) else []
    if problems:
        raise InputError(problems)
    return root


def unknown_words(kind: str, algorithm: str) -> list[Problem]:
    """What is wrong with these words alone."""
    given = ("KIND", kind, (*KINDS, ALL_TO_ALL)), ("--algorithm", algorithm, (*ALGORITHMS, PAIRWISE))
    problems = [
        Problem(f'unknown word "{word}" {hint(word, allowed)}', option)
        for option, word, allowed in given
        if word not in allowed
    ]
    if not problems and (kind == ALL_TO_ALL) != (algorithm == PAIRWISE):
        allowed = ", ".join(algorithms_of(kind))
        problems.append(Problem(f"{algorithm} does no {kind} (allowed for it: {allowed})", "--algorithm"))
    return problems


def algorithms_of(kind: str) -> tuple[str, ...]:
    """Those that do ``kind``; the first is the usual one."""
    return (PAIRWISE,) if kind == ALL_TO_ALL else ALGORITHMS


def _root(asked: Collective) -> int | Problem:
    word, grid = asked.root, asked.grid
    assert word is not None
    if not asked.has_root:
        others = f"broadcast has one, and {asked.kind} with --algorithm hierarchical"
        return Problem(f"{asked.algorithm} {asked.kind} has no root ({others})", "--root")
    if word == CORNER:
        return 0
    if word == CENTRE and grid is not None:
        rows = grid.in_package(0) if asked.algorithm == "hierarchical" else grid.all_rows()
        return rows[len(rows) // 2][len(rows[0]) // 2]
    limit = grid.w * grid.h if asked.algorithm == "hierarchical" and grid is not None else asked.ranks
    if not word.isascii() or not word.isdecimal() or int(word) >= limit:
        words = [CORNER, *([CENTRE] if grid is not None else []), f"0 to {limit - 1}"]
        return Problem(f'no root "{word}" {hint(word, words)}', "--root")
    return int(word)


def _part_count(asked: Collective) -> int:
    """In how many parts the buffer goes: one for each rank, unless the algorithm sends it in other pieces."""
    grid = asked.grid
    if asked.algorithm == "hierarchical" and grid is not None and asked.kind in ("all_reduce", "broadcast"):
        return grid.packages.w * grid.packages.h if asked.kind == "all_reduce" else 1
    if asked.algorithm == "torus" and grid is not None and asked.kind == "broadcast":
        rows = grid.all_rows()
        return len(rows) + len(rows[0]) - 1
    return asked.ranks


def _list_sends(asked: Collective, root: int, draft: Draft) -> None:
    blocks = single_parts(draft.all_parts[1])
    grid = asked.grid
    if asked.kind == ALL_TO_ALL:
        all_to_all_pairwise(draft, asked.ranks, blocks)
    elif asked.algorithm == "ring" or grid is None:
        _ring(asked, root, draft)
    elif asked.algorithm == "torus":
        rows = grid.all_rows()
        match asked.kind:
            case "all_reduce":
                all_reduce_torus(draft, rows, blocks)
            case "reduce_scatter":
                reduce_scatter_torus(draft, rows, blocks)
            case "all_gather":
                all_gather_torus(draft, rows, blocks)
            case _:
                broadcast_torus(draft, rows, divmod(root, grid.w), blocks)
    else:
        hierarchy = Hierarchy(grid, divmod(root, grid.w))
        match asked.kind:
            case "all_reduce":
                hierarchy.all_reduce(draft, blocks)
            case "reduce_scatter":
                hierarchy.reduce_scatter(draft, blocks)
            case "all_gather":
                hierarchy.all_gather(draft, blocks)
            case _:
                hierarchy.broadcast(draft)


def _ring(asked: Collective, root: int, draft: Draft) -> None:
    ring, blocks = list(range(asked.ranks)), single_parts(draft.all_parts[1])
    if asked.kind in ("all_reduce", "reduce_scatter"):
        reduce_scatter_ring(draft, "reduce_scatter", ring, blocks)
    if asked.kind in ("all_reduce", "all_gather"):
        all_gather_ring(draft, "all_gather", ring, blocks)
    if asked.kind == "broadcast":
        broadcast_chain(draft, "broadcast", [*ring[root:], *ring[:root]], blocks)
