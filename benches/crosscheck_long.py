"""``python -m benches.crosscheck_long``: many more random programs than the tests compare, and one very long block.

Runs in the source tree: the random programs are those of the tests. Exit code 1 at the first difference; the seed that
is printed with it makes the program again.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from benches.cli.output import progress
from benches.crosscheck import CrosscheckResult, crosscheck
from simcore.program.columns import (
    EDGE_DTYPES,
    EVENT_DTYPES,
    NAME_SEPARATOR,
    OPERAND_DTYPES,
    Array,
    Columns,
    Extra,
    LoopSpan,
)
from simcore.program.generations import GENERATIONS
from simcore.program.program import Block, Function, Program
from simcore.program.read import program_from_bytes

INSTRUCTIONS = 1_000_000
LONGEST_PROGRAM = 3000
PIECE = 20_000
"""Instructions that are drawn at once for the long block."""
ARCHITECTURES = ("sunda", "gen3", "core_v4", "inferentia")
LONG_ARCH = "sunda"
"""Where Pool and DVE are coupled and all four collective streams run: the most waits of any architecture."""


def main(arguments: list[str] | None = None) -> int:
    """Runs both halves and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benches.crosscheck_long", description=__doc__.partition("\n")[0])
    parser.add_argument("--instructions", type=int, default=INSTRUCTIONS, help="of each half (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first program (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    if chosen.instructions < 1:
        parser.error("--instructions must be 1 or more")
    begin = time.monotonic()
    programs = instructions = 0
    for seed, result in random_checks(chosen.seed, chosen.instructions):
        if not result.equal:
            return _differs(f"seed {seed}", result)
        programs += 1
        instructions += _instructions(result)
        progress(f"{instructions} of {chosen.instructions} instructions in {programs} random programs")
    progress("")
    print(f"{programs} random programs of {instructions} instructions: equal ({time.monotonic() - begin:.0f} s)")
    begin = time.monotonic()
    result = crosscheck(long_program(LONG_ARCH, chosen.seed, chosen.instructions))
    progress("")
    if not result.equal:
        return _differs(f"the long block, seed {chosen.seed}", result)
    print(f"one block of {_instructions(result)} instructions: equal ({time.monotonic() - begin:.0f} s)")
    return 0


def random_checks(seed: int, instructions: int) -> Iterator[tuple[int, CrosscheckResult]]:
    """``(seed, result)`` of random programs of all architectures until they have ``instructions`` in all."""
    done = 0
    while done < instructions:
        rng = random.Random(seed)
        result = crosscheck(_drawn(rng, int(LONGEST_PROGRAM ** rng.random()), ARCHITECTURES[seed % 4]))
        done += _instructions(result)
        yield seed, result
        seed += 1


def long_program(arch: str, seed: int, instructions: int) -> Program:
    """A program of one block of at least ``instructions``: random blocks end to end, on the same lanes and banks."""
    pieces: list[Columns] = []
    done = 0
    rng = random.Random(seed)
    while done < instructions:
        program = _drawn(rng, min(PIECE, instructions - done), arch)
        pieces += [block.columns for _, block in program.blocks]
        done += sum(len(block.columns) for _, block in program.blocks)
        progress(f"drawing one block for {arch}: {done} of {instructions} instructions")
    progress(f"running one block of {done} instructions on both models")
    block = Block("bb0", concatenated(pieces))
    return Program(f"long-{arch}", arch, GENERATIONS[arch].arch_version, [Function("main", [block])])


def concatenated(pieces: Sequence[Columns]) -> Columns:
    """The pieces as one block. Names get the piece's number, so that they stay unique."""
    if any(piece.words != pieces[0].words for piece in pieces):
        raise ValueError("blocks with different words cannot be put end to end")
    offsets = np.cumsum([0, *(len(piece) for piece in pieces)]).tolist()
    joined: dict[str, Array] = {
        name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in (*EVENT_DTYPES, *OPERAND_DTYPES)
    }
    for name, kind in EDGE_DTYPES.items():
        columns = [getattr(piece, name) for piece in pieces]
        if name == "dep_on":
            columns = [column + offset for column, offset in zip(columns, offsets, strict=False)]
        joined[name] = np.concatenate(columns).astype(kind)
    names = NAME_SEPARATOR.join(f"{name}~{k}" for k, piece in enumerate(pieces) for name in piece.name_list())
    loops: list[LoopSpan] = []
    extras: dict[int, Extra] = {}
    for piece, offset in zip(pieces, offsets, strict=False):
        parents = len(loops)
        for loop in piece.loops:
            parent = loop.parent + parents if loop.parent >= 0 else -1
            span = {"begin": loop.begin + offset, "end": loop.end + offset, "parent": parent}
            loops.append(msgspec.structs.replace(loop, **span))
        extras.update({event + offset: extra for event, extra in piece.extras.items()})
    return Columns(
        names=np.frombuffer(names.encode(), dtype=np.uint8),
        **joined,
        words=pieces[0].words,
        loops=tuple(loops),
        extras=extras,
    )


def _drawn(rng: random.Random, instructions: int, arch: str) -> Program:
    from tests.reference.random_programs import random_program

    document = random_program(rng, instructions=instructions, arch=arch)
    return program_from_bytes(json.dumps(document).encode(), f"random program for {arch}")


def _instructions(result: CrosscheckResult) -> int:
    return sum(block.instructions for block in result.blocks)


def _differs(which: str, result: CrosscheckResult) -> int:
    progress("")
    print(f"DIFFERENT, {which}: {result.first_difference}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
