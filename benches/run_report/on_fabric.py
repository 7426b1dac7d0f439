"""Running programs on the cores of a system, all at once, with memory behind its fabric (ADR-0062)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benches.run_report.execute import MachineBlock, in_ticks
from benches.run_report.fabric_collectives import Seat, collective_routes, member_of, seats_of, ways_of
from components.core.demand import Demand
from components.core.hauler import Haul
from components.core.needs import Needs, fixed_ticks, needs_of
from components.core.neuron_core import NeuronCore, NeuronCoreParameters
from components.core.simulate import EVENTS_PER_INSTRUCTION, LONGEST_TICKS, schedule_of
from components.core.wiring import works_of
from components.core.work import Work
from components.fabric.flow import Flow
from simcore.errors import InputError, Problem
from simcore.explain.why import Why
from simcore.kernel import INSTANT_LIMIT, Countdown, Environment, Story, show_ticks
from simcore.perfsim.estimate import BlockEstimate, Estimate
from topology.collectives.joining import RING, Joined, joined
from topology.collectives.meeting import Attendance, Hall
from topology.machine.devices import Device
from topology.machine.machine import Machine
from topology.machine.placement import DevicePlacement, Shelves
from topology.machine.site import Site
from topology.machine.surroundings import Surroundings, memories_of, routes_of

EVENTS_PER_SHARE = 40
"""More than the events that one DMA engine's share of a haul can cause at one instant."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A program on a device; ``needs``: of its blocks. ``unresolved``: addresses that the system does not resolve."""

    device: Device
    estimate: Estimate
    needs: tuple[Needs, ...]
    unresolved: int

    @property
    def hauls(self) -> list[Haul]:
        """All that its DMA instructions move."""
        return [haul for needs in self.needs for hauls in needs.hauls.values() for haul in hauls]


def place(site: Site, pairs: Sequence[tuple[Device, Estimate]]) -> list[Placed]:
    """Places the operands of each program, device by device. Raises InputError for a program of another generation."""
    problems = [problem for device, estimate in pairs if (problem := _mismatch(device, estimate)) is not None]
    if problems:
        raise InputError(problems)
    shelves, placed = Shelves(site), []
    for device, estimate in pairs:
        placement = DevicePlacement(shelves, device)
        needs = tuple([needs_of(block.columns, placement) for block in estimate.blocks])
        placed.append(Placed(device, estimate, needs, len(placement.unresolved)))
    return placed


def _mismatch(device: Device, estimate: Estimate) -> Problem | None:
    arch, own = estimate.prepared.arch, device.generation
    if own is None or own == arch:
        return None
    message = f"the program is for {arch}, but {device.name} is a core of {own} (allowed: --arch {own})"
    return Problem(message, estimate.prepared.program.file)


@dataclass(slots=True)
class DeviceRun:
    """What one device has done. ``blocks`` as they end; ``ended_at``: ticks, when the last one had.

    ``seats``: in its collectives, by the block's number.
    """

    placed: Placed
    surroundings: Surroundings
    core: NeuronCoreParameters
    seats: Mapping[int, Sequence[Seat]]
    blocks: list[MachineBlock] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ended_at: int = 0


@dataclass(frozen=True, slots=True)
class FabricRun:
    """A run of all devices on one machine, over: ``ticks`` from its start to the end of the last device.

    ``joined``: its collectives; ``collective_waits``: ticks that their sends stayed at links longer than if alone.
    """

    machine: Machine
    devices: list[DeviceRun]
    joined: Joined
    collective_waits: Counter[Why]
    ticks: int


class Progress:
    """How far runs are, for whoever shows it meanwhile: ``done`` instructions of ``total``, the clock of the last."""

    def __init__(self) -> None:
        self.total = 0
        self._cores: list[NeuronCore] = []
        self.now_ticks: Callable[[], int] = lambda: 0

    @property
    def done(self) -> int:
        """Instructions that have ended."""
        return sum(core.completed for core in self._cores)

    def watch(self, core: NeuronCore) -> None:
        """``core`` has begun with a block."""
        self._cores.append(core)


