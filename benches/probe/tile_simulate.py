"""Cases inside a PE tile on the simulated machine."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from simpy.events import Event

from benches.probe.tile_cases import Compute, TileCase, TurnRound, origin_of, page_bytes_of, pages_of
from components.pe.dma import DmaRequest
from components.pe.mmu import PageRequest
from components.pe.scheduler import Submission
from simcore.errors import ModelBug
from simcore.kernel import Environment, Story
from simcore.units import TICKS_PER_NS
from topology.machine.site import Site

if TYPE_CHECKING:
    from topology.machine.machine import Machine


def tile_case_ns(site: Site, case: TileCase, nbytes: int) -> Fraction:
    """How long ``case`` takes on the simulated machine."""
    env = Environment()
    if isinstance(case, Compute):
        route = site.route(case.tile.router_part, case.tile.router)
    else:
        route = site.route(origin_of(case), case.place.node)
    machine = site.machine(env, [route])
    return Fraction(env.run(env.spawn(_story(machine, case, nbytes), case.name)), TICKS_PER_NS)


def _story(machine: Machine, case: TileCase, nbytes: int) -> Story:
    """Its value: the ticks from the moment at which it was asked for."""
    env = machine.env
    began = env.now
    if isinstance(case, TurnRound):
        yield machine.ask(case.origin, "write", case.place, nbytes, f"{case.name} write")
        yield machine.ask(case.origin, "read", case.place, nbytes, f"{case.name} read")
        return env.now - began
    tile = machine.tile(case.tile.name)
    if isinstance(case, Compute):
        over = env.event()
        tile.commands.put(Submission(case.command, over))
        yield over
        return env.now - began
    address = machine.site.address(case.place)

    def written() -> Event:
        request = DmaRequest("write", address, nbytes, "virtual", env.event(), f"{case.name} at {env.now}")
        tile.dma_requests.put(request)
        return request.done

    if tile.pages is None:
        raise ModelBug(f"{case.tile.name} has no MMU")
    page = page_bytes_of(machine.site.system, case.tile)
    pages = PageRequest(
        address // page * page, address // page * page, pages_of(address, nbytes, page) * page, env.event()
    )
    tile.pages.put(pages)
    refusal = yield pages.done
    if refusal is not None:
        raise ModelBug(f"{case.name}: {refusal.error_message}")
    if case.again:
        yield written()
        began = env.now
    yield written()
    return env.now - began
