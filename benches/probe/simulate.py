"""One case in a fresh engine of its own, and when it was over (ADR-0049 D8)."""

from __future__ import annotations

from fractions import Fraction

from simpy.events import Event

from benches.probe.cases import Access, Case, KernelLaunch, Move, TcmAccess
from components.host.messages import Completion, KernelLaunchMsg, KernelRef
from components.pe.commands import Command
from components.pe.stages import Fetch, Store
from components.pe.tile_token import TileToken
from simcore.errors import ModelBug
from simcore.kernel import Environment
from simcore.units import TICKS_PER_NS
from topology.machine.site import Site


def actual_ns(site: Site, case: Case, nbytes: int) -> Fraction:
    """When whoever asked for ``case`` with ``nbytes`` knows that it is over, on the simulated machine."""
    env = Environment()
    match case:
        case Access():
            machine = site.machine(env, [site.route(case.origin, case.place.node)])
            env.run(machine.ask(case.origin, case.direction, case.place, nbytes, case.name))
        case Move():
            route = site.route(case.src, case.dst)
            machine = site.machine(env, [route])
            env.run(machine.fabric.submit(machine.flow(case.name, nbytes, machine.path(route))))
        case TcmAccess():
            env.run(_one_stage(site, env, case, nbytes))
        case KernelLaunch():
            response = env.run(_launched(site, env, case))
            if response.completion != Completion(True):
                raise ModelBug(f"{case.name}: {response.completion.error_message}")
    return Fraction(env.now, TICKS_PER_NS)


def _one_stage(site: Site, env: Environment, case: TcmAccess, nbytes: int) -> Event:
    """A tile that has nothing to do but to be fetched, or stored."""
    part = site.tile_of[case.unit].router_part
    machine = site.machine(env, [site.route(part, site.tile_of[case.unit].router)])
    done = env.event()

    def finished(_tile: TileToken) -> None:
        done.succeed()

    stage = Fetch(nbytes) if case.direction == "read" else Store(nbytes)
    TileToken(case.name, (stage,), machine.tile(case.tile).stations, finished).begin()
    return done


def _launched(site: Site, env: Environment, case: KernelLaunch) -> Event:
    """A kernel without commands on every PE of the cubes."""
    tiles = max(len(site.router.cube(case.sip, cube).pes) for cube in case.cubes)
    routes = [r for pe in range(tiles) for found in site.launch_routes(case.sip, case.cubes, pe) for r in found]
    machine = site.machine(env, routes)

    def kernel(_message: KernelLaunchMsg, _cube: int, _pe: int) -> tuple[Command, ...]:
        return ()

    host = machine.host({"nothing": kernel})
    message = KernelLaunchMsg(
        correlation_id="probe",
        request_id=case.name,
        sip=case.sip,
        kernel_ref=KernelRef("nothing"),
        target_cubes=case.cubes,
    )
    return host.submit(message)
