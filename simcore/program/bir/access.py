"""Operands: access patterns to operands of a record, for every operand kind of BIR.

A pattern is ``[[step, num], ...]`` in elements, partitions first. On chip the partition step is the row pitch, so
``offset`` divides into a first partition and a column; off chip patterns are linear.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simcore.program.bir.expressions import constant_value
from simcore.program.bir.extension import OPERAND_FIELDS, apply_extension
from simcore.program.bir.findings import Findings
from simcore.program.bir.memory import ON_CHIP, Memory, MemoryLocation
from simcore.program.dtypes import DType
from simcore.program.generations import PSUM_BANK_BYTES, SBUF_PARTITIONS
from simcore.program.instruction import Operand
from simcore.program.vocabulary import Space

DTYPES = tuple(d.name for d in DType)

SYMBOLIC_KINDS = ("symbolic_ap", "symbolic_pwap", "register_ap")
"""Patterns whose addresses are known only at run time: they do not count for a cost."""

VALUE_KINDS = ("imm_value", "symbolic_imm_value", "imm_array", "register_access")
"""Operands that access no memory: nothing of them is kept, but see ``constant`` of a Memset."""

OPERAND_KINDS = ("physical_ap", *SYMBOLIC_KINDS, *VALUE_KINDS)


@dataclass(frozen=True, slots=True)
class Access:
    """An operand and the first partition it lies in (None off chip and for symbolic patterns)."""

    operand: Operand
    first_partition: int | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What operand names resolve in: the function's own memory, and every function's by its name."""

    found: Findings
    memory: Memory
    memories: Mapping[str, Memory]

    def read_accesses(self, where: str, key: str, holder: Mapping[str, Any]) -> list[Access]:
        """The accesses of ``holder[key]`` (``ins`` or ``outs``; absent means none), immediates left out."""
        values = self.found.sequence(where, key, holder.get(key, []))
        accesses = [self.read_access(where, f"{key}[{k}]", value) for k, value in enumerate(values)]
        return [a for a in accesses if a is not None]

    def read_access(self, where: str, at: str, value: Any) -> Access | None:
        """The access of one operand; None for an immediate, and for a faulty operand."""
        operand = self.found.mapping(where, at, value)
        if operand is None:
            return None
        kind = self.found.word(where, at, "operand kind", operand.get("kind"), OPERAND_KINDS)
        if kind is None or kind in VALUE_KINDS:
            return None
        dtype = self.found.word(where, at, "dtype", operand.get("dtype"), DTYPES)
        read = self._physical if kind == "physical_ap" else self._symbolic
        access = read(where, at, operand, dtype or DType.uint8.name)
        if access is not None:
            apply_extension(self.found, where, at, operand, access.operand, OPERAND_FIELDS)
        return access

    def _physical(self, where: str, at: str, value: Mapping[str, Any], dtype: str) -> Access | None:
        pairs = self._pairs(where, at, value)
        offset = self.found.integer(where, f"{at}: offset", value.get("offset", 0), 0)
        location = self._location(where, at, value)
        if pairs is None or offset is None or location is None:
            return None
        element_bytes = DType[dtype].nbytes
        row, column = 0, offset
        if location.space in ON_CHIP:
            pitch = (location.row_bytes or 0) // element_bytes
            if pitch == 0:
                self.found.problem(
                    where,
                    f'{at}: memory location "{value.get("memref") or value.get("memsetref")}" has no row of {dtype} '
                    "(allowed: dims of [partitions, bytes per partition])",
                )
                return None
            row, column = divmod(offset, pitch)
        if location.space not in ON_CHIP:
            pairs = _within_partitions(pairs)
        (partition_step, partitions), free = pairs[0], pairs[1:]
        if partition_step < 0 and location.space in ON_CHIP:
            row = (offset + partition_step * (partitions - 1)) // pitch
        column += sum(step * (num - 1) for step, num in free if step < 0)
        if column < 0:
            self.found.problem(where, f"{at}: the pattern reaches before its memory location")
            return None
        operand = Operand(
            space=location.space,
            partitions=partitions,
            elements=math.prod(num for _, num in free),
            dtype=dtype,
            addr=None if location.addr is None else location.addr + column * element_bytes,
            bank=_first_bank(location, column * element_bytes),
            free=_strided(free),
            tensor=location.tensor,
        )
        return Access(operand, location.first_partition + row if location.space in ON_CHIP else None)

    def _symbolic(self, where: str, at: str, value: Mapping[str, Any], dtype: str) -> Access | None:
        """Shape and tensor of a pattern; counts that vary are taken from ``access_shape``."""
        pairs = value.get("ap", [])
        if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            self.found.problem(where, f"{at}: ap: expected a list of [step, num] pairs")
            return None
        counts = [constant_value(num) for _, num in pairs]
        if not counts or None in counts:
            shape = self.found.sequence(where, f"{at}: access_shape", value.get("access_shape", []))
            counts = [constant_value(n) for n in shape]
        known = [n for n in counts if n is not None and n >= 1]
        if not known or len(known) != len(counts):
            self.found.problem(where, f"{at}: counts in neither ap nor access_shape (allowed: integers from 1 on)")
            return None
        space, tensor = self._set(where, at, value)
        free = [(constant_value(step), num) for (step, _), num in zip(pairs[1:], known[1:], strict=False)]
        if space not in ON_CHIP and known[0] > SBUF_PARTITIONS:
            (_, partitions), (_, rest) = _within_partitions([(0, known[0])])
            known, free = [partitions, rest, *known[1:]], [(None, rest), *free]
        fixed = [(step, num) for step, num in free if step is not None]
        operand = Operand(
            space=space,
            partitions=known[0],
            elements=math.prod(known[1:]),
            dtype=dtype,
            free=_strided(fixed) if len(fixed) == len(known) - 1 else None,
            symbolic=True,
            tensor=tensor,
        )
        return Access(operand)

    def _pairs(self, where: str, at: str, value: Mapping[str, Any]) -> list[tuple[int, int]] | None:
        """The pattern of a physical operand, or None and problems."""
        given = self.found.sequence(where, f"{at}: ap", value.get("ap"))
        if given == [] and value.get("ap") == []:
            self.found.problem(where, f"{at}: ap: an empty pattern (allowed: [[step, num], ...], partitions first)")
        pairs = [(pair[0], pair[1]) for pair in given if _is_pair(pair)]
        if pairs and len(pairs) == len(given):
            return pairs
        for k, pair in enumerate(given):
            if not isinstance(pair, list) or len(pair) != 2:
                self.found.problem(where, f"{at}: ap[{k}]: expected a [step, num] pair")
            elif not _is_pair(pair):
                self.found.integer(where, f"{at}: ap[{k}]: step", pair[0])
                self.found.integer(where, f"{at}: ap[{k}]: num", pair[1], 1)
        return None

    def _memory(self, where: str, at: str, value: Mapping[str, Any]) -> Memory:
        owner = value.get("memref_owner_func")
        if owner is None or owner == "":
            return self.memory
        name = self.found.word(where, f"{at}: memref_owner_func", "function", owner, tuple(self.memories))
        return self.memory if name is None else self.memories[name]

    def _location(self, where: str, at: str, value: Mapping[str, Any]) -> MemoryLocation | None:
        """What ``memref`` names or, without one, the only location of ``memsetref``."""
        memory, name, set_name = self._memory(where, at, value), value.get("memref"), value.get("memsetref")
        if isinstance(name, str) and name:
            location = memory.location(name, set_name)
            if location is None:
                self.found.unresolved(where, f"{at}: memref", "memory location", name, memory.locations)
            return location
        if isinstance(set_name, str) and set_name:
            members = memory.sets.get(set_name)
            if members is None:
                self.found.unresolved(where, f"{at}: memsetref", "allocation", set_name, memory.sets)
            elif len(members.locations) != 1:
                self.found.problem(where, f'{at}: "{set_name}" has {len(members.locations)} memory locations: name one')
            else:
                return next(iter(members.locations.values()))
            return None
        self.found.problem(where, f"{at}: missing memref (the name of a memory location)")
        return None

    def _set(self, where: str, at: str, value: Mapping[str, Any]) -> tuple[str, str | None]:
        """Space and tensor of what a symbolic operand names; ``Unallocated`` if it names nothing."""
        memory, set_name = self._memory(where, at, value), value.get("memsetref")
        if not isinstance(set_name, str) or not set_name:
            if value.get("memref"):
                location = self._location(where, at, value)
                return (Space.Unallocated.name, None) if location is None else (location.space, location.tensor)
            return Space.Unallocated.name, None
        members = memory.sets.get(set_name)
        if members is None:
            self.found.unresolved(where, f"{at}: memsetref", "allocation", set_name, memory.sets)
            return Space.Unallocated.name, None
        spaces = [location.space for location in members.locations.values()]
        return spaces[0] if spaces else Space.Unallocated.name, members.tensor


