"""Stream JSON for measuring: of any size, every instruction with three edges and one PSUM bank, the same for a seed."""

from __future__ import annotations

import random
from pathlib import Path

EDGES = 3
FARTHEST_EDGE = 40

_HEAD = """{"schema": "kernbench.stream/1", "name": "measured", "arch": "gen3", "functions": [
{"name": "main", "blocks": [
{"name": "bb0", "instructions": [
"""
_TAIL = """
]}
]}
]}
"""
_MIX = (
    ("PE", "Matmult"),
    ("PE", "Matmult"),
    ("DVE", "TensorTensor"),
    ("Activation", "Activation"),
    ("Pool", "Memset"),
    ("SP", "NoOp"),
)
_KINDS = ("Flow", "Flow", "Anti", "Output", "Ordered")
_LINES_AT_ONCE = 10_000


def write_stream(path: Path, instructions: int, *, last: str | None = None, seed: int = 1) -> None:
    """Writes a stream file of ``instructions`` lines; ``last`` replaces the opcode of the last but one."""
    rng = random.Random(seed)
    with path.open("w") as file:
        file.write(_HEAD)
        for begin in range(0, instructions, _LINES_AT_ONCE):
            end = min(begin + _LINES_AT_ONCE, instructions)
            lines = [_line(rng, k, last if k == instructions - 2 else None) for k in range(begin, end)]
            file.write((",\n" if begin else "") + ",\n".join(lines))
        file.write(_TAIL)


def _line(rng: random.Random, k: int, opcode: str | None) -> str:
    engine, usual = rng.choice(_MIX)
    back = rng.sample(range(1, FARTHEST_EDGE + 1), EDGES)
    edges = ",".join(f'["i{k - b}","{rng.choice(_KINDS)}"]' for b in back if b <= k)
    operand = f'{{"space":"PSUM","partitions":128,"elements":512,"dtype":"float32","bank":{rng.randrange(8)}}}'
    side = rng.choice(("ins", "outs"))
    return (
        f'{{"name":"i{k}","opcode":"{opcode or usual}","engine":"{engine}","{side}":[{operand}],'
        f'"dependencies":[{edges}],"cost":{rng.randrange(2000)}}}'
    )
