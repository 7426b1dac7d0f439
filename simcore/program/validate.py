"""Every fault of a program document, found by a plain walk over it: keys, types, words, ranges.

The rules about attributes, operands, and names and dependencies are in modules of their own (``validate_*``). This is
the slow, talkative twin of the checks in :mod:`simcore.program.columnise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simcore.program.codes import ENGINE_CODES, OPCODE_CODES
from simcore.program.faults import Fault, Faults, Path, keys_of, shown, subject_of
from simcore.program.generations import ARCH_NAMES, Generation, generation
from simcore.program.instruction import (
    SCHEMA,
    BlockRecord,
    FunctionRecord,
    Instruction,
    Origin,
    ProgramRecord,
)
from simcore.program.limits import (
    MAX_ARCH_VERSION,
    MAX_DIM,
    MAX_NESTING,
    MAX_RUNS,
)
from simcore.program.opcodes import TRANSFER_OPCODES, Opcode
from simcore.program.validate_attributes import Attributes
from simcore.program.validate_names import BlockNames
from simcore.program.validate_operands import Operands

_TRANSFER_NAMES = [o.name for o in sorted(TRANSFER_OPCODES)]
_LOOP_FORBIDS = ("cost", "ins", "outs", "queue")


def faults_of(document: Any) -> list[Fault]:
    """All faults of a program document (decoded JSON or YAML), in document order."""
    faults = Faults()
    program = faults.mapping(document, (), keys_of(ProgramRecord), ("schema", "name", "arch"))
    if program is None:
        return faults.found
    if "schema" in program:
        faults.word(program["schema"], ("schema",), (SCHEMA,), "schema")
    if "name" in program:
        faults.text(program["name"], ("name",))
    arch = faults.word(program["arch"], ("arch",), ARCH_NAMES, "arch") if "arch" in program else None
    if program.get("arch_version") is not None:
        faults.integer(program["arch_version"], ("arch_version",), 0, MAX_ARCH_VERSION)
    if "modular_flow_runs" in program:
        faults.integer(program["modular_flow_runs"], ("modular_flow_runs",), 1, MAX_RUNS)
    if program.get("origin") is not None:
        origin = faults.mapping(program["origin"], ("origin",), keys_of(Origin), ("source",))
        for key, value in (origin or {}).items():
            if value is not None or key == "source":
                faults.text(value, ("origin", key))
    checker = _Checker(faults, generation(arch) if arch else None)
    functions = faults.sequence(program.get("functions", []), ("functions",))
    _check_unique(functions, ("functions",), faults)
    for f, function in enumerate(functions):
        checker.function(function, ("functions", f))
    return faults.found


def _check_unique(values: Sequence[Any], path: Path, faults: Faults) -> None:
    seen: set[str] = set()
    for k, value in enumerate(values):
        name = value.get("name") if isinstance(value, dict) else None
        if isinstance(name, str) and name in seen:
            faults.add((*path, k, "name"), f"duplicate name {shown(name)} (names are unique among {path[-1]})")
        elif isinstance(name, str):
            seen.add(name)


class _Checker:
    def __init__(self, faults: Faults, gen: Generation | None) -> None:
        self.faults = faults
        self.generation = gen
        self.operands = Operands(faults, gen)
        self.attributes = Attributes(faults, gen)

    def function(self, value: Any, path: Path) -> None:
        function = self.faults.mapping(value, path, keys_of(FunctionRecord), ("name",))
        if function is None:
            return
        if "name" in function:
            self.faults.text(function["name"], (*path, "name"))
        blocks = self.faults.sequence(function.get("blocks", []), (*path, "blocks"))
        _check_unique(blocks, (*path, "blocks"), self.faults)
        for b, block in enumerate(blocks):
            self.block(block, (*path, "blocks", b))

    def block(self, value: Any, path: Path) -> None:
        block = self.faults.mapping(value, path, keys_of(BlockRecord), ("name",))
        if block is None:
            return
        if "name" in block:
            self.faults.text(block["name"], (*path, "name"))
        path = (*path, "instructions")
        names = BlockNames(path, self.faults)
        self.attributes.words = set()
        for i, instruction in enumerate(self.faults.sequence(block.get("instructions", []), path)):
            self.instruction(instruction, (*path, i), depth=0)
            names.add(instruction, i)
        names.finish()

    def instruction(self, value: Any, path: Path, *, depth: int, is_transfer: bool = False) -> None:
        faults = self.faults
        name = value.get("name") if isinstance(value, dict) else None
        faults.subject = subject_of(name)
        instruction = faults.mapping(value, path, keys_of(Instruction), ("name", "opcode", "engine"))
        if instruction is None:
            return
        if "name" in instruction:
            faults.text(instruction["name"], (*path, "name"))
        opcode = instruction.get("opcode")
        if "opcode" in instruction:
            opcode = faults.word(opcode, (*path, "opcode"), OPCODE_CODES, "opcode")
        if "engine" in instruction:
            faults.word(instruction["engine"], (*path, "engine"), ENGINE_CODES, "engine")
        self.attributes.check(instruction, path)
        self.operands.check(instruction, path)
        if is_transfer and opcode is not None and Opcode[opcode] not in TRANSFER_OPCODES:
            faults.add(
                (*path, "opcode"), f"opcode {opcode} cannot be a transfer (allowed: {', '.join(_TRANSFER_NAMES)})"
            )
        self.nested(instruction, opcode, path, depth, is_transfer)

    def nested(
        self, instruction: dict[str, Any], opcode: str | None, path: Path, depth: int, is_transfer: bool
    ) -> None:
        faults = self.faults
        for key, owner in (("transfer", "DMATrigger"), ("body", "Loop")):
            present = instruction.get(key) is not None
            if present and (opcode not in (owner, None) or is_transfer):
                faults.add((*path, key), f"{key} belongs to a {owner}, not to {opcode or 'a transfer'}", at_key=True)
            elif not present and opcode == owner and not is_transfer:
                faults.add(path, f'{owner} without {key} (a {owner} needs the key "{key}")')
        if instruction.get("trip_count") is not None:
            faults.integer(instruction["trip_count"], (*path, "trip_count"), 1, MAX_DIM)
            if opcode not in ("Loop", None) or is_transfer:
                faults.add(
                    (*path, "trip_count"), f"trip_count belongs to a Loop, not to {opcode or 'a transfer'}", at_key=True
                )
        if opcode == "Loop":
            for key in _LOOP_FORBIDS:
                if instruction.get(key) not in (None, [], ()):
                    faults.add((*path, key), f"a Loop has no {key} of its own", at_key=True)
            if depth == MAX_NESTING:
                faults.add(path, f"loops nest deeper than {MAX_NESTING}")
        if depth > MAX_NESTING:
            return
        if instruction.get("transfer") is not None and not is_transfer:
            self.instruction(instruction["transfer"], (*path, "transfer"), depth=depth + 1, is_transfer=True)
        if instruction.get("body") is not None and not is_transfer:
            for k, child in enumerate(faults.sequence(instruction["body"], (*path, "body"))):
                self.instruction(child, (*path, "body", k), depth=depth + 1)
