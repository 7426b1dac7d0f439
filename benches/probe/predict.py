"""The formula and its terms for a case: which way its payload takes, and what comes before and after."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from benches.probe.cases import Access, Case, KernelLaunch, Move, TcmAccess
from benches.probe.formula import Predicted, predict
from benches.probe.memories import memory_at
from benches.probe.payload import Payload
from benches.probe.tile_cases import Compute, TileCase
from benches.probe.tile_formula import tile_case_predicted, tile_way
from benches.probe.way import ZERO, ZERO_WIRE, Way, in_ticks, stop_of, way_along
from topology.machine.hops import engine_start_ns
from topology.machine.site import Site


@dataclass(frozen=True, slots=True)
class Course:
    """The ways of a case: of its payload, of the command before it and of the answer after it."""

    payload: Way
    command: Way | None = None
    response: Way | None = None


def course_of(site: Site, case: Case) -> Course:
    """Which ways ``case`` takes."""
    system = site.system
    if isinstance(case, Access):
        there = way_along(system, site.route(case.origin, case.place.node).nodes)
        back = there.reversed(system)
        if case.direction == "write":
            return Course(there, response=back.word_only)
        return Course(back, command=there.word_only)
    if isinstance(case, Move):
        return Course(way_along(system, site.route(case.src, case.dst).nodes))
    if isinstance(case, TcmAccess):
        names = (case.tcm,) if case.direction == "pass" else (case.unit, case.tcm)
        return Course(Way(tuple([stop_of(system.node(name)) for name in names]), (ZERO_WIRE,) * (len(names) - 1)))
    if isinstance(case, TileCase):
        return _course_in_tile(site, case)
    ways = [
        way_along(system, [*first.nodes, *second.nodes[1:], *third.nodes[1:]])
        for cube in case.cubes
        for pe in range(len(site.router.cube(case.sip, cube).pes))
        for first, second, third in site.launch_routes(case.sip, (cube,), pe)
    ]
    homeward = [way.reversed(system).word_only for way in ways]
    return Course(max(ways, key=_how_long), response=max(homeward, key=_how_long))


def _course_in_tile(site: Site, case: TileCase) -> Course:
    way = tile_way(site, case)
    return Course(way) if isinstance(case, Compute) else Course(way, response=way.reversed(site.system).word_only)


def _how_long(way: Way) -> Fraction:
    return way.latency_in_ticks_ns


def predicted(site: Site, case: Case, course: Course, nbytes: int) -> Predicted:
    """Formula and terms of ``case`` with ``nbytes``."""
    system = site.system
    payload = Payload(nbytes, system.flit_bytes)
    if isinstance(case, Access):
        memory = memory_at(system.node(case.place.node), case.place.offset)
        reads = case.direction == "read"
        return predict(
            course.payload,
            payload,
            source=memory if reads else None,
            sink=None if reads else memory,
            window_flits=system.window_flits,
            before=course.command,
            after=course.response,
            start_ns=engine_start_ns(system, site.route(case.origin, case.place.node)),
        )
    if isinstance(case, TcmAccess):
        return _of_tcm(site, case, course, nbytes)
    if isinstance(case, TileCase):
        return tile_case_predicted(site, case, nbytes)
    if isinstance(case, KernelLaunch):
        payload = Payload(0, system.flit_bytes)
    return predict(course.payload, payload, window_flits=system.window_flits, after=course.response)


def _of_tcm(site: Site, case: TcmAccess, course: Course, nbytes: int) -> Predicted:
    """The unit's overhead and the time on the TCM's channel, which is the bottleneck; nothing crosses a link."""
    tcm = site.system.node(case.tcm)
    if case.direction == "pass":
        latency = tcm.parameters["overhead_ns"]
        assert isinstance(latency, int | Fraction)
        rounding = in_ticks(Fraction(latency)) - latency
        return Predicted(ZERO, Fraction(latency), ZERO, None, {"tick_rounding": rounding} if rounding else {})
    rate = tcm.parameters[f"{case.direction}_bw_gbs"]
    assert isinstance(rate, int | Fraction)
    overhead, drain = course.payload.overhead_ns, Fraction(nbytes) / rate if rate else ZERO
    rounding = in_ticks(overhead) + in_ticks(drain) - overhead - drain
    terms = {"tick_rounding": rounding} if rounding else {}
    return Predicted(ZERO, overhead, drain, Fraction(rate) or None, terms)
