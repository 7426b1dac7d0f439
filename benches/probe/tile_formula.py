"""Closed forms of the cases inside a PE tile. Nothing here has seen a simulation."""

from __future__ import annotations

from fractions import Fraction

from benches.probe.formula import Predicted, predict
from benches.probe.memories import Hbm, memory_at
from benches.probe.payload import Payload, Pipeline
from benches.probe.tile_cases import (
    TILE,
    Compute,
    TileCase,
    TurnRound,
    Virtual,
    origin_of,
    page_bytes_of,
    pages_of,
    working_nodes,
)
from benches.probe.way import ZERO, ZERO_WIRE, Way, in_ticks, stop_of, way_along
from topology.machine.hops import engine_start_ns
from topology.machine.site import Site
from topology.system import NodeSpec, System


def tile_case_predicted(site: Site, case: TileCase, nbytes: int) -> Predicted:
    """Formula and terms of ``case``."""
    system = site.system
    if isinstance(case, Compute):
        return _compute(system, case)
    write = _own_write(site, case, nbytes)
    if isinstance(case, TurnRound):
        return _turn_round(site, case, nbytes, write)
    mmu = working_nodes(system, case.tile)["pe_mmu"]
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
    nodes = working_nodes(system, case.tile)
    stops = [stop_of(nodes[kind]) for kind in ("pe_scheduler", "pe_fetch_store", case.engine, "pe_fetch_store")]
    return Way(tuple(stops), (ZERO_WIRE,) * 3)


def _compute(system: System, case: Compute) -> Predicted:
    """Scheduler, fetch, engine, store: one tile waits for nobody."""
    nodes = working_nodes(system, case.tile)
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


def _quantity(node: NodeSpec, word: str) -> Fraction:
    value = node.parameters[word]
    assert isinstance(value, int | Fraction)
    return Fraction(value)


def _time(nbytes: int, node: NodeSpec, word: str) -> Fraction:
    rate = _quantity(node, word)
    return nbytes / rate if rate else ZERO


def _blocks(size: int, block: Fraction) -> int:
    return -(-size // int(block))
