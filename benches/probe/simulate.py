"""One case in a fresh engine of its own, and when it was over (ADR-0049 D8)."""

from __future__ import annotations

from fractions import Fraction

from benches.probe.cases import Access, Case, KernelLaunch, Move, TcmAccess
from components.memory.tcm import TcmRequest
from components.registry import build
from simcore.kernel import Channel, Environment, Port, Story
from simcore.units import TICKS_PER_NS
from topology.machine.launch import launch, launch_targets
from topology.machine.machine import Machine, Site


def actual_ns(site: Site, case: Case, nbytes: int) -> Fraction:
    """When whoever asked for ``case`` with ``nbytes`` knows that it is over, on the simulated machine."""
    env = Environment()
    if isinstance(case, Access):
        machine = site.machine(env, [site.route(case.origin, case.place.node)])
        env.run(machine.request(case.origin, case.direction, case.place, nbytes, case.name).done)
    elif isinstance(case, Move):
        route = site.route(case.src, case.dst)
        machine = site.machine(env, [route])
        env.run(machine.fabric.submit(machine.flow(case.name, nbytes, machine.path(route))))
    elif isinstance(case, TcmAccess):
        route = site.route(case.unit, case.tcm)
        machine = site.machine(env, [route])
        env.run(env.spawn(_ask_tcm(machine, case, nbytes), case.name))
    else:
        env.run(_launched(site, env, case).done)
    return Fraction(env.now, TICKS_PER_NS)


def _launched(site: Site, env: Environment, case: KernelLaunch):  # type: ignore[no-untyped-def]
    targets = launch_targets(site, case.sip, case.cubes)
    machine = site.machine(env, [route for target in targets for route in target.routes])
    return launch(machine, targets)


def _ask_tcm(machine: Machine, case: TcmAccess, nbytes: int) -> Story:
    """Word goes to the TCM over the wire, the TCM takes its time, and word comes back."""
    env = machine.env
    node = machine.site.system.node(case.tcm)
    port: Port[TcmRequest] = Port(env, f"{case.tcm}.requests", TcmRequest)
    port.attach("out", Channel(env, f"{case.unit}.asks"))
    build(env, node.kind, node.name, node.parameters, {"requests": port}, node.impl, file=machine.site.system.file)
    there = machine.path(machine.site.route(case.unit, case.tcm))
    yield machine.fabric.submit(machine.flow(f"{case.name} command", 0, there))
    request = TcmRequest(case.direction, nbytes, env.event(), case.name)
    port.put(request)
    yield request.done
    yield machine.fabric.submit(machine.flow(f"{case.name} answer", 0, machine.back(there)))
