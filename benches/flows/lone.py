"""Each flow with nobody else about: simulated one after another, and held against the closed form (ADR-0061)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from benches.flows.traffic import Traffic, routes_of
from benches.probe.formula import predict
from benches.probe.payload import Payload
from benches.probe.way import Way, way_along
from simcore.errors import ModelBug
from simcore.kernel import Environment
from simcore.units import TICKS_PER_NS
from topology.machine.site import Site
from topology.own_parts import passes_own_part
from topology.routes.route import Route


def lone_durations(traffic: Traffic) -> list[Fraction]:
    """How long each flow takes alone, in ns, exactly. Flows of one path and size are simulated once.

    Raises InputError for a flow without a path; ModelBug where the machine and the closed form of a lone transfer
    (ADR-0044 D4) differ, or where buffers make it faster. The form knows nothing of parts of a user's own.
    """
    from components.fabric.flow import Flow

    site = Site(traffic.as_served())
    options = traffic.in_force
    routes = routes_of(traffic, site)
    env = Environment()
    machine = site.machine(env, routes)
    found: dict[tuple[tuple[str, ...], int], Fraction] = {}
    ways: dict[tuple[str, ...], Way] = {}
    for spec, route in zip(traffic.flows, routes, strict=True):
        key = (route.nodes, spec.nbytes)
        if key in found:
            continue
        window = options.window_along(len(route.links))
        flow = Flow(spec.name, spec.nbytes, machine.path(route), window)
        begin = env.now
        env.run(machine.fabric.submit(flow))
        assert flow.ended_ticks is not None
        found[key] = (flow.ended_ticks - begin) / TICKS_PER_NS
        if route.links:
            if route.nodes not in ways:
                ways[route.nodes] = way_along(site.system, route.nodes)
            if not passes_own_part(site.system, route):
                _check(found[key], ways[route.nodes], spec.name, spec.nbytes, traffic)
            # The next one must not wait for the room that this one had in buffers.
            env.run(env.timeout(max(link.credit_return_ticks for link in flow.path) + 1))
    return [found[route.nodes, spec.nbytes] for spec, route in zip(traffic.flows, routes, strict=True)]


def _check(taken_ns: Fraction, way: Way, name: str, nbytes: int, traffic: Traffic) -> None:
    options = traffic.in_force
    buffered = options.link_buffer_bytes is not None
    window = options.window_along(len(way.wires))
    said = predict(way, Payload(nbytes, options.flit_bytes), window_flits=None if buffered else window)
    taken = Fraction(ceil(taken_ns * TICKS_PER_NS), TICKS_PER_NS)
    if taken < said.total_ns or (taken > said.total_ns and not buffered):
        raise ModelBug(
            f"flow {name}: alone it takes {float(taken_ns)} ns on the machine, {float(said.total_ns)} ns by its formula"
        )


def notes_on_windows(traffic: Traffic, durations_ns: Sequence[Fraction]) -> list[str | None]:
    """For each flow, what keeps it from the rate of its slowest link even alone: the window or the buffers; or None.

    ``durations_ns``: what :func:`lone_durations` says.
    """
    site = Site(traffic.as_served())
    options = traffic.in_force
    words: list[str | None] = []
    for spec, route, taken in zip(traffic.flows, routes_of(traffic, site), durations_ns, strict=True):
        if not route.links or passes_own_part(site.system, route):
            words.append(None)
            continue
        said = predict(way_along(site.system, route.nodes), Payload(spec.nbytes, options.flit_bytes))
        # The closed form is in whole ticks; anything less is rounding.
        if taken - said.total_ns <= 0:
            words.append(None)
            continue
        longer = f"alone it takes {float(taken / said.total_ns - 1):.1%} longer than without"
        if options.link_buffer_bytes is not None:
            held = f"the buffers of {options.link_buffer_bytes} bytes behind its links hold"
            words.append(f"{held} it back: {longer}")
        else:
            held = f"a window of {options.window_flits} flits over {len(route.links)} links holds"
            words.append(f"{held} it back: {longer}, and {_depth(site, route)} flits would keep its slowest link busy")
    return words


def _depth(site: Site, route: Route) -> int:
    """The smallest window that costs nothing on ``route``, in flits."""
    machine = site.machine(Environment(), [route])
    return machine.fabric.route(machine.path(route)).pipeline_depth()
