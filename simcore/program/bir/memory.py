"""Allocations: the memory locations that operands name, and the sets that gather the locations of one tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simcore.program.bir.extension import KEY
from simcore.program.bir.findings import Findings
from simcore.program.vocabulary import Space

SPACES = tuple(s.name for s in Space)
"""Memory types by name, as ``type`` of a location spells them."""

ON_CHIP = (Space.SB.name, Space.PSUM.name)
"""Memory types whose patterns have a partition dimension."""


@dataclass(frozen=True, slots=True)
class MemoryLocation:
    """A place: ``addr`` bytes into a partition (into the memory, off chip) and, in PSUM, from bank ``|bank|`` on.

    ``row_bytes`` is the size of one partition's part, None off chip or when ``dims`` does not give it;
    ``first_partition`` is its ``base``; ``tensor`` is the name that operands carry on.
    """

    space: str
    tensor: str | None
    addr: int | None = None
    bank: int | None = None
    row_bytes: int | None = None
    first_partition: int = 0


@dataclass(frozen=True, slots=True)
class MemorySet:
    """The locations of one allocation by name, in order."""

    tensor: str | None
    locations: dict[str, MemoryLocation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Memory:
    """One function's allocations."""

    sets: dict[str, MemorySet] = field(default_factory=dict)
    locations: dict[str, MemoryLocation] = field(default_factory=dict)

    def location(self, name: str, set_name: Any) -> MemoryLocation | None:
        """The location called ``name``, looked up in its set first: names are unique only there."""
        if isinstance(set_name, str) and set_name in self.sets and name in self.sets[set_name].locations:
            return self.sets[set_name].locations[name]
        return self.locations.get(name)


def read_memory(found: Findings, path: str, function: Mapping[str, Any]) -> Memory:
    """The allocations of ``function`` (an object at ``path``); registers are left aside."""
    memory = Memory()
    for k, value in enumerate(found.sequence(path, "allocations", function.get("allocations", []))):
        here = f"{path}.allocations[{k}]"
        allocation = found.mapping(here, "allocation", value)
        if allocation is None or allocation.get("Skind") == "register":
            continue
        name = found.text(here, "name", allocation.get("name"))
        where = f"allocation {name}" if name else here
        if "type" in allocation and "memorylocations" not in allocation:
            _add_location(found, where, allocation, MemorySet(name), memory)
            continue
        members = MemorySet(_tensor_of(found, where, allocation, name))
        if name in memory.sets:
            found.problem(where, "declared twice (names of allocations are unique in a function)")
        if name:
            memory.sets[name] = members
        for entry in found.sequence(where, "memorylocations", allocation.get("memorylocations")):
            location = found.mapping(where, "memory location", entry)
            if location is not None:
                _add_location(found, where, location, members, memory, named=KEY in allocation)
    return memory


def _tensor_of(found: Findings, where: str, allocation: Mapping[str, Any], name: str | None) -> str | None:
    """The tensor's name: the ``kernbench`` object's, or the set's without the ending that sets have."""
    if KEY not in allocation:
        return name.removesuffix("_set") if name else None
    extension = found.mapping(where, KEY, allocation[KEY])
    if extension is None or set(extension) != {"tensor"} or not isinstance(extension["tensor"], (str, type(None))):
        found.problem(where, f'{KEY}: expected one key "tensor" with a name or null')
        return None
    tensor: str | None = extension["tensor"]
    return tensor


def _add_location(
    found: Findings,
    where: str,
    value: Mapping[str, Any],
    members: MemorySet,
    memory: Memory,
    *,
    named: bool = False,
) -> None:
    name = found.text(where, "memory location: name", value.get("name"))
    if name is None:
        return
    if name in members.locations:
        found.problem(where, f'memory location "{name}" is declared twice')
    at = f"memory location {name}"
    space = found.word(where, at, "memory type", value.get("type"), SPACES) or Space.Unallocated.name
    numbers = {
        key: found.integer(where, f"{at}: {key}", value[key], low)
        for key, low in (("addr", 0), ("bank", None), ("base", 0))
        if value.get(key) is not None
    }
    location = MemoryLocation(
        space=space,
        tensor=members.tensor if named else name,
        addr=numbers.get("addr"),
        bank=numbers.get("bank"),
        row_bytes=_row_bytes(found, where, at, value.get("dims"), space),
        first_partition=numbers.get("base") or 0,
    )
    members.locations[name] = location
    memory.locations.setdefault(name, location)


def _row_bytes(found: Findings, where: str, at: str, dims: Any, space: str) -> int | None:
    """``dims`` is [partitions, bytes per partition] on chip; elsewhere its product is the size."""
    if dims is None:
        return None
    sizes = [found.integer(where, f"{at}: dims[{k}]", d, 0) for k, d in enumerate(found.sequence(where, at, dims))]
    return sizes[1] if space in ON_CHIP and len(sizes) == 2 else None
