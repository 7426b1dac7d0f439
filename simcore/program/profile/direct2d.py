"""The operand text of a DMA_DIRECT2D instruction: one transfer between two patterns of equal runs.

``src_pattern=[512,262144][4,128]`` means runs of ``src_elem_size`` bytes at 4 x 128 places, steps in bytes, innermost
first. A step of 0x40000 goes from partition to partition. Addresses are immediate, or an entry of the run-time's table
of kernel inputs and outputs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from simcore.program.profile.memory_map import PARTITION_PITCH
from simcore.program.profile.operand_text import OperandText

_PATTERN = re.compile(r"\[(\d{1,12}(?:,\d{1,12})*)\]\[(\d{1,12}(?:,\d{1,12})*)\]")


@dataclass(frozen=True, slots=True)
class Side:
    """Source or destination: ``run_bytes`` contiguous bytes at each place of the pattern (bytes, innermost first).

    ``address`` or ``table`` (index, offset) says where; both None if the text says it in another way.
    """

    run_bytes: int
    steps: tuple[int, ...]
    counts: tuple[int, ...]
    address: int | None
    table: tuple[int, int] | None

    @property
    def nbytes(self) -> int:
        """All bytes of the pattern."""
        return self.run_bytes * prod(self.counts)

    @property
    def partition_dims(self) -> frozenset[int]:
        """Which dimensions go from partition to partition, if this side is on chip."""
        return frozenset(k for k, s in enumerate(self.steps) if s % PARTITION_PITCH == 0 and self.counts[k] > 1)


@dataclass(frozen=True, slots=True)
class Direct2D:
    """A transfer. The dtypes are given only when it converts; it raises ``semaphore`` by ``increment`` in all."""

    src: Side
    dst: Side
    in_dtype: str | None
    out_dtype: str | None
    semaphore: int
    increment: int


def parse_direct2d(text: OperandText, faults: list[str]) -> Direct2D | None:
    """The transfer that ``text`` describes, or None and a message in ``faults`` for each missing or odd piece."""
    before = len(faults)
    src, dst = _side("src", text, faults), _side("dst", text, faults)
    semaphore = _number("semaphore", text, faults)
    known = len(faults)
    increment = _number("sem_increment", text, faults)
    if not increment and len(faults) == known:
        faults.append('operand "sem_increment=0" raises no semaphore (allowed: 1 or more)')
    if src is None or dst is None or len(faults) > before:
        return None
    return Direct2D(src, dst, text.attributes.get("in_dtype"), text.attributes.get("out_dtype"), semaphore, increment)


def _side(name: str, text: OperandText, faults: list[str]) -> Side | None:
    run_bytes = _number(f"{name}_elem_size", text, faults)
    pattern = text.attributes.get(f"{name}_pattern")
    match = _PATTERN.fullmatch(pattern) if pattern is not None else None
    if match is None:
        got = "is missing" if pattern is None else f'"{pattern}" not understood'
        faults.append(f"operand {name}_pattern {got} (allowed: [steps][counts])")
        return None
    steps = tuple(int(n) for n in match[1].split(","))
    counts = tuple(int(n) for n in match[2].split(","))
    if len(steps) != len(counts) or 0 in counts or run_bytes == 0:
        faults.append(f"operand {name}_pattern {pattern} with runs of {run_bytes} bytes does not fit together")
        return None
    address = _number(f"{name}_addr_imm", text, faults) if f"{name}_addr_imm" in text.attributes else None
    table = None
    if f"{name}_table_index" in text.attributes:
        table = (_number(f"{name}_table_index", text, faults), _number(f"{name}_table_offset_imm", text, faults))
    return Side(run_bytes, steps, counts, address, table)


def _number(key: str, text: OperandText, faults: list[str]) -> int:
    value = text.attributes.get(key)
    if value is None:
        faults.append(f"operand {key} is missing")
        return 0
    try:
        number = int(value, 0)
    except ValueError:
        number = -1
    if number < 0:
        faults.append(f'operand "{key}={value}" is not a number (allowed: decimal or 0x...)')
        return 0
    return number
