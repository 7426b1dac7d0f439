"""Memory for the operands of a function: allocations that give back every operand's space, place and tensor.

A record has no allocations, so they are made: one per tensor and space, in it one location per address and bank, as
wide and as deep as the largest access to it. Operands without a tensor share one allocation per space.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from simcore.program.banks import span_bytes
from simcore.program.bir.access import Scope
from simcore.program.bir.extension import KEY, OPERAND_FIELDS, extension
from simcore.program.bir.findings import Findings
from simcore.program.bir.memory import ON_CHIP, read_memory
from simcore.program.dtypes import DType
from simcore.program.instruction import Operand

ROW_ALIGNMENT_BYTES = 8
"""Rows hold whole elements of every dtype."""

_Tensor = tuple[str | None, str]
_Place = tuple[int | None, int | None]


@dataclass(slots=True)
class _Location:
    name: str
    dtype: str
    partitions: int = 1
    row_bytes: int = ROW_ALIGNMENT_BYTES


@dataclass(slots=True)
class MemoryWriter:
    """Allocations for ``operands``, and the BIR form of each of them."""

    allocations: list[dict[str, Any]]
    _locations: dict[_Tensor, dict[_Place, _Location]]
    _scope: Scope = field(init=False)

    @classmethod
    def of(cls, operands: Iterable[Operand]) -> MemoryWriter:
        """Plans the memory of a function that has these operands."""
        listed = list(operands)
        taken = {o.tensor for o in listed if o.tensor is not None}
        locations: dict[_Tensor, dict[_Place, _Location]] = {}
        names: set[str] = set()
        for operand in listed:
            places = locations.setdefault((operand.tensor, operand.space), {})
            place = _place(operand)
            if place not in places:
                places[place] = _Location(_fresh(operand, taken, names), operand.dtype)
            location = places[place]
            location.partitions = max(location.partitions, operand.partitions)
            location.row_bytes = max(location.row_bytes, _row_bytes(operand))
        return cls([_allocation(tensor, places) for tensor, places in locations.items()], locations)

    def __post_init__(self) -> None:
        silent = Findings("")
        self._scope = Scope(silent, read_memory(silent, "", {"allocations": self.allocations}), {})

    def operand(self, operand: Operand) -> dict[str, Any]:
        """``operand`` as BIR, with a ``kernbench`` object for what its access pattern cannot say."""
        places = self._locations[operand.tensor, operand.space]
        location, allocation = places[_place(operand)], next(iter(places.values()))
        pitch = location.row_bytes // DType[operand.dtype].nbytes
        free = operand.free or [(1, max(operand.elements, 1))]
        written: dict[str, Any] = {
            "kind": "symbolic_ap" if operand.symbolic else "physical_ap",
            "ap": [[pitch, operand.partitions], *([step, num] for step, num in free)],
            "dtype": operand.dtype,
            "memsetref": _set_name(allocation),
        }
        if operand.symbolic:
            written["addrs"] = []
        else:
            written |= {"memref": location.name, "offset": 0}
        read_back = self._scope.read_access("", "", written)
        if read_back is not None:
            written |= extension(operand, read_back.operand, OPERAND_FIELDS)
        return written


def _place(operand: Operand) -> _Place:
    return (None, None) if operand.symbolic else (operand.addr, operand.bank)


def _row_bytes(operand: Operand) -> int:
    span = span_bytes(operand.elements, DType[operand.dtype].nbytes, operand.free)
    return -(-span // ROW_ALIGNMENT_BYTES) * ROW_ALIGNMENT_BYTES


def _fresh(operand: Operand, taken: set[str], names: set[str]) -> str:
    """A location's name: the tensor's the first time, then numbered names that no tensor and no location has."""
    name = base = operand.tensor or operand.space.lower()
    count = 0
    while name in names or (name in taken and name != operand.tensor):
        count += 1
        name = f"{base}.{count}"
    names.add(name)
    return name


def _set_name(first: _Location) -> str:
    return f"{first.name}_set"


def _allocation(tensor: _Tensor, places: dict[_Place, _Location]) -> dict[str, Any]:
    name, space = tensor
    first = next(iter(places.values()))
    allocation: dict[str, Any] = {
        "Skind": "memory_location_set",
        "name": _set_name(first),
        "addr_space": "Local",
        "dtype": first.dtype,
        "partition_dim": 0,
        "tensor_shape": [first.partitions, first.row_bytes // DType[first.dtype].nbytes],
        "kind": "Internal",
        "memorylocations": [_memory_location(space, place, location) for place, location in places.items()],
    }
    if any(location.name != name for location in places.values()):
        allocation[KEY] = {"tensor": name}
    return allocation


def _memory_location(space: str, place: _Place, location: _Location) -> dict[str, Any]:
    addr, bank = place
    rows, row_bytes = location.partitions, location.row_bytes
    keys: dict[str, Any] = {
        "Skind": "memory_location",
        "name": location.name,
        "type": space,
        "dims": [rows, row_bytes] if space in ON_CHIP else [rows * row_bytes],
        "base": 0,
        "allocated": addr is not None,
    }
    if addr is not None:
        keys["addr"] = addr
    if bank is not None:
        keys["bank"] = bank
    return keys