def _is_pair(pair: Any) -> bool:
    """True for an integer step and an integer count from 1 on."""
    return isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int and type(pair[1]) is int and pair[1] >= 1


def _first_bank(location: MemoryLocation, column_bytes: int) -> int | None:
    """The bank an access begins in; the location itself may begin inside its bank."""
    if location.space != Space.PSUM.name or location.bank is None:
        return None
    return abs(location.bank) + ((location.addr or 0) % PSUM_BANK_BYTES + column_bytes) // PSUM_BANK_BYTES


def _strided(free: Sequence[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """The free pattern unless it is contiguous. A backward step covers the same bytes as a forward one."""
    forward = [(abs(step), num) for step, num in free]
    expected = 1
    for step, num in reversed(forward):
        if num != 1 and step != expected:
            return forward
        expected *= num
    return None


def _within_partitions(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A DRAM pattern whose first count is one that partitions can have: its largest divisor up to 128.

    The rest of the count becomes the outermost free dimension. A first pair in DRAM means nothing but the first pair,
    and may count all elements.
    """
    (step, num), *free = pairs
    if num <= SBUF_PARTITIONS:
        return pairs
    partitions = next(d for d in range(SBUF_PARTITIONS, 0, -1) if num % d == 0)
    return [(step * (num // partitions), partitions), (step, num // partitions), *free]
