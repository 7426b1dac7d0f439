"""The collectives of programs that run together: over which links they go, and who takes part in what (ADR-0064)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simcore.perfsim.estimate import Estimate
from topology.collectives.joining import Joined, Member
from topology.collectives.meeting import Hall, Meeting
from topology.collectives.ways import Ways
from topology.machine.devices import Device
from topology.machine.site import Site
from topology.routes.route import Route


@dataclass(frozen=True, slots=True)
class Seat:
    """That event number ``event`` of a block takes part in ``meeting`` as rank ``rank``."""

    event: int
    meeting: Meeting
    rank: int


def member_of(device: Device, estimate: Estimate) -> Member:
    """``device`` with the program that it runs."""
    return Member(device.name, estimate.prepared.program.file, [block.columns for block in estimate.blocks])


def ways_of(site: Site, devices: Sequence[Device]) -> Ways:
    """The sends of a core go by its DMA engines, those of a PE tile from the part by which it is on the mesh."""
    nodes, engines = [], []
    for device in devices:
        if device.core is not None:
            nodes.append(device.core.name)
            engines.append(device.engines)
        else:
            assert device.tile is not None
            nodes.append(device.tile.router_part)
            engines.append(())
    return Ways(site, nodes, engines)


def collective_routes(together: Joined, ways: Ways) -> list[Route]:
    """The routes of all their sends. Raises NoRouteError where there is none."""
    plans = {id(joint.plan): joint.plan for joint in together.collectives}
    return [route for plan in plans.values() for route in ways.routes(plan)]


def seats_of(together: Joined, hall: Hall) -> Mapping[int, Mapping[int, Sequence[Seat]]]:
    """By the place of a device and the number of a block; each collective has its meeting in ``hall``."""
    found: dict[int, dict[int, list[Seat]]] = defaultdict(lambda: defaultdict(list))
    for joint in together.collectives:
        meeting = Meeting(hall, joint)
        for rank, (place, event) in enumerate(zip(together.ranks, joint.events, strict=True)):
            found[place][joint.block].append(Seat(event, meeting, rank))
    return found
