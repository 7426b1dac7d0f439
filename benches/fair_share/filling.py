"""Progressive filling of what is connected, over flat arrays; runs as plain Python and compiled alike.

Running flows stand in a list for each link, linked through the entries of their paths: entry e is one link of one flow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SMALL = 20_000
"""Up to this product of flows and entries, plain Python is done before the compiled code would have loaded."""

FULL = 1e-12
"""Links whose even shares differ by no more than this part are full at the same time."""

OVER = 1e-12
"""Flows of which no more than this part is left, or no more than this part of the time so far, have ended."""

NONE = -1


class State(NamedTuple):
    """``entry_*`` are per link of a path, in order; ``first_entry`` has one more at the end; the rest per link or flow.

    ``left``: bytes, as of ``since``; ``frozen_at``: the entry that holds the flow up. ``held`` and ``lost``: ns.
    """

    capacity: Floats
    first_entry: Ints
    entry_link: Ints
    entry_flow: Ints
    entry_next: Ints
    entry_previous: Ints
    held: Floats
    lost: Floats
    link_head: Ints
    members: Ints
    nbytes: Floats
    alone: Floats
    left: Floats
    since: Floats
    rate: Floats
    end: Floats
    running: npt.NDArray[np.bool_]
    due: npt.NDArray[np.bool_]
    frozen_at: Ints
    link_seen: Ints
    flow_seen: Ints
    room: Floats
    unfrozen: Ints
    flow_queue: Ints
    link_queue: Ints
    out: Ints
    counters: Ints


def resolve(s: State, seeds: Ints, now: float, finishing: bool) -> int:
    """Brings every flow that is connected with the links ``seeds`` up to ``now``, and then:

    if ``finishing``, takes those that have ended off their links, writes their numbers to ``s.out`` and returns how
    many they are; else fills the links anew, group by connected group, and writes to ``s.out`` the flow of each group
    that will end first.
    """
    count = 0
    s.counters[0] += 1
    mark = s.counters[0]
    for seed in seeds:
        if s.link_seen[seed] == mark or s.link_head[seed] == NONE:
            continue
        # All that is connected with this link.
        flows, links, walked = 0, 1, 0
        s.link_queue[0] = seed
        s.link_seen[seed] = mark
        while walked < links:
            entry = s.link_head[s.link_queue[walked]]
            walked += 1
            while entry != NONE:
                flow = s.entry_flow[entry]
                if s.flow_seen[flow] != mark:
                    s.flow_seen[flow] = mark
                    s.flow_queue[flows] = flow
                    flows += 1
                    for other in range(s.first_entry[flow], s.first_entry[flow + 1]):
                        link = s.entry_link[other]
                        if s.link_seen[link] != mark:
                            s.link_seen[link] = mark
                            s.link_queue[links] = link
                            links += 1
                entry = s.entry_next[entry]
        # Up to now.
        for k in range(flows):
            flow = s.flow_queue[k]
            spent = now - s.since[flow]
            if spent > 0:
                s.left[flow] -= s.rate[flow] * spent
                s.held[s.frozen_at[flow]] += spent
                s.lost[s.frozen_at[flow]] += spent * (1 - s.rate[flow] / s.alone[flow])
            s.since[flow] = now
        if finishing:
            for k in range(flows):
                flow = s.flow_queue[k]
                nearly = OVER * (s.nbytes[flow] + s.rate[flow] * now)
                if s.due[flow] or s.left[flow] <= nearly:
                    s.running[flow] = False
                    s.out[count] = flow
                    count += 1
                    for entry in range(s.first_entry[flow], s.first_entry[flow + 1]):
                        link, before, after = s.entry_link[entry], s.entry_previous[entry], s.entry_next[entry]
                        if before == NONE:
                            s.link_head[link] = after
                        else:
                            s.entry_next[before] = after
                        if after != NONE:
                            s.entry_previous[after] = before
                        s.members[link] -= 1
            continue
        # Fill.
        for k in range(links):
            link = s.link_queue[k]
            s.room[link] = s.capacity[link]
            s.unfrozen[link] = s.members[link]
        for k in range(flows):
            s.frozen_at[s.flow_queue[k]] = NONE
        frozen = 0
        while frozen < flows:
            level = np.inf
            for k in range(links):
                link = s.link_queue[k]
                if s.unfrozen[link] > 0:
                    level = min(level, s.room[link] / s.unfrozen[link])
            for k in range(links):
                link = s.link_queue[k]
                if s.unfrozen[link] > 0 and s.room[link] / s.unfrozen[link] <= level * (1 + FULL):
                    entry = s.link_head[link]
                    while entry != NONE:
                        at = s.frozen_at[s.entry_flow[entry]]
                        # Of several full links the one with the most flows holds a flow up, then the first on its way.
                        if at == NONE:
                            s.frozen_at[s.entry_flow[entry]] = entry
                            s.rate[s.entry_flow[entry]] = level
                            s.flow_seen[s.entry_flow[entry]] = -mark
                        elif s.flow_seen[s.entry_flow[entry]] == -mark:
                            more = s.members[link] - s.members[s.entry_link[at]]
                            if more > 0 or (more == 0 and entry < at):
                                s.frozen_at[s.entry_flow[entry]] = entry
                        entry = s.entry_next[entry]
            for k in range(flows):
                flow = s.flow_queue[k]
                if s.flow_seen[flow] == -mark:
                    s.flow_seen[flow] = mark
                    frozen += 1
                    for entry in range(s.first_entry[flow], s.first_entry[flow + 1]):
                        link = s.entry_link[entry]
                        s.room[link] = max(0.0, s.room[link] - level)
                        s.unfrozen[link] -= 1
        first = s.flow_queue[0]
        for k in range(flows):
            flow = s.flow_queue[k]
            s.end[flow] = now + max(0.0, s.left[flow]) / s.rate[flow]
            if s.end[flow] < s.end[first]:
                first = flow
        s.out[count] = first
        count += 1
    return count


Resolve = Callable[[Any, Any, float, bool], int]


@cache
def compiled_resolve() -> Resolve:
    """The same, compiled to machine code; kept on disk, so that only the first run on a machine compiles."""
    import numba

    compiled: Resolve = numba.njit(cache=True, nogil=True)(resolve)
    return compiled
