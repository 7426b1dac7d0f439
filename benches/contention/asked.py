"""Traffic that is asked for as the machine is always asked: by requests to a memory, of the host and of PE tiles."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from simpy.events import Event

from benches.contention.traffic import route_ways
from benches.flows.traffic import Traffic, routes_of
from simcore.kernel import Countdown, Environment
from simcore.units import TICKS_PER_NS
from topology.machine.site import Place, Site

APART = 1 << 26
"""Bytes between the places of two requests: as much as the largest one moves."""


def known_ns(traffic: Traffic, direction: str) -> list[Fraction]:
    """When whoever asked for each flow knows that it is over.

    A ``write`` goes from the part ``src`` to the memory ``dst``; ``dst`` asks for a ``read`` from the memory ``src``.
    """
    env = Environment()
    site = Site(traffic.as_served())
    ends = [(f.src, f.dst) if direction == "write" else (f.dst, f.src) for f in traffic.flows]
    machine = site.machine(env, [*routes_of(traffic, site), *[site.route(asker, memory) for asker, memory in ends]])
    known = [Fraction(0)] * len(ends)
    left = Countdown(env, len(known), "requests")

    def noted(number: int) -> Callable[[Event], None]:
        def note(_event: Event) -> None:
            known[number] = Fraction(env.now, TICKS_PER_NS)
            left.arrive()

        return note

    for number, (flow, (asker, memory)) in enumerate(zip(traffic.flows, ends, strict=True)):
        done = machine.ask(asker, direction, Place(memory, number * APART), flow.nbytes, flow.name)
        assert done.callbacks is not None
        done.callbacks.append(noted(number))
    env.run(left)
    return known


def answers_ns(traffic: Traffic) -> list[Fraction]:
    """What the answer to each write, or the command of each read, takes: no payload, over the opposite links."""
    system = traffic.as_served()
    return [way.reversed(system).word_only.latency_ns for way in route_ways(traffic)]
