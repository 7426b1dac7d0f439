"""How fast the fabric moves flits: alone and in a crowd. ``python -m benches.speed fabric``.

A flit-hop is one flit on one link. A lone transfer is moved by timetable; the same one flit by flit shows what that
spares; an all-to-all on a mesh, where everybody meets everybody, shows what a flit-hop costs that must be simulated;
and random flows over a whole system show what of it is left when a few of them meet here and there.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, cast

from benches.flows.run import run_traffic
from benches.flows.traffic import FlowOptions, FlowSpec, Traffic
from benches.speed.figures import Figure, print_figures
from benches.speed.simpy_ground import OPERATIONS, raw_timeout
from components.fabric.fabric import Fabric
from components.fabric.flow import Flow
from components.fabric.hop import Hop
from components.fabric.link import LinkBase
from components.registry import build
from simcore.errors import ModelBug
from simcore.kernel import Countdown, Environment
from topology.loader import load_system

FLIT_BYTES = 256
WINDOW_FLITS = 64
LINE_LINKS = 16
LINE_BYTES = 1 << 20
MESH_SIDE = 4
MESH_BYTES = 64 << 10
SYSTEM = "kernbench_2x4x4"
SYSTEM_FLOWS = 1000
SYSTEM_BYTES = 16 << 10
SYSTEM_SPAN_NS = 20_000
ROUNDS = 5

LONE_AIM_MS = 5.0
"""For 1 MiB over the links of the line."""

Links = dict[tuple[str, str], LinkBase[Any]]


@dataclass(frozen=True, slots=True)
class Net:
    """A fabric in its environment, and its links by the names of their ends."""

    env: Environment
    fabric: Fabric
    links: Links

    def run(self, paths: Sequence[Sequence[str]], nbytes: int) -> int:
        """Moves ``nbytes`` along each path, all from now on; returns the tick at which the last one ends."""
        done = Countdown(self.env, len(paths), "all flows")
        for number, path in enumerate(paths):
            links = tuple(self.links[pair] for pair in pairwise(path))
            event = self.fabric.submit(Flow(f"f{number}", nbytes, links, WINDOW_FLITS))
            event.callbacks.append(done.arrive)
        self.env.run(done)
        return self.env.now


def main(rounds: int = ROUNDS) -> dict[str, object]:
    """Measures, prints the figures and returns them as JSON holds them."""
    line = [f"n{i}" for i in range(LINE_LINKS + 1)]
    line_hops = LINE_BYTES // FLIT_BYTES * LINE_LINKS
    planned, planned_end = measured(lambda: line_net(line, coalesce=True), [line], LINE_BYTES, rounds)
    single, single_end = measured(lambda: line_net(line, coalesce=False), [line], LINE_BYTES, rounds)
    if planned_end != single_end:
        raise ModelBug(f"a lone transfer ends at {planned_end} ps coalesced and at {single_end} ps flit by flit")
    paths = mesh_paths()
    mesh_hops = sum(len(path) - 1 for path in paths) * (MESH_BYTES // FLIT_BYTES)
    crowd, _ = measured(mesh_net, paths, MESH_BYTES, rounds)
    random_seconds, random_hops = system_figures(SYSTEM_FLOWS)
    timeout = min(_seconds(raw_timeout())[0] for _ in range(rounds)) / OPERATIONS
    figures = [
        Figure(f"1 MiB alone over {LINE_LINKS} links", planned * 1e3, "ms", LONE_AIM_MS, at_least=False),
        Figure("alone, coalesced", line_hops / planned, "flit-hops/s"),
        Figure("alone, flit by flit", line_hops / single, "flit-hops/s"),
        Figure("all-to-all, 240 x 64 KiB on a 4x4 mesh", mesh_hops / crowd, "flit-hops/s"),
        Figure("the same", crowd, "s"),
        Figure("a flit-hop of the all-to-all", crowd / mesh_hops / timeout, "raw SimPy timeouts"),
        Figure(f"{SYSTEM_FLOWS} random flows on {SYSTEM}", random_hops / random_seconds, "flit-hops/s"),
        Figure("the same, routes and building included", random_seconds, "s"),
        Figure("a flit-hop of theirs", random_seconds / random_hops / timeout, "raw SimPy timeouts"),
    ]
    print_figures("the fabric, processor time", figures)
    return {"figures": [figure.record() for figure in figures]}


def measured(make: Callable[[], Net], paths: Sequence[Sequence[str]], nbytes: int, rounds: int) -> tuple[float, int]:
    """Seconds of processor time of the fastest run, building not included, and the tick at which each run ends."""
    best, end = float("inf"), 0
    for _ in range(rounds):
        net = make()
        seconds, end = _seconds(lambda net=net: net.run(paths, nbytes))  # type: ignore[misc]
        best = min(best, seconds)
    return best, end


def system_figures(flows: int) -> tuple[float, int]:
    """Seconds of processor time that random flows from PE tiles to HBM slices take, and their flit-hops."""
    system = load_system(SYSTEM)
    sources = [node.name for node in system.nodes() if node.kind == "pe_dma"]
    sinks = [node.name for node in system.nodes() if node.kind == "hbm_controller"]
    rng = random.Random(1)
    specs = []
    for n in range(flows):
        start_ns = Fraction(rng.randrange(SYSTEM_SPAN_NS))
        specs.append(FlowSpec(f"f{n}", rng.choice(sources), rng.choice(sinks), SYSTEM_BYTES, start_ns))
    options = FlowOptions(FLIT_BYTES, window_flits=WINDOW_FLITS)
    traffic = Traffic("random", system, tuple(specs), options)
    seconds, result = _seconds(lambda: run_traffic(traffic))
    return seconds, sum(len(route.links) for route in result.routes) * (SYSTEM_BYTES // FLIT_BYTES)


def line_net(nodes: Sequence[str], *, coalesce: bool) -> Net:
    """``nodes`` in a row, with equal links of 128 GB/s."""
    return _net(nodes, [(a, b, 128) for a, b in pairwise(nodes)], coalesce=coalesce)


def mesh_net() -> Net:
    """Routers in a square, 128 GB/s between neighbours, a core at each with 256 GB/s there and back."""
    side = range(MESH_SIDE)
    pairs = [(f"r{x}{y}", f"r{x + 1}{y}") for x in side[:-1] for y in side]
    pairs += [(f"r{x}{y}", f"r{x}{y + 1}") for x in side for y in side[:-1]]
    drawn = [(*pair, 128) for a, b in pairs for pair in ((a, b), (b, a))]
    spots = [f"{x}{y}" for x in side for y in side]
    drawn += [(*pair, 256) for s in spots for pair in ((f"c{s}", f"r{s}"), (f"r{s}", f"c{s}"))]
    return _net([f"{kind}{s}" for kind in "rc" for s in spots], drawn, coalesce=True)


def mesh_paths() -> list[list[str]]:
    """From every core to every other one, first along x, then along y."""
    spots = [(x, y) for x in range(MESH_SIDE) for y in range(MESH_SIDE)]
    return [_mesh_path(a, b) for a in spots for b in spots if a != b]


def _mesh_path(a: tuple[int, int], b: tuple[int, int]) -> list[str]:
    along_x = [(x, a[1]) for x in _steps(a[0], b[0])]
    along_y = [(b[0], y) for y in _steps(a[1], b[1])[1:]]
    return [f"c{a[0]}{a[1]}", *(f"r{x}{y}" for x, y in (*along_x, *along_y)), f"c{b[0]}{b[1]}"]


def _steps(start: int, end: int) -> list[int]:
    return list(range(start, end + 1)) if end >= start else list(range(start, end - 1, -1))


def _net(nodes: Sequence[str], drawn: Sequence[tuple[str, str, int]], *, coalesce: bool) -> Net:
    env = Environment()
    fabric = cast(Fabric, build(env, "fabric", "fabric", {"flit_bytes": FLIT_BYTES, "coalesce": coalesce}, {}))
    hops = {node: cast(Hop, build(env, "router", node, {"overhead_ns": 1}, {})) for node in nodes}
    links: Links = {}
    for a, b, bw_gbs in drawn:
        given = {"bw_gbs": bw_gbs, "propagation_ns": 0.01, "overhead_ns": 0, "arbitration": "flow_round_robin"}
        links[a, b] = cast(LinkBase[Any], build(env, "link", f"{a}_to_{b}", given, {}))
        fabric.connect(links[a, b], hops[a], hops[b])
    return Net(env, fabric, links)


def _seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    begin = time.process_time()
    result = call()
    return time.process_time() - begin, result


if __name__ == "__main__":
    main()
