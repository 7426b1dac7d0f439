"""What an instruction costs on the machine: in raw SimPy timeouts, in bytes, and how both grow with the program.

``python -m benches.speed machine``. Every run stands between runs of plain SimPy timeouts in the same process, so that
a slow minute of the processor slows both; each size keeps its fastest run.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from benches.speed.blocks import measured_block
from benches.speed.figures import Figure, print_figures
from benches.speed.simpy_ground import OPERATIONS, raw_timeout
from components.core.neuron_core import NeuronCoreParameters
from components.core.simulate import simulate_block
from simcore.errors import ModelBug
from simcore.kernel import Row
from simcore.program.columns import Columns
from simcore.program.generations import GENERATIONS

SIZES = (1_000, 10_000, 100_000, 1_000_000)
INSTRUCTIONS_PER_SIZE = 300_000
"""Small programs are run as often as it takes to simulate so many instructions."""

LOG_OFF_AIM = 10.0
"""Raw timeouts per instruction."""
FULL_LOG_AIM = 18.0
GROWTH_AIM = 1.5
"""How much more an instruction of the largest program may cost than one of the smallest."""

ARCH = "gen3"


@dataclass(frozen=True, slots=True)
class SizeCost:
    """What one instruction of a program of ``instructions`` costs; times in ns of the processor."""

    instructions: int
    log_off_ns: float
    full_log_ns: float
    timeout_ns: float
    bytes: float

    @property
    def log_off_timeouts(self) -> float:
        """In raw SimPy timeouts."""
        return self.log_off_ns / self.timeout_ns

    @property
    def full_log_timeouts(self) -> float:
        """In raw SimPy timeouts, with every event logged."""
        return self.full_log_ns / self.timeout_ns


def main() -> dict[str, object]:
    """Measures, prints the tables and returns them as JSON holds them."""
    print("the machine, 3 edges and 1 bank per instruction, wiring included")
    headings = ("instructions", "ns/instr", "timeouts", "logged ns", "timeouts", "timeout ns", "bytes/instr")
    print("".join(f"{heading:>14}" for heading in headings), flush=True)
    costs = []
    for size in SIZES:
        c = measure(size)
        off, logged = (
            f"{c.log_off_ns:14.0f}{c.log_off_timeouts:14.2f}",
            f"{c.full_log_ns:14.0f}{c.full_log_timeouts:14.2f}",
        )
        print(f"{c.instructions:14}{off}{logged}{c.timeout_ns:14.0f}{c.bytes:14.0f}", flush=True)
        costs.append(c)
    figures = _figures(costs)
    print_figures("of these", figures)
    sizes = [{field: round(value, 1) for field, value in asdict(c).items()} for c in costs]
    return {"sizes": sizes, "figures": [f.record() for f in figures]}


def _figures(costs: Sequence[SizeCost]) -> list[Figure]:
    first, last = costs[0], costs[-1]
    best = min(costs, key=lambda c: c.log_off_timeouts)
    worst = max(costs, key=lambda c: c.log_off_timeouts)
    logged = max(costs, key=lambda c: c.full_log_timeouts)
    return [
        Figure("fastest, log off", 1e9 / best.log_off_ns, "instr/s"),
        Figure("raw SimPy at that time", 1e9 / best.timeout_ns, "timeouts/s"),
        Figure("log off, the dearest size", worst.log_off_timeouts, "raw timeouts/instr", LOG_OFF_AIM, False),
        Figure("full log, the dearest size", logged.full_log_timeouts, "raw timeouts/instr", FULL_LOG_AIM, False),
        Figure(
            f"an instruction of {last.instructions} against one of {first.instructions}, in timeouts",
            last.log_off_timeouts / first.log_off_timeouts,
            "times",
            GROWTH_AIM,
            False,
        ),
        Figure("the same in memory", last.bytes / first.bytes, "times", GROWTH_AIM, False),
    ]


def measure(instructions: int) -> SizeCost:
    """The cost of one size. Raises ModelBug if a logged run differs from an unlogged one."""
    columns = measured_block(instructions)
    rounds = max(1, INSTRUCTIONS_PER_SIZE // instructions)
    off = log = timeout = float("inf")
    for _ in range(min(rounds, 15)):
        timeout = min(timeout, _timeout_ns())
        off = min(off, _timed(lambda: simulate(columns)) / instructions)
        timeout = min(timeout, _timeout_ns())
        rows: list[Row] = []
        log = min(log, _timed(lambda rows=rows: simulate(columns, rows)) / instructions)  # type: ignore[misc]
        timeout = min(timeout, _timeout_ns())
        if len(rows) < 2 * instructions:
            raise ModelBug(f"a full log of {instructions} instructions has only {len(rows)} rows")
    return SizeCost(instructions, off, log, timeout, _peak_bytes(columns) / instructions)


def simulate(columns: Columns, rows: list[Row] | None = None) -> None:
    """One run, wiring and schedule included."""
    core = NeuronCoreParameters.of_generation(ARCH, GENERATIONS[ARCH].arch_version)
    simulate_block(columns, columns.cost_ns, core, log=rows)


def _timeout_ns() -> float:
    return _timed(raw_timeout()) / OPERATIONS


def _timed(call: Callable[[], object]) -> float:
    """Nanoseconds of processor time."""
    gc.collect()
    begin = time.process_time_ns()
    call()
    return time.process_time_ns() - begin


def _peak_bytes(columns: Columns) -> int:
    """Of a run with the log off; every allocation is counted, which is why this run is not timed."""
    gc.collect()
    tracemalloc.start()
    try:
        simulate(columns)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
