"""The fields of ``kernbench.diff/1``, as written by ``diff --json``. Times are exact nanoseconds.

A pair of values is of A, then of B; a difference is B less A, so above 0 where B is later or takes longer.
"""

from __future__ import annotations

import msgspec

from benches.exact_ns import Ns
from benches.schedule_report.model import BoundBy


class SideRecord(msgspec.Struct, omit_defaults=True):
    """One of the two results. ``what``: its schema, or ``estimate`` for a program that was estimated here.

    ``memory`` is a machine's, ``place`` its device and system where it was one of a system's.
    """

    file: str
    what: str
    program: str
    arch: str
    timing: str
    makespan_ns: Ns
    memory: str | None = None
    place: str | None = None


class ContributionRecord(msgspec.Struct):
    """A piece of the difference of two makespans, see :class:`benches.diff_report.attribution.Contribution`."""

    instruction: str
    change: str
    cause: str
    on: str | None
    ns: Ns


class EventChange(msgspec.Struct):
    """An instruction that is on both sides and differs in any of these.

    ``inherited_ns`` plus ``own_ns`` is the difference of the starts: what it moved along with ``on``, for which it
    waits by ``cause`` on the side where it starts later, and what that wait itself adds or takes off.
    """

    name: str
    lane: tuple[int, int]
    start_ns: tuple[Ns, Ns]
    duration_ns: tuple[Ns, Ns]
    next_dispatch_ns: tuple[Ns, Ns]
    end_ns: tuple[Ns, Ns]
    bound_by: tuple[BoundBy, BoundBy]
    cause: str
    on: str | None
    inherited_ns: Ns
    own_ns: Ns


class BlockDiff(msgspec.Struct):
    """A block that is on both sides.

    ``contributions`` sum to ``difference_ns``, the largest first; ``by_cause_ns`` are their sums. ``only_in_a``,
    ``only_in_b``: instructions without a partner. ``reordered``: partners that stand in another order; the others keep
    theirs.
    """

    function: str
    block: str
    equal: bool
    makespan_ns: tuple[Ns, Ns]
    difference_ns: Ns
    contributions: list[ContributionRecord]
    by_cause_ns: dict[str, Ns]
    changed: list[EventChange]
    only_in_a: list[str]
    only_in_b: list[str]
    reordered: list[str]


class LoneBlock(msgspec.Struct):
    """A block without a partner; the difference of the results holds the whole of it."""

    function: str
    block: str
    makespan_ns: Ns


class DiffReport(msgspec.Struct):
    """The whole comparison. ``difference_ns`` is that of the sums over all blocks, loops once."""

    schema: str
    a: SideRecord
    b: SideRecord
    equal: bool
    difference_ns: Ns
    blocks: list[BlockDiff]
    blocks_only_in_a: list[LoneBlock]
    blocks_only_in_b: list[LoneBlock]
