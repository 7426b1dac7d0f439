"""How a leg stands at a moment: what a run and a plan hand to each other."""

from __future__ import annotations

from dataclasses import dataclass

from components.fabric.exact_time import LONG_AGO
from components.fabric.flit_run import FlitRun, Lane
from components.fabric.leg import Leg


@dataclass(slots=True)
class LaneState:
    """A leg on one link. Flits are numbered from 0; each list belongs to consecutive flits.

    ``started``: flits whose service has begun. ``sent``: starts of service of the last of them, of all those that have
    not arrived at the far end. ``free_at``: end of the service that is on, else any moment before. ``returned``: flits
    whose room in the buffer is free again; ``home_due``: when that of the next ones will be, as far as it is known.
    """

    started: int
    sent: list[int]
    free_at: int
    returned: int
    home_due: list[int]


@dataclass(slots=True)
class LegState:
    """A leg at a moment, on those links that it still needs: the last ``len(lanes)`` of its tracks.

    ``injected``: flits that have been let go, of which the last ones, those of ``entering``, will be in front of the
    first of these links at those moments. ``sinking``: when the flits that the sink has taken will be ``delivered``.
    ``fetched`` and ``sunk``: the latest moment that the source and the sink have named.
    """

    injected: int
    entering: list[int]
    lanes: list[LaneState]
    sinking: list[int]
    delivered: int
    fetched: int
    sunk: int


def state_of(run: FlitRun) -> LegState:
    """How ``run`` stands now that everything up to this moment has happened."""
    leg = run.leg
    needed = [lane for lane in run.lanes if leg in lane.link.users]
    first = needed[0]
    if first.preceding is None:
        injected, entering = run.injected, list(run.fetching)
    else:
        track = first.preceding.track
        numbers = range(leg.flits - len(first.preceding.sent), leg.flits)
        injected = leg.flits
        entering = [
            at + leg.service_of(track, flit) + track.latency
            for flit, at in zip(numbers, first.preceding.sent, strict=True)
        ]
    return LegState(
        injected,
        entering,
        [_lane_state(lane) for lane in needed],
        list(run.sinking),
        run.delivered,
        run.fetched,
        run.sunk,
    )


def _lane_state(lane: Lane) -> LaneState:
    serves = lane.link.serving is lane
    sent = list(lane.sent)
    if serves and not lane.track.latency:
        sent = [lane.link.free_at - lane.leg.service_of(lane.track, lane.started - 1)]
    return LaneState(lane.started, sent, lane.link.free_at if serves else LONG_AGO, lane.returned, list(lane.home_due))


def run_from(state: LegState, leg: Leg) -> FlitRun:
    """A run that goes on from ``state``: fills the links, which are empty, and leaves those that are not needed now."""
    run = FlitRun(leg)
    run.injected = run.asked = state.injected
    run.delivered, run.fetched, run.sunk = state.delivered, state.fetched, state.sunk
    skipped = len(run.lanes) - len(state.lanes)
    for lane in run.lanes[:skipped]:
        lane.started = lane.returned = leg.flits
    if skipped:
        _enter_late(run.lanes[skipped - 1], state.entering)
    else:
        for due in state.entering:
            run.fetching.append(due)
            run.calendar.at(due, run.on_fetched)
    arrived = state.injected - len(state.entering)
    for lane, stood in zip(run.lanes[skipped:], state.lanes, strict=True):
        _restore(lane, stood, arrived)
        arrived = stood.started - len(stood.sent)
    for due in state.sinking:
        run.sinking.append(due)
        run.calendar.at(due, run.on_sunk)
    return run


def _enter_late(left: Lane, entering: list[int]) -> None:
    """The last flits of the leg are between the link of ``left``, which has served them, and the next one."""
    leg, track = left.leg, left.track
    for flit, due in zip(range(leg.flits - len(entering), leg.flits), entering, strict=True):
        left.sent.append(due - track.latency - leg.service_of(track, flit))
        left.calendar.at(due, left.on_arrived)


def _restore(lane: Lane, stood: LaneState, arrived: int) -> None:
    leg, link, track, at = lane.leg, lane.link, lane.track, lane.calendar.at
    lane.started, lane.returned = stood.started, stood.returned
    serves = stood.free_at != LONG_AGO
    link.turns.resume(lane, arrived - stood.started, serves=serves)
    if serves:
        link.serving = lane
        link.free_at = stood.free_at
        at(stood.free_at, lane.on_ended)
    if track.latency:
        lane.sent.extend(stood.sent)
        for flit, start in enumerate(stood.sent, stood.started - len(stood.sent)):
            at(start + leg.service_of(track, flit) + track.latency, lane.on_arrived)
    if link.buffer_bytes is not None:
        lane.home_due.extend(stood.home_due)
        for due in stood.home_due:
            at(due, lane.on_home)
        link.room = link.buffer_bytes - leg.bytes_between(stood.returned, stood.started)
    if stood.started == leg.flits and not serves and (link.room is None or stood.returned == leg.flits):
        leg.leave(track)
