"""What a program costs on real memory: rounds of load, matmul, copy, activation and store of 128 KiB tiles each.

``python -m benches.speed on_memory``. Beside it the same program on ideal memory and plain SimPy timeouts, in the same
process. Most of the time goes into flits, so the figures say how many flits crossed how many links.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TypeVar

from benches.run_report.execute import run_machine
from benches.run_report.on_fabric import FabricRun, place, run_on_fabric
from benches.speed.figures import Figure, print_figures
from benches.speed.simpy_ground import OPERATIONS, raw_timeout
from simcore.perfsim.estimate import Estimate, prepare, run
from simcore.program.read import program_from_bytes
from topology.loader import load_system
from topology.machine.devices import devices_of
from topology.machine.site import Site

INSTRUCTIONS = 10_000
PER_ROUND = 5
AIM_S = 60.0
"""Seconds of the processor for one run of the program."""
T = TypeVar("T")
PLACES = (("trn2", "nc0"), ("kernbench_2x4x4", "sip0.cube0.pe0"))


def rounds(instructions: int) -> Estimate:
    """The estimate of a program of so many instructions, two fifths of them transfers."""
    shape = {"partitions": 128, "elements": 512, "dtype": "bfloat16"}
    dram, sb = {"space": "DRAM", **shape}, {"space": "SB", **shape, "addr": 0}
    found: list[dict[str, object]] = []
    for k in range(instructions // PER_ROUND):
        psum = {"space": "PSUM", **shape, "dtype": "float32", "bank": k % 8}
        steps: tuple[tuple[str, str, str, dict[str, object], dict[str, object]], ...] = (
            ("ld", "Load", "DMA", dram, sb),
            ("mm", "Matmult", "PE", sb, psum),
            ("cp", "TensorCopy", "DVE", psum, sb),
            ("ac", "Activation", "Activation", sb, sb),
            ("st", "Save", "DMA", sb, dram),
        )
        before: list[str] = []
        for name, opcode, engine, source, target in steps:
            entry = {"name": f"{name}{k}", "opcode": opcode, "engine": engine, "dependencies": before}
            found.append({**entry, "ins": [source], "outs": [target]})
            before = [f"{name}{k}"]
    block = {"name": "bb0", "instructions": found}
    functions = [{"name": "main", "blocks": [block]}]
    document = {"schema": "kernbench.stream/1", "name": "rounds", "arch": "gen3", "functions": functions}
    return run(prepare(program_from_bytes(json.dumps(document).encode(), "rounds")))


def main() -> dict[str, object]:
    """Measures, prints the table and returns it as JSON holds it."""
    estimate = rounds(INSTRUCTIONS)
    timeout = min(_seconds(raw_timeout())[0] for _ in range(3)) / OPERATIONS
    ideal, _ = _seconds(lambda: run_machine(estimate))
    figures = [Figure("ideal memory", ideal, "s")]
    for system, name in PLACES:
        site = Site(load_system(system))
        placed = place(site, [(devices_of(site, [name])[0], estimate)])
        seconds, done = _seconds(lambda site=site, placed=placed: run_on_fabric(site, placed))  # type: ignore[misc]
        hops = _flit_hops(done)
        per = seconds / INSTRUCTIONS
        figures += [
            Figure(f"{name} of {system}", seconds, "s", AIM_S, False),
            Figure("  against ideal memory", seconds / ideal, "times"),
            Figure("  of an instruction", per / timeout, "raw timeouts"),
            Figure("  flits over links", hops / 1e6, "million"),
            Figure("  of each", seconds / hops / timeout, "raw timeouts"),
        ]
    print_figures(f"a program of {INSTRUCTIONS} instructions on real memory", figures)
    return {"instructions": INSTRUCTIONS, "figures": [figure.record() for figure in figures]}


def _flit_hops(done: FabricRun) -> int:
    flit_bytes = done.machine.site.system.flit_bytes
    return sum(-(-link.moved_bytes // flit_bytes) for link in done.machine.links.values())


def _seconds(call: Callable[[], T]) -> tuple[float, T]:
    """Processor time, and what the call gave."""
    begin = time.process_time()
    result = call()
    return time.process_time() - begin, result


if __name__ == "__main__":
    main()
