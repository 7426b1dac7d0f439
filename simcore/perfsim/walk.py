"""The walk: one pass over a block in program order that gives every event its start and says what it waited for.

This function is written for two executions: compiled by numba over arrays (large blocks) and as plain Python over
lists (small ones, which saves the compiler's start-up). It may therefore use indexing and integers only.

Rules (design, section 5). An event starts at the latest of: its producers' contributions; its lane's next-dispatch
(for the barrier lane, that of the five datapath lanes); the times of the PSUM banks it writes; the coupled lane; its
ring's oldest transfer; its floor (a transfer's is its trigger's start, and counts as a dependency). When several
agree the first in this order is named as the bound.
"""

from __future__ import annotations

from typing import Any

from simcore.program.edges import EdgeKind
from simcore.program.engines import Lane
from simcore.schedule import Cause

# Bits of an event's class. An event has a window only if it is long enough to overlap.
WINDOW_COMPUTE = 1
WINDOW_DMA = 2
WINDOW = WINDOW_COMPUTE | WINDOW_DMA
TRIGGER = 4
COLLECTIVE = 8
EARLY_READY = 16
PSUM_WRITE = 32
TRANSFER = 64
RING_FULL = 128

# Layout of the state vector: everything that one event leaves behind for the next, so that a copy is a checkpoint.
LANES = len(Lane)
LANE_DISPATCH = 0
LANE_END = LANE_DISPATCH + LANES
LANE_LAST = LANE_END + LANES
BANKS = 8
ALL_BANKS = (1 << BANKS) - 1
BANK_TIME = LANE_LAST + LANES
BANK_LAST = BANK_TIME + BANKS
WRITER_END = BANK_LAST + BANKS
WRITER_LAST = WRITER_END + LANES
EDGE_CURSOR = WRITER_LAST + LANES
RING_CURSOR = EDGE_CURSOR + 1
STATE_SIZE = RING_CURSOR + 1

NONE = int(Cause.none)
DEPENDENCY = int(Cause.dependency)
ENGINE = int(Cause.engine)
PSUM_BANK = int(Cause.psum_bank)
BAND_COUPLING = int(Cause.band_coupling)
BARRIER = int(Cause.barrier)
RING = int(Cause.ring)
FLOOR = int(Cause.floor)

ORDERED, ANTI = int(EdgeKind.Ordered), int(EdgeKind.Anti)
POOL, ACTIVATION, PE = int(Lane.Pool), int(Lane.Activation), int(Lane.PE)
DVE, SP, ALL = int(Lane.DVE), int(Lane.SP), int(Lane.ALL)


