"""Progressive filling of what is connected, over flat arrays; runs as plain Python and compiled alike.

An entry is one link of one flow's path. Each link knows the entries of the flows that run on it.
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
    """``entry_*`` are per link of a path, in order; those with ``first_`` have one more at the end; the rest are per
    link or per flow, or room to work in.

    The entries of running flows on a link stand in ``crowd`` from ``first_crowd`` of the link on, ``members`` of them.
    ``left``: bytes, as of ``since``; ``frozen_at``: the entry that holds the flow up. ``held`` and ``lost``: ns.
    """

    capacity: Floats
    first_entry: Ints
    entry_link: Ints
    entry_flow: Ints
    entry_place: Ints
    held: Floats
    lost: Floats
    first_crowd: Ints
    crowd: Ints
    members: Ints
    nbytes: Floats
    alone: Floats
    left: Floats
    since: Floats
    rate: Floats
    end: Floats
    frozen_at: Ints
    link_seen: Ints
    flow_seen: Ints
    room: Floats
    unfrozen: Ints
    flows: Ints
    links: Ints
    heap_share: Floats
    heap_link: Ints
    full: Ints
    out: Ints
    marks: Ints


def resolve(s: State, seeds: Ints, now: float, due: float) -> int:
    """Brings every flow that is connected with the links ``seeds`` up to ``now``, takes those that end by ``due`` off
    their links, and fills the links anew for the others. Returns how many have ended; their numbers are in ``s.out``.
    """
    ended = 0
    s.marks[0] += 1
    mark = s.marks[0]
    for seed in seeds:
        if s.link_seen[seed] == mark or s.members[seed] == 0:
            continue
        # All that is connected with this link.
        flows, links, walked = 0, 1, 0
        s.links[0] = seed
        s.link_seen[seed] = mark
        while walked < links:
            link = s.links[walked]
            walked += 1
            for place in range(s.first_crowd[link], s.first_crowd[link] + s.members[link]):
                flow = s.entry_flow[s.crowd[place]]
                if s.flow_seen[flow] != mark:
                    s.flow_seen[flow] = mark
                    s.flows[flows] = flow
                    flows += 1
                    for entry in range(s.first_entry[flow], s.first_entry[flow + 1]):
                        other = s.entry_link[entry]
                        if s.link_seen[other] != mark:
                            s.link_seen[other] = mark
                            s.links[links] = other
                            links += 1
        # Up to now; who has ended goes.
        running = 0
        for k in range(flows):
            flow = s.flows[k]
            spent = now - s.since[flow]
            if spent > 0:
                s.left[flow] -= s.rate[flow] * spent
                s.held[s.frozen_at[flow]] += spent
                s.lost[s.frozen_at[flow]] += spent * (1 - s.rate[flow] / s.alone[flow])
            s.since[flow] = now
            if s.end[flow] <= due or s.left[flow] <= OVER * (s.nbytes[flow] + s.rate[flow] * now):
                s.end[flow] = np.inf
                s.out[ended] = flow
                ended += 1
                for entry in range(s.first_entry[flow], s.first_entry[flow + 1]):
                    link = s.entry_link[entry]
                    s.members[link] -= 1
                    last = s.crowd[s.first_crowd[link] + s.members[link]]
                    s.crowd[s.entry_place[entry]] = last
                    s.entry_place[last] = s.entry_place[entry]
            else:
                s.frozen_at[flow] = NONE
                s.flows[running] = flow
                running += 1
        # Links by their even shares. A share only grows while others are frozen, so that a heap may be behind.
        size = 0
        for k in range(links):
            link = s.links[k]
            s.room[link] = s.capacity[link]
            s.unfrozen[link] = s.members[link]
            if s.members[link] > 0:
                s.full[size] = link
                s.heap_share[size] = s.capacity[link] / s.members[link]
                size += 1
        order = np.argsort(s.heap_share[:size])
        shares = s.heap_share[:size][order]
        for k in range(size):
            s.heap_share[k] = shares[k]
            s.heap_link[k] = s.full[order[k]]
        while running > 0:
            level, full = 0.0, 0
            while size > 0:
                link = s.heap_link[0]
                share = s.room[link] / s.unfrozen[link] if s.unfrozen[link] > 0 else np.inf
                if s.unfrozen[link] > 0 and share <= s.heap_share[0]:
                    if full > 0 and share > level * (1 + FULL):
                        break
                    if full == 0:
                        level = share
                    s.full[full] = link
                    full += 1
                    share = np.inf
                if share == np.inf:
                    size -= 1
                    share, link = s.heap_share[size], s.heap_link[size]
                at, below = 0, 1
                while below < size:
                    if below + 1 < size and s.heap_share[below + 1] < s.heap_share[below]:
                        below += 1
                    if share <= s.heap_share[below]:
                        break
                    s.heap_share[at], s.heap_link[at] = s.heap_share[below], s.heap_link[below]
                    at, below = below, 2 * below + 1
                s.heap_share[at], s.heap_link[at] = share, link
            frozen = 0
            for k in range(full):
                link = s.full[k]
                for place in range(s.first_crowd[link], s.first_crowd[link] + s.members[link]):
                    entry = s.crowd[place]
                    flow = s.entry_flow[entry]
                    before = s.frozen_at[flow]
                    if before == NONE:
                        s.frozen_at[flow] = entry
                        s.flow_seen[flow] = -mark
                        s.flows[len(s.flows) - 1 - frozen] = flow
                        frozen += 1
                    elif s.flow_seen[flow] == -mark:
                        # Of several full links the one with the most flows holds a flow up, then the first on its way.
                        more = s.members[link] - s.members[s.entry_link[before]]
                        if more > 0 or (more == 0 and entry < before):
                            s.frozen_at[flow] = entry
            for k in range(frozen):
                flow = s.flows[len(s.flows) - 1 - k]
                s.flow_seen[flow] = mark
                s.rate[flow] = level
                s.end[flow] = now + max(0.0, s.left[flow]) / level
                for entry in range(s.first_entry[flow], s.first_entry[flow + 1]):
                    link = s.entry_link[entry]
                    s.room[link] = max(0.0, s.room[link] - level)
                    s.unfrozen[link] -= 1
            running -= frozen
    return ended


Resolve = Callable[[Any, Any, float, float], int]


@cache
def compiled_resolve() -> Resolve:
    """The same, compiled to machine code; kept on disk, so that only the first run on a machine compiles."""
    import numba

    compiled: Resolve = numba.njit(cache=True, nogil=True)(resolve)
    return compiled
