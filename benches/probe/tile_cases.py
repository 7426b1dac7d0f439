"""Cases inside a PE tile, whose parts take their time in processes of their own: stages, translation, turning round.

Each case is simulated on the running tile, and has its closed form beside that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from simpy.events import Event

from benches.probe.formula import Predicted, predict
from benches.probe.memories import Hbm, memory_at
from benches.probe.payload import Payload, Pipeline
from benches.probe.way import ZERO, ZERO_WIRE, Way, in_ticks, stop_of, way_along
from components.pe.commands import GemmCommand, MathCommand
from components.pe.dma import DmaRequest
from components.pe.mmu import PageRequest
from components.pe.scheduler import Submission
from simcore.errors import ModelBug
from simcore.kernel import Environment, Story
from simcore.units import TICKS_PER_NS
from topology.hierarchy import PeTile
from topology.machine.hops import engine_start_ns
from topology.machine.site import Place, Site
from topology.machine.tile import nodes_of
from topology.system import NodeSpec, System

if TYPE_CHECKING:
    from topology.machine.machine import Machine

TILE = (32, 64, 32)
"""M, K and N of the predecessor's tile."""
ELEMENT_BYTES = 2


@dataclass(frozen=True, slots=True)
class Compute:
    """One tile of a GEMM or a MATH command whose operands lie in the TCM; ``engine`` is the kind of the part."""

    name: str
    category: str
    hops: int
    tile: PeTile
    engine: str

    @property
    def command(self) -> GemmCommand | MathCommand:
        """What the scheduler gets."""
        m, k, n = TILE
        if self.engine == "pe_gemm":
            return GemmCommand(self.name, m, k, n, m, k, n, ELEMENT_BYTES, None, None, None)
        return MathCommand(self.name, m, n, m, n, ELEMENT_BYTES, "exp", None, None)

    @property
    def fetched_bytes(self) -> int:
        """From the TCM to registers."""
        m, k, n = TILE
        return (m * k + k * n if self.engine == "pe_gemm" else m * n) * ELEMENT_BYTES

    @property
    def stored_bytes(self) -> int:
        """From registers to the TCM."""
        m, _, n = TILE
        return m * n * ELEMENT_BYTES


@dataclass(frozen=True, slots=True)
class Virtual:
    """The DMA of a PE writes to its own slice by virtual addresses; ``again``: it has done so before."""

    name: str
    category: str
    hops: int
    tile: PeTile
    place: Place
    again: bool


@dataclass(frozen=True, slots=True)
class TurnRound:
    """``origin`` writes to a memory, and as soon as it knows that it has, reads the same bytes back."""

    name: str
    category: str
    hops: int
    origin: str
    place: Place


TileCase = Compute | Virtual | TurnRound


def tile_cases(system: System, tile: PeTile, own: Place) -> Iterator[TileCase]:
    """Those that a working ``tile`` with the slice of ``own`` has a place for."""
    nodes = nodes_of(system, tile)
    if nodes is None:
        return
    yield Compute("pe-gemm-tile", "compute", 0, tile, "pe_gemm")
    yield Compute("pe-math-tile", "compute", 0, tile, "pe_math")
    if "pe_mmu" in nodes:
        yield Virtual("pe-local-hbm-first-touch", "pe_virtual", 0, tile, own, False)
        yield Virtual("pe-local-hbm-touched", "pe_virtual", 0, tile, own, True)
    if system.node(own.node).kind == "hbm_controller":
        yield TurnRound("pe-local-turn-round", "turn_round", 0, tile.router_part, own)


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


def tile_case_predicted(site: Site, case: TileCase, nbytes: int) -> Predicted:
    """Formula and terms of ``case``."""
    system = site.system
    if isinstance(case, Compute):
        return _compute(system, case)
    write = _own_write(site, case, nbytes)
    if isinstance(case, TurnRound):
        return _turn_round(site, case, nbytes, write)
    mmu = _nodes(system, case.tile)["pe_mmu"]
    cost_ns = _quantity(mmu, "tlb_hit_ns" if case.again else "tlb_miss_ns")
    pages = pages_of(site.address(case.place), nbytes, page_bytes_of(system, case.tile))
    # An MMU rounds the time of a page, not that of all.
    rounding = write.terms.get("tick_rounding", ZERO) + pages * (in_ticks(cost_ns) - cost_ns)
    return _with(write, {"translation": pages * cost_ns, "tick_rounding": rounding})


def tile_way(site: Site, case: TileCase) -> Way:
    """The parts that ``case`` shows: of a transfer, its way; of a stage, the parts that it passes."""
    system = site.system
    if not isinstance(case, Compute):
        return way_along(system, site.route(origin_of(case), case.place.node).nodes)
    nodes = _nodes(system, case.tile)
    stops = [stop_of(nodes[kind]) for kind in ("pe_scheduler", "pe_fetch_store", case.engine, "pe_fetch_store")]
    return Way(tuple(stops), (ZERO_WIRE,) * 3)


def origin_of(case: Virtual | TurnRound) -> str:
    """Who asks for the transfers of ``case``."""
    return case.origin if isinstance(case, TurnRound) else case.tile.router_part


