"""How fast lone transfers are: the graph, the whole probe, and a large transfer across a mesh."""

from __future__ import annotations

import time
from collections.abc import Callable

from benches.probe.build import run_probe
from benches.speed.figures import Figure, print_figures
from simcore.kernel import Environment
from topology.loader import load_system
from topology.machine.site import Site

SYSTEM = "kernbench_2x4x4"
MIB = 1 << 20


def seconds_of(run: Callable[[], object], rounds: int) -> float:
    """Processor time of the fastest of ``rounds`` runs."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
    return best


def across_the_mesh(site: Site) -> Callable[[], object]:
    """1 MiB from one corner of the small mesh to the other, in a fresh machine, its building included."""
    route = site.route("mesh.r0c0", "mesh.r3c3")

    def run() -> object:
        env = Environment()
        machine = site.machine(env, [route])
        return env.run(machine.fabric.submit(machine.flow("lone", MIB, machine.path(route))))

    return run


def main() -> dict[str, object]:
    """Measures, prints the table and returns it as JSON holds it."""
    system = load_system(SYSTEM)
    mesh = across_the_mesh(Site(load_system("mesh_4x4_small")))
    figures = [
        Figure(f"build the graph of {SYSTEM}", seconds_of(lambda: load_system(SYSTEM), 3), "s", 2, at_least=False),
        Figure(f"full probe of {SYSTEM}", seconds_of(lambda: run_probe(system), 1), "s", 10, at_least=False),
        Figure("1 MiB alone across mesh_4x4_small", 1000 * seconds_of(mesh, 20), "ms", 5, at_least=False),
    ]
    print_figures("lone transfers", figures)
    return {"figures": [figure.record() for figure in figures]}


if __name__ == "__main__":
    main()
