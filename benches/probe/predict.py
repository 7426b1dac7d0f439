"""The formula and its terms for a case: which way its payload takes, and what comes before and after."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from benches.probe.cases import Access, Case, KernelLaunch, Move, TcmAccess
from benches.probe.formula import Predicted, predict
from benches.probe.memories import memory_at
from benches.probe.payload import Payload
from benches.probe.way import ZERO, Way, in_ticks, way_along
from topology.machine.hops import start_ns
from topology.machine.launch import launch_targets
from topology.machine.machine import Site


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
        return Course(there, response=back) if case.direction == "write" else Course(back, command=there)
    if isinstance(case, Move):
        return Course(way_along(system, site.route(case.src, case.dst).nodes))
    if isinstance(case, TcmAccess):
        there = way_along(system, site.route(case.unit, case.tcm).nodes)
        return Course(there, response=there.reversed(system))
    ways = [way_along(system, target.nodes) for target in launch_targets(site, case.sip, case.cubes)]
    farthest = max(ways, key=lambda way: way.latency_in_ticks_ns)
    return Course(farthest, response=farthest.reversed(system))


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
            start_ns=start_ns(system, site.route(case.origin, case.place.node)),
        )
    if isinstance(case, TcmAccess):
        return _of_tcm(site, case, course, nbytes)
    if isinstance(case, KernelLaunch):
        payload = Payload(0, system.flit_bytes)
    return predict(course.payload, payload, window_flits=system.window_flits, after=course.response)


def _of_tcm(site: Site, case: TcmAccess, course: Course, nbytes: int) -> Predicted:
    """The TCM's channel is the bottleneck; bytes do not cross a wire of the tile flit by flit."""
    rate = site.system.node(case.tcm).parameters[f"{case.direction}_bw_gbs"]
    assert isinstance(rate, int | Fraction)
    assert course.response is not None
    words = predict(course.payload, Payload(0, 1), after=course.response)
    drain = Fraction(nbytes) / rate if rate else ZERO
    rounding = words.terms.get("tick_rounding", ZERO) + in_ticks(drain) - drain
    terms = {**words.terms, "tick_rounding": rounding}
    return Predicted(
        words.wire_ns,
        words.overhead_ns,
        drain,
        Fraction(rate) or None,
        {name: value for name, value in terms.items() if value},
    )
