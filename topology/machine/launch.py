"""Kernel launch: one command to every PE tile, a start barrier so that all begin together, and the replies.

First action: the IO CPU works out, over all targets, how long the command is under way from it to the PE CPU, and
stamps the latest arrival as the moment at which every PE starts. Copies hold no bytes, so they wait for nobody. A CPU
that a command passes is paid for once. The launch is over when the host has the last reply, which is also what
gathering them at the M_CPUs and at the IO CPU would give, since a reply of no bytes only takes latencies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simcore.errors import InputError, ModelBug, Problem
from simcore.kernel import Countdown, Story
from topology.kinds import EdgeSet
from topology.machine.machine import Machine, Site
from topology.routes.route import Route

if TYPE_CHECKING:
    from simpy.events import Event


@dataclass(frozen=True, slots=True)
class Target:
    """A PE CPU that takes part, and the three routes that a command takes to it."""

    pe_cpu: str
    routes: tuple[Route, Route, Route]

    @property
    def nodes(self) -> tuple[str, ...]:
        """The parts from the host's end point to the PE CPU."""
        host, io, m_cpu = self.routes
        return (*host.nodes, *io.nodes[1:], *m_cpu.nodes[1:])


@dataclass(slots=True)
class Launch:
    """A launch under way; times in ticks. ``done`` happens when the last reply is with the host."""

    done: Event
    start_at: int | None = None
    """The stamp: when every PE starts; None until the IO CPU has the command."""
    arrived: dict[str, int] = field(default_factory=dict)
    started: dict[str, int] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)


def launch_targets(site: Site, sip: int, cubes: Sequence[int], pes: Sequence[int] | None = None) -> list[Target]:
    """The PE tiles numbered ``pes`` (None: all) of ``cubes`` in package ``sip``.

    Raises InputError for a cube that is not there, and for parts that a command needs and nobody has.
    """
    host, io_cpu = site.resolver.find_pcie_ep(sip), site.resolver.find_io_cpu(sip)
    first = site.router.find_path(host, io_cpu)
    targets = []
    for number in cubes:
        cube, m_cpu = site.router.cube(sip, number), site.resolver.find_m_cpu(sip, number)
        second = site.router.find_path(io_cpu, m_cpu)
        for tile in cube.pes:
            if pes is not None and tile.index not in pes:
                continue
            if tile.command_part is None:
                raise InputError(
                    [Problem(f"{tile.name} has no command part, so nothing can be launched", site.system.file)]
                )
            targets.append(
                Target(tile.command_part, (first, second, site.router.find_path(m_cpu, tile.command_part, EdgeSet.ALL)))
            )
    return targets


def launch(machine: Machine, targets: Sequence[Target], run_ticks: int = 0) -> Launch:
    """Launches a kernel now that keeps every target busy for ``run_ticks``."""
    env, fabric = machine.env, machine.fabric
    state = Launch(env.event())
    over = Countdown(env, len(targets), "replies")

    def end(_over: Event) -> None:
        state.done.succeed(state)

    over.callbacks.append(end)
    latest = max(travel_ticks(machine, target.routes[1:]) for target in targets)

    def stamp(_at_io_cpu: Event) -> None:
        state.start_at = env.now + latest

    first = machine.flow("launch", 0, machine.path(targets[0].routes[0]))
    fabric.submit(first).callbacks.append(stamp)
    for target in targets:
        env.spawn(_serve(machine, target, state, over, run_ticks), f"launch of {target.pe_cpu}")
    return state


def travel_ticks(machine: Machine, routes: Sequence[Route]) -> int:
    """How long a command of no bytes is under way over ``routes``, from when it leaves their first part."""
    links = machine.path(*routes)
    hops = [machine.hops[node] for route in routes for node in route.nodes[1:]]
    return sum(link.latency_ticks for link in links) + sum(hop.overhead_ticks for hop in hops)


def _serve(machine: Machine, target: Target, state: Launch, over: Countdown, run_ticks: int) -> Story:
    env, fabric = machine.env, machine.fabric
    path = machine.path(*target.routes)
    yield fabric.submit(machine.flow(f"launch {target.pe_cpu}", 0, path))
    state.arrived[target.pe_cpu] = env.now
    if state.start_at is None:
        raise ModelBug(f"{target.pe_cpu} has a command that the IO CPU has not stamped")
    if state.start_at > env.now:
        yield env.timeout(state.start_at - env.now)
    state.started[target.pe_cpu] = env.now
    if run_ticks:
        yield env.timeout(run_ticks)
    yield fabric.submit(machine.flow(f"reply {target.pe_cpu}", 0, machine.back(path)))
    state.ended[target.pe_cpu] = env.now
    over.arrive()