def run_on_fabric(
    site: Site,
    placed: Sequence[Placed],
    *,
    algorithm: str = RING,
    carried: Callable[[Flow], None] | None = None,
    progress: Progress | None = None,
) -> FabricRun:
    """Runs every program on its device, from tick 0 on, block after block, each block on a core that starts empty.

    ``algorithm``: of their collectives. ``carried`` is told of every transfer. Raises InputError for collectives that
    do not fit together and for a run that lasts too long; Deadlock or Livelock for one that cannot end.
    """
    together = joined(site.system, [member_of(p.device, p.estimate) for p in placed], algorithm)
    ways = ways_of(site, [placed[place].device for place in together.ranks])
    env = Environment(instant_limit=_instant_limit(placed, together))
    routes = [route for p in placed for route in routes_of(site, p.device, memories_of(p.hauls))]
    routes += collective_routes(together, ways)
    # A timetable does not say when a lone transfer finds a buffer full, so none is made where buffers are finite.
    machine = site.machine(env, routes, coalesce=site.system.buffer_bytes is None)
    around = [Surroundings(machine, p.device, carried) for p in placed]
    hall = Hall(machine, ways, [around[place].engines for place in together.ranks], carried)
    seats = seats_of(together, hall)
    runs = []
    for place, (p, surroundings) in enumerate(zip(placed, around, strict=True)):
        prepared = p.estimate.prepared
        base = NeuronCoreParameters.of_generation(prepared.arch, prepared.arch_version)
        surroundings.map_pages(p.hauls)
        runs.append(DeviceRun(p, surroundings, p.device.core_parameters(base), seats[place]))
    left = Countdown(env, len(runs), "devices")
    if progress is not None:
        progress.total += sum(len(block.columns) for p in placed for block in p.estimate.blocks)
        progress.now_ticks = lambda: env.now
    for run in runs:
        process = env.spawn(_program(env, run, progress), f"{run.placed.device.name}.program")
        process.callbacks.append(left.arrive)
    env.run(left)
    ticks = max((run.ended_at for run in runs), default=0)
    return FabricRun(machine, runs, together, hall.waits, ticks)


def _program(env: Environment, run: DeviceRun, progress: Progress | None) -> Story:
    placed = run.placed
    estimate, name = placed.estimate, placed.device.name
    file = estimate.prepared.program.file
    for number, (block, needs) in enumerate(zip(estimate.blocks, placed.needs, strict=True)):
        core = NeuronCore(env, f"{name}.core{number}", run.core, {})
        if progress is not None:
            progress.watch(core)
        cost_ns = block.costs.total_ns
        works = works_of(core, block.columns, cost_ns, include_anti_deps=estimate.include_anti_deps, file=file)
        demands = _demands(run, number, block, needs, works)
        for engine in core.engines.values():
            engine.demands = demands
        since = env.now
        run.starts.append(since)
        yield env.me.waiting_on(core.start(works), core, f"block {block.block}")
        core.check_drained()
        if env.now > LONGEST_TICKS:
            message = f"the run takes {show_ticks(env.now)} (allowed: {show_ticks(LONGEST_TICKS)})"
            raise InputError([Problem(message, file)])
        stretches = {work.index: d.stretch for work, d in demands.items() if d.stretch is not None}
        run.blocks.append(
            MachineBlock(
                block.function,
                block.block,
                block.columns,
                block.costs,
                run.core,
                estimate.include_anti_deps,
                schedule_of(core, works, since),
                stretches,
                in_ticks(block.schedule),
            )
        )
    run.ended_at = env.now


def _demands(run: DeviceRun, number: int, block: BlockEstimate, needs: Needs, works: list[Work]) -> dict[Work, Demand]:
    """What the works of block ``number`` demand of memory, and of each other on other devices."""
    hauler, sbuf = run.surroundings.hauler, run.surroundings.sbuf
    cost_ns, fixed_ns = block.costs.total_ns, block.costs.read_init_ns
    # What the lane makes of a cost is what counts: its memory comes on top.
    found = needs.demands(works, cost_ns, fixed_ns, hauler, sbuf)
    if seats := run.seats.get(number):
        fixed = fixed_ticks(cost_ns, fixed_ns)
        found |= {works[seat.event]: Attendance(seat.meeting, seat.rank, fixed[seat.event]) for seat in seats}
    return found


def left_out_of(placed: Placed) -> Counter[str]:
    """How many events need something of memory that is not modelled, by the words for it."""
    total: Counter[str] = Counter()
    for needs in placed.needs:
        total.update(needs.left_out)
    return total


def _instant_limit(placed: Sequence[Placed], together: Joined) -> int:
    """Free instructions happen at one instant, and so do free transfers; neither is a livelock."""
    engines = max((len(p.device.engines) for p in placed), default=0)
    most = sum(EVENTS_PER_SHARE * len(joint.plan.sends) * engines for joint in together.collectives)
    for p in placed:
        for block, needs in zip(p.estimate.blocks, p.needs, strict=True):
            most += EVENTS_PER_INSTRUCTION * len(block.columns) + len(block.columns.dep_on)
            shares = sum(len(hauls) for hauls in needs.hauls.values()) * len(p.device.engines)
            most += EVENTS_PER_SHARE * shares
    return max(INSTANT_LIMIT, most)