def walk(
    begin: int,
    end: int,
    duration: Any,
    lane: Any,
    klass: Any,
    bank_waits: Any,
    bank_sets: Any,
    dep_count: Any,
    dep_on: Any,
    dep_kind: Any,
    ring_head: Any,
    overlap_of: Any,
    bank_of: Any,
    in_order: bool,
    barriers: bool,
    coupled: bool,
    anti: bool,
    floor: int,
    reflow: bool,
    reflow_new: float,
    reflow_old: float,
    state: Any,
    times: Any,
    cause: Any,
    on: Any,
    ready_at: Any,
    ready_on: Any,
) -> None:
    """Places events ``begin..end``; ``state`` carries over between calls.

    ``times[2i]`` is what event i contributes to a consumer over any edge but Ordered: its end (a trigger's start).
    ``times[2i+1]`` is its next-dispatch, what it contributes over Ordered. ``ready_at``/``ready_on`` are kept for
    collectives only: an Ordered consumer may start when the collective itself became ready. ``overlap_of[w]`` is the
    overlap of window w (class bits 0 and 1), ``bank_of[mask]`` the lowest bank of a mask. With ``reflow``,
    ``duration`` is changed in place: collectives on other streams that overlap a new one lengthen, and it does.
    """
    edge = state[EDGE_CURSOR]
    ring = state[RING_CURSOR]
    for i in range(begin, end):
        kind = klass[i]
        line = lane[i]

        ready = 0
        who = -1
        for _ in range(dep_count[i]):
            producer = dep_on[edge]
            sort = dep_kind[edge]
            edge += 1
            if not anti and sort == ANTI:
                continue
            time = times[2 * producer + (sort == ORDERED)]
            if sort == ORDERED and kind & EARLY_READY and klass[producer] & COLLECTIVE:
                time = min(time, ready_at[producer])
            if time > ready:
                ready = time
                who = producer
        if kind & COLLECTIVE:
            ready_at[i] = ready
            ready_on[i] = who
        start = ready
        why = DEPENDENCY if who >= 0 else NONE

        if line == ALL:
            for other in (ACTIVATION, DVE, PE, POOL, SP):
                if barriers and state[LANE_DISPATCH + other] > start:
                    start = state[LANE_DISPATCH + other]
                    why = BARRIER
                    who = state[LANE_LAST + other]
        elif in_order and state[LANE_DISPATCH + line] > start:
            start = state[LANE_DISPATCH + line]
            why = ENGINE
            who = state[LANE_LAST + line]

        if kind & PSUM_WRITE:
            waits = int(bank_waits[i])
            if waits == 0:
                waits = ALL_BANKS
            while waits:
                bank = bank_of[waits]
                waits &= waits - 1
                if state[BANK_TIME + bank] > start:
                    start = state[BANK_TIME + bank]
                    why = PSUM_BANK
                    who = state[BANK_LAST + bank]

        if coupled:
            if line == DVE or line == POOL:  # noqa: SIM109 (a tuple would be built in the compiled loop)
                other = POOL if line == DVE else DVE
                if state[LANE_DISPATCH + other] > start:
                    start = state[LANE_DISPATCH + other]
                    why = BAND_COUPLING
                    who = state[LANE_LAST + other]
            elif line == ACTIVATION:
                for other in (DVE, POOL):
                    if state[WRITER_END + other] > start:
                        start = state[WRITER_END + other]
                        why = BAND_COUPLING
                        who = state[WRITER_LAST + other]

        if kind & TRANSFER:
            # Its trigger is the event before it, and contributes its start.
            if times[2 * i - 2] > start:
                start = times[2 * i - 2]
                why = DEPENDENCY
                who = i - 1
        elif floor > start:
            start = floor
            why = FLOOR
            who = -1
        if kind & RING_FULL:
            head = ring_head[ring]
            ring += 1
            if times[2 * head + 1] > start:
                start = times[2 * head + 1]
                why = RING
                who = head

        cost = duration[i]
        if reflow and kind & COLLECTIVE and line > ALL:
            # Overlaps are measured on the new event as it would be alone, then both sides lengthen.
            alone = start + cost
            for other in range(i):
                if klass[other] & COLLECTIVE and lane[other] > ALL and lane[other] != line:
                    overlap = min(alone, times[2 * other]) - max(start, times[2 * other] - duration[other])
                    if overlap > 0:
                        cost += int(reflow_new * overlap)
                        duration[other] += int(reflow_old * overlap)
                        times[2 * other] += int(reflow_old * overlap)
                        times[2 * other + 1] = times[2 * other]
                        if state[LANE_LAST + lane[other]] == other:
                            state[LANE_END + lane[other]] = times[2 * other]
                            state[LANE_DISPATCH + lane[other]] = times[2 * other]
            duration[i] = cost
        finish = start + cost
        next_dispatch = finish - overlap_of[kind & WINDOW]
        times[2 * i] = start if kind & TRIGGER else finish
        times[2 * i + 1] = next_dispatch
        cause[i] = why
        on[i] = who

        state[LANE_DISPATCH + line] = next_dispatch
        state[LANE_END + line] = finish
        state[LANE_LAST + line] = i
        if coupled and kind & PSUM_WRITE and cost > 0:
            state[WRITER_END + line] = finish
            state[WRITER_LAST + line] = i
        sets = int(bank_sets[i])
        while sets:
            bank = bank_of[sets]
            sets &= sets - 1
            state[BANK_TIME + bank] = next_dispatch
            state[BANK_LAST + bank] = i
    state[EDGE_CURSOR] = edge
    state[RING_CURSOR] = ring
