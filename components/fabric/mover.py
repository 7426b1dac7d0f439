"""Decides, for each leg, how it moves: by timetable while its links are its alone, else flit by flit (ADR-0046)."""

from __future__ import annotations

from collections.abc import Callable

from components.fabric.calendar import Calendar
from components.fabric.flit_run import FlitRun
from components.fabric.hop import EndPoint
from components.fabric.leg import Leg
from components.fabric.leg_state import LegState, run_from, state_of
from components.fabric.plan import Plan

WORTH_A_PLAN = 24
"""Flits still to deliver below which a timetable costs more than it spares."""


class Mover:
    """The legs that are under way. ``ended`` is told of each that ends, with the moment."""

    def __init__(self, ended: Callable[[Leg, int], None], *, coalesce: bool) -> None:
        self.calendar = Calendar()
        self._ended = ended
        self._coalesce = coalesce
        self.plannable: dict[Leg, None] = {}
        """Legs that may have come to be alone on all they need."""
        self._users_of: dict[int, dict[Leg, None]] = {}
        """By the identity of an end point, the legs that use it."""
        self._used_outside: dict[int, EndPoint] = {}
        """End points with users of which the fabric does not hear in time."""

    def begin_leg(self, leg: Leg, now: int) -> None:
        """All of ``leg`` is at its first part: from now on it shares its links and end points with whoever is there."""
        for users in self._shared_by(leg):
            if len(users) == 1:  # whoever has a plan is alone
                self._break(next(iter(users)), now)
            users[leg] = None
        for track in leg.tracks:
            track.link.accepted += 1
        leg.run = FlitRun(leg)
        leg.run.inject()
        self.plannable[leg] = None

    def end_leg(self, leg: Leg, now: int) -> None:
        """All of ``leg`` is delivered. Flits of it may still be in buffers."""
        for end_point in leg.end_points():
            users = self._users_of[id(end_point)]
            users.pop(leg, None)
            self.plannable.update(users if len(users) == 1 else {})
        self._ended(leg, now)

    def relieve(self, leg: Leg) -> None:
        """``leg`` has become the only user of a link."""
        self.plannable[leg] = None

    def plan_due(self, plan: Plan, now: int) -> None:
        """``plan`` has come to its end: either its leg has, too, or it needs another one."""
        leg = plan.leg
        if plan.covers_all and all(track.link.room is None for track in leg.tracks):
            leg.plan = None
            plan.finish()
            self.end_leg(leg, now)
        else:
            state = plan.state_at(now, decided=False)
            leg.plan = None
            if plan.covers_all or not self._plan(leg, state, now):
                leg.run = run_from(state, leg)

    def consider(self, now: int) -> None:
        """Nothing is left to happen at ``now``: gives a plan to each leg that has come to be alone."""
        legs, self.plannable = self.plannable, {}
        for leg in legs:
            if self._coalesce and leg.steady and self._is_alone(leg) and leg.run is not None:
                run = leg.run
                if self._plan(leg, state_of(run), now):
                    run.discard()
                    leg.run = None

    def before_outside_use(self, end_point: EndPoint, now: int) -> None:
        """``end_point`` is about to serve somebody else at ``now``, before whatever happens in the fabric then."""
        self._used_outside[id(end_point)] = end_point
        for leg in list(self._users_of.get(id(end_point), {})):
            self._break(leg, now)

    def _shared_by(self, leg: Leg) -> list[dict[Leg, None]]:
        """Who uses each of the links and end points of ``leg``."""
        by_end_point = [self._users_of.setdefault(id(end_point), {}) for end_point in leg.end_points()]
        return [track.link.users for track in leg.tracks] + by_end_point

    def _break(self, leg: Leg, now: int) -> None:
        """From now on ``leg`` moves flit by flit."""
        plan = leg.plan
        if plan is not None:
            plan.over = True
            leg.plan = None
            leg.chunk = 0
            leg.run = run_from(plan.state_at(now, decided=self.calendar.decided == now), leg)

    def _plan(self, leg: Leg, state: LegState, now: int) -> bool:
        """Gives ``leg`` a plan; not if an end point takes no time, since a plan knows no rounds within a moment."""
        plan = Plan(leg, state, now)
        if plan.has_rounds:
            plan.discard()
            leg.steady = False
            return False
        leg.plan = plan
        self.calendar.at(plan.due, plan.on_due)
        return True

    def _is_alone(self, leg: Leg) -> bool:
        run = leg.run
        if run is None or leg.flits - run.delivered < WORTH_A_PLAN:
            return False
        needed = [lane for lane in run.lanes if leg in lane.link.users]
        end_points = leg.end_points()
        return (
            bool(needed)
            and needed == run.lanes[-len(needed) :]
            and all(len(lane.link.users) == 1 for lane in needed)
            and all(len(self._users_of[id(e)]) == 1 and id(e) not in self._used_outside for e in end_points)
            and len({id(e) for e in end_points}) == len(end_points)
        )
