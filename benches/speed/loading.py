"""How fast program files are read, and how much memory that takes: ``python -m benches.speed loading``.

Speeds are the fastest of several runs in processor time (neighbours on the machine only make a run slower); memory is
measured in processes of their own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benches.speed.figures import Figure, print_figures
from benches.speed.peak_memory import Loading, measured_loading
from benches.speed.streams import write_stream
from simcore.errors import ModelBug
from simcore.program.npz import write_npz
from simcore.program.program import Block, Function, Program
from simcore.program.read import load_program

INSTRUCTIONS = 1_000_000
COLUMN_BLOCKS = 5
"""The columns file holds the block so many times: 400 MB, more than any cache."""
LARGE_BYTES = 300 * 10**6
ROUNDS = 3

STREAM_AIM = 250.0
"""Thousand instructions per second."""
COLUMNS_AIM = 1.0
"""GB per second."""
MEMORY_AIM = 10.0
"""Times the size of the file."""


def main() -> dict[str, object]:
    """Measures, prints the table and returns it as JSON holds it."""
    with tempfile.TemporaryDirectory() as folder:
        figures = [*measure_speed(Path(folder), INSTRUCTIONS), *measure_memory(Path(folder), LARGE_BYTES)]
    print_figures(f"reading programs, {INSTRUCTIONS} instructions, 3 edges and 1 bank each", figures)
    return {"instructions": INSTRUCTIONS, "figures": [f.record() for f in figures]}


def measure_speed(folder: Path, instructions: int) -> list[Figure]:
    """How fast a stream file becomes columns, and a columns file is mapped and checked."""
    stream, columns = folder / "stream.json", folder / "columns.npz"
    write_stream(stream, instructions)
    program = load_program(stream)
    write_npz(_repeated(program, COLUMN_BLOCKS), columns)
    load_program(columns)  # compiles the checks, or loads what was compiled, and fills the page cache
    stream_s = _fastest_s(lambda: load_program(stream))
    columns_s = _fastest_s(lambda: load_program(columns))
    nbytes = columns.stat().st_size
    return [
        Figure("stream JSON to columns", instructions / stream_s / 1e3, "thousand instr/s", STREAM_AIM),
        Figure("stream JSON to columns", stream.stat().st_size / stream_s / 1e6, "MB/s"),
        Figure("columns file, mapped and checked", nbytes / columns_s / 1e9, "GB/s", COLUMNS_AIM),
        Figure("columns file, mapped and checked", COLUMN_BLOCKS * instructions / columns_s / 1e6, "M instr/s"),
        Figure("columns in memory", program.blocks[0][1].columns.nbytes / instructions, "bytes/instr"),
    ]


def measure_memory(folder: Path, nbytes: int) -> list[Figure]:
    """The peak memory of loading a stream file of about ``nbytes``, valid and with one fault near its end."""
    stream = folder / "large.json"
    instructions = _lines_for(folder, nbytes)
    write_stream(stream, instructions)
    valid = measured_loading(stream)
    size = stream.stat().st_size
    write_stream(stream, instructions, last="Matmul")
    faulty = measured_loading(stream)
    if valid.problems or len(faulty.problems) != 1:
        raise ModelBug(f"a valid stream gave {len(valid.problems)} problems, one with a fault {len(faulty.problems)}")
    name = f"peak memory, {size / 1e6:.0f} MB of stream"
    return [
        Figure(f"{name}, valid", valid.peak_bytes / size, "times its size", MEMORY_AIM, at_least=False),
        Figure(
            f"{name}, one fault near its end", faulty.peak_bytes / size, "times its size", MEMORY_AIM, at_least=False
        ),
        Figure(f"{name}, valid", _grown(valid) / instructions, "bytes/instr"),
        Figure("until the fault is reported", faulty.seconds, "s"),
    ]


def _lines_for(folder: Path, nbytes: int) -> int:
    sample, lines = folder / "sample.json", 10_000
    write_stream(sample, lines)
    return nbytes * lines // sample.stat().st_size


def _grown(loading: Loading) -> int:
    return loading.peak_bytes - loading.base_bytes


def _repeated(program: Program, times: int) -> Program:
    """A program with ``times`` blocks like the only one of ``program``."""
    ((_, block),) = program.blocks
    blocks = [Block(f"bb{k}", block.columns) for k in range(times)]
    return Program(program.name, program.arch, program.arch_version, [Function("main", blocks)])


def _fastest_s(call: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best


if __name__ == "__main__":
    main()
