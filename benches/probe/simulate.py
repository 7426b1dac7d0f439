"""One case in a fresh engine of its own, and when it was over (ADR-0049 D8)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simpy.events import Event

from benches.probe.cases import Access, Case, KernelLaunch, Move, TcmAccess
from benches.probe.tile_cases import Compute, TurnRound, Virtual
from benches.probe.tile_simulate import tile_case_ns
from components.host.messages import Completion, KernelLaunchMsg, KernelRef
from components.memory.tcm import TcmRequest
from components.pe.commands import Command
from components.pe.stages import Fetch, Store
from components.pe.tile_token import TileToken
from components.registry import build
from components.transaction import Transaction
from simcore.errors import ModelBug
from simcore.kernel import Channel, Environment, Port
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
        case Compute() | Virtual() | TurnRound():
            return tile_case_ns(site, case, nbytes)
        case KernelLaunch():
            response = env.run(_launched(site, env, case))
            if response.completion != Completion(True):
                raise ModelBug(f"{case.name}: {response.completion.error_message}")
    return Fraction(env.now, TICKS_PER_NS)


def _one_stage(site: Site, env: Environment, case: TcmAccess, nbytes: int) -> Event:
    """A tile that has nothing to do but to be fetched, or stored; or a transaction that passes the TCM."""
    if case.direction == "pass":
        return _passing(site, env, case, nbytes)
    part = site.tile_of[case.unit].router_part
    machine = site.machine(env, [site.route(part, site.tile_of[case.unit].router)])
    done = env.event()

    def finished(_tile: TileToken) -> None:
        done.succeed()

    stage = Fetch(nbytes) if case.direction == "read" else Store(nbytes)
    TileToken(case.name, (stage,), machine.tile(case.tile).stations, finished).begin()
    return done


def _passing(site: Site, env: Environment, case: TcmAccess, nbytes: int) -> Event:
    node = site.system.node(case.tcm)
    ports: dict[str, Port[Any]] = {
        "requests": Port(env, f"{case.tcm}.requests", TcmRequest),
        "transactions_in": Port(env, f"{case.tcm}.before", Transaction),
        "transactions_out": Port(env, f"{case.tcm}.behind", Transaction),
    }
    neighbour = Channel(env, f"{case.tcm}.neighbour")
    ports["requests"].attach("out", neighbour)
    ports["transactions_in"].attach("out", neighbour)
    ports["transactions_out"].attach("in", neighbour)
    done = env.event()

    def passed(_transaction: Transaction) -> None:
        done.succeed()

    ports["transactions_out"].hand_to(passed)
    build(env, node.kind, node.name, node.parameters, ports, node.impl, file=node.origin["kind"].file)
    ports["transactions_in"].put(Transaction(nbytes, case.name))
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