def pages_of(address: int, nbytes: int, page_bytes: int) -> int:
    """Pages that an access touches."""
    return (address + nbytes - 1) // page_bytes - address // page_bytes + 1 if nbytes else 0


def page_bytes_of(system: System, tile: PeTile) -> int:
    """The page of the MMU of ``tile``."""
    value = _nodes(system, tile)["pe_mmu"].parameters["page_bytes"]
    assert isinstance(value, int)
    return value


def _compute(system: System, case: Compute) -> Predicted:
    """Scheduler, fetch, engine, store: one tile waits for nobody."""
    nodes = _nodes(system, case.tile)
    engine, tcm = nodes[case.engine], nodes["tcm"]
    m, k, n = TILE
    if case.engine == "pe_gemm":
        sides = ((m, "mac_m"), (k, "mac_k"), (n, "mac_n"))
        cycles = 1
        for size, word in sides:
            cycles *= _blocks(size, _quantity(engine, word))
    else:
        cycles = _blocks(m * n, _quantity(engine, "vector_width"))
    overheads = [stop_of(nodes[kind]).overhead_ns for kind in ("pe_scheduler", "pe_fetch_store", "pe_fetch_store")]
    moves = [_time(case.fetched_bytes, tcm, "read_bw_gbs"), _time(case.stored_bytes, tcm, "write_bw_gbs")]
    compute = cycles / _quantity(engine, "clock_ghz")
    exact = [*overheads, *moves, compute]
    rounding = sum((in_ticks(value) - value for value in exact), ZERO)
    return _with(
        Predicted(ZERO, sum(overheads, ZERO), sum(moves, ZERO), None, {}),
        {"compute": compute, "tick_rounding": rounding},
    )


def _own_write(site: Site, case: Virtual | TurnRound, nbytes: int) -> Predicted:
    system, way = site.system, tile_way(site, case)
    return predict(
        way,
        Payload(nbytes, system.flit_bytes),
        sink=memory_at(system.node(case.place.node), case.place.offset),
        window_flits=system.window_flits,
        after=way.reversed(system).word_only,
        start_ns=engine_start_ns(system, site.route(origin_of(case), case.place.node)),
    )


def _turn_round(site: Site, case: TurnRound, nbytes: int, write: Predicted) -> Predicted:
    """Both transfers, and what the read waits because its channels were written to just before."""
    system, there = site.system, tile_way(site, case)
    memory = memory_at(system.node(case.place.node), case.place.offset)
    assert isinstance(memory, Hbm)
    payload, back = Payload(nbytes, system.flit_bytes), there.reversed(system)
    start = engine_start_ns(system, site.route(case.origin, case.place.node))
    read = predict(
        back, payload, source=memory, window_flits=system.window_flits, before=there.word_only, start_ns=start
    )
    pipe = Pipeline(there.stretches[-1], payload)
    came = [in_ticks(start) + there.latency_in_ticks_ns + pipe.arrival_ns(flit) for flit in range(payload.flits)]
    penalty = in_ticks(_quantity(system.node(case.place.node), "switch_penalty_ns"))
    ready = {channel: end + penalty for channel, end in memory.channel_ends_ns(payload, came, in_ticks).items()}
    once = sum((in_ticks(stop.overhead_ns) for stop in there.stops if stop.once), ZERO)
    asked = (
        write.total_ns
        + in_ticks(start)
        + once
        + there.word_only.latency_in_ticks_ns
        + in_ticks(back.stops[0].overhead_ns)
    )
    reply = Pipeline(back.stretches[0], payload)
    turned, fresh = (reply.last_arrival_ns(memory.read_ns(payload, asked, in_ticks, free)) for free in (ready, None))
    terms = {name: write.terms.get(name, ZERO) + read.terms.get(name, ZERO) for name in {**write.terms, **read.terms}}
    both = Predicted(
        write.wire_ns + read.wire_ns,
        write.overhead_ns + read.overhead_ns,
        write.drain_ns + read.drain_ns,
        write.bottleneck_gbs,
        terms,
    )
    return _with(both, {"turn_round": in_ticks(turned) - in_ticks(fresh)})


def _with(said: Predicted, more: dict[str, Fraction]) -> Predicted:
    terms = {name: value for name, value in {**said.terms, **more}.items() if value}
    return Predicted(said.wire_ns, said.overhead_ns, said.drain_ns, said.bottleneck_gbs, terms)


def _nodes(system: System, tile: PeTile) -> dict[str, NodeSpec]:
    nodes = nodes_of(system, tile)
    if nodes is None:
        raise ModelBug(f"{tile.name} is no working tile")
    return nodes


def _quantity(node: NodeSpec, word: str) -> Fraction:
    value = node.parameters[word]
    assert isinstance(value, int | Fraction)
    return Fraction(value)


def _time(nbytes: int, node: NodeSpec, word: str) -> Fraction:
    rate = _quantity(node, word)
    return nbytes / rate if rate else ZERO


def _blocks(size: int, block: Fraction) -> int:
    return -(-size // int(block))
