"""How fast PerfSim's walk is: by itself, beside the same loop in C, and how much memory an instruction takes.

``python -m benches.speed walk``. The compiled Python and the C are run in turn on the same arrays, each keeps its
fastest run (processor time), and every array that they write must be the same.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benches.speed.blocks import measured_block
from benches.speed.figures import Figure, print_figures
from simcore.errors import ModelBug
from simcore.perfsim.block_walk import WalkSettings, fresh_state, run_walk
from simcore.perfsim.compiled import compiled_walk
from simcore.perfsim.lower import WalkInput, lower
from simcore.perfsim.options import PerfSimOptions
from simcore.program.columns import Array
from simcore.program.generations import GENERATIONS

INSTRUCTIONS = 5_000_000
ROUNDS = 5
ARCH = "gen3"

WALK_AIM = 20.0
"""Million instructions per second."""
RATIO_AIM = 0.7
"""Of the speed of the same loop in C."""

SOURCE = Path(__file__).with_name("walk.c")

Walk = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Written:
    """Everything a walk writes, fresh for each run; every page is touched before, so that no run pays for them."""

    state: Array
    times: Array
    cause: Array
    on: Array
    ready_at: Array
    ready_on: Array

    @classmethod
    def of(cls, n: int) -> Written:
        """For a block of ``n`` instructions."""
        return cls(
            fresh_state(),
            np.full(2 * n, 0, dtype=np.int64),
            np.full(n, 0, dtype=np.uint8),
            np.full(n, 0, dtype=np.int32),
            np.full(n, 0, dtype=np.int64),
            np.full(n, 0, dtype=np.int32),
        )

    def arrays(self) -> tuple[Array, ...]:
        """In the order of the walk's arguments."""
        return (self.state, self.times, self.cause, self.on, self.ready_at, self.ready_on)


def main() -> dict[str, object]:
    """Measures, prints the table and returns it as JSON holds it."""
    figures = measure(INSTRUCTIONS, ROUNDS)
    note = "" if shutil.which("gcc") else "no C compiler, so not compared with C"
    title = f"PerfSim's walk, {INSTRUCTIONS} instructions, 3 edges and 1 bank each"
    print_figures(f"{title} ({note})" if note else title, figures)
    return {"instructions": INSTRUCTIONS, "figures": [f.record() for f in figures], "note": note}


def measure(instructions: int, rounds: int) -> list[Figure]:
    """The figures of a block of ``instructions``. Raises ModelBug if C and Python disagree in anything."""
    columns, options = measured_block(instructions), PerfSimOptions()
    inputs = lower(columns, columns.cost_ns, ARCH, options)
    version = GENERATIONS[ARCH].arch_version

    def whole() -> None:
        run_walk(lower(columns, columns.cost_ns, ARCH, options), options, version, include_anti_deps=True)

    settings = WalkSettings.of(options, version, include_anti_deps=True)
    python = compiled_walk()
    run_once(python, inputs, settings, Written.of(instructions))  # compiles, or loads what was compiled
    with tempfile.TemporaryDirectory() as folder:
        in_c = c_walk(Path(folder))
        best: dict[str, float] = {}
        for _ in range(rounds):
            results = []
            for name, walk in (("python", python), ("c", in_c)):
                if walk is not None:
                    results.append(Written.of(instructions))
                    _keep(best, name, lambda walk=walk, to=results[-1]: run_once(walk, inputs, settings, to))  # type: ignore[misc]
            _compare(results)
            _keep(best, "whole", whole)
    figures = [
        Figure(
            "walk, with what each instruction was bound by", instructions / best["python"] / 1e6, "M instr/s", WALK_AIM
        ),
        Figure("lowering, allocation and walk", instructions / best["whole"] / 1e6, "M instr/s"),
    ]
    if "c" in best:
        figures += [
            Figure("the same loop in C (gcc -O2)", instructions / best["c"] / 1e6, "M instr/s"),
            Figure("compiled Python's speed as a share of C's", best["c"] / best["python"], "", RATIO_AIM),
        ]
    return [
        *figures,
        Figure("peak memory of lowering and walk", _peak_bytes(whole) / instructions, "bytes/instr"),
        Figure("columns of the block", columns.nbytes / instructions, "bytes/instr"),
    ]


def c_walk(folder: Path) -> Walk | None:
    """``walk.c`` compiled in ``folder`` and loaded; None without gcc. Takes the same arguments as the Python."""
    gcc = shutil.which("gcc")
    if gcc is None:
        return None
    library = folder / "walk.so"
    subprocess.run(
        [gcc, "-std=c99", "-O2", "-shared", "-fPIC", "-o", os.fspath(library), os.fspath(SOURCE)], check=True
    )
    function = ctypes.CDLL(os.fspath(library)).walk
    function.restype = None

    def walk(*arguments: Any) -> None:
        function(*map(_as_c, arguments))

    return walk


def _as_c(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, bool):
        return ctypes.c_int(value)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int64(value)


def run_once(walk: Walk, inputs: WalkInput, settings: WalkSettings, to: Written) -> None:
    """One run of ``walk`` over a whole block, with fresh lanes, into ``to``."""
    read = (
        inputs.duration,
        inputs.lane,
        inputs.klass,
        inputs.bank_waits,
        inputs.bank_sets,
        inputs.dep_count,
        inputs.dep_on,
        inputs.dep_kind,
        inputs.ring_head,
    )
    walk(0, len(inputs.duration), *read, *settings.as_arrays(0), *to.arrays())


def _keep(best: dict[str, float], name: str, call: Callable[[], None]) -> None:
    begin = time.process_time()
    call()
    best[name] = min(best.get(name, float("inf")), time.process_time() - begin)


def _compare(results: list[Written]) -> None:
    for other in results[1:]:
        for ours, theirs in zip(results[0].arrays(), other.arrays(), strict=True):
            if not np.array_equal(ours, theirs):
                raise ModelBug("the walk in C and in compiled Python give different results")


def _peak_bytes(call: Callable[[], None]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
