"""How fast fair shares are worked out: 10,000 flows over a mesh. ``python -m benches.speed fair_share``.

Flows start all over a span of time, so that some 16 run at once, or some 125; each start and each end fills anew what
is connected with it.
"""

from __future__ import annotations

import random
import time
from itertools import pairwise

from benches.fair_share.fluid import FluidFlow, Network
from benches.fair_share.max_min import max_min
from benches.speed.figures import Figure, print_figures
from benches.speed.simpy_ground import OPERATIONS, raw_timeout

FLOWS = 10_000
SIDE = 16
LINK_GBS = 128.0
SPANS_NS = {"light load": 1_000_000, "heavy load": 300_000}
PLAIN_FLOWS = 200
"""What plain Python is measured with, beside the compiled code."""

AIM_S = 5.0


def random_traffic(flows: int, span_ns: int, seed: int = 1) -> Network:
    """Between random cores of a square mesh, along x first, 4 to 256 KiB each, starting anywhere in ``span_ns``."""
    rng = random.Random(seed)
    links: dict[tuple[tuple[str, int, int], tuple[str, int, int]], int] = {}
    found = []
    for _ in range(flows):
        spots = [(x, y) for x in range(SIDE) for y in range(SIDE)]
        (ax, ay), (bx, by) = rng.sample(spots, 2)
        routers = [("r", x, ay) for x in _steps(ax, bx)] + [("r", bx, y) for y in _steps(ay, by)[1:]]
        nodes = [("c", ax, ay), *routers, ("c", bx, by)]
        path = tuple([links.setdefault(pair, len(links)) for pair in pairwise(nodes)])
        found.append(FluidFlow(path, rng.randrange(4 << 10, 256 << 10), float(rng.randrange(span_ns))))
    return Network((LINK_GBS,) * len(links), tuple(found))


def main() -> dict[str, object]:
    """Measures, prints the figures and returns them as JSON holds them."""
    small = random_traffic(PLAIN_FLOWS, 10 * PLAIN_FLOWS)
    max_min(small, compiled=True)  # compiles, or loads what was compiled before
    in_python, compiled = (_seconds(small, compiled=how) for how in (False, True))
    timeout = min(_timeouts() for _ in range(3)) / OPERATIONS
    figures = []
    for name, span_ns in SPANS_NS.items():
        taken = _seconds(random_traffic(FLOWS, span_ns), compiled=True)
        figures.append(Figure(f"{FLOWS} flows, {name}", taken, "s", AIM_S, at_least=False))
        figures.append(Figure(f"a start or end, {name}", taken / (2 * FLOWS) / timeout, "raw SimPy timeouts"))
    figures.append(Figure(f"{PLAIN_FLOWS} flows, plain Python over compiled", in_python / compiled, "x"))
    print_figures("fair shares, processor time", figures)
    return {"figures": [figure.record() for figure in figures]}


def _steps(start: int, end: int) -> list[int]:
    return list(range(start, end + 1)) if end >= start else list(range(start, end - 1, -1))


def _seconds(network: Network, *, compiled: bool) -> float:
    begin = time.process_time()
    max_min(network, compiled=compiled)
    return time.process_time() - begin


def _timeouts() -> float:
    begin = time.process_time()
    raw_timeout()()
    return time.process_time() - begin


if __name__ == "__main__":
    main()
