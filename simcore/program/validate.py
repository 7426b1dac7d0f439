"""Every fault of a program document, found by a plain walk over it: keys, types, words, ranges.

The rules about operands are in :mod:`simcore.program.validate_operands`, those about names and dependencies in
:mod:`simcore.program.validate_names`. This is the slow, talkative twin
of the checks in :mod:`simcore.program.columnise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simcore.program.codes import ENGINE_CODES, KIND_CODES, OPCODE_CODES
from simcore.program.columnise_fields import WORD_FIELDS
from simcore.program.faults import Fault, Faults, Path, keys_of, label, shown, subject_of
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
    MAX_COST_NS,
    MAX_DIM,
    MAX_NESTING,
    MAX_REGION,
    MAX_RUNS,
    MAX_STREAM,
    MAX_WORDS,
)
from simcore.program.opcodes import TRANSFER_OPCODES, Opcode
from simcore.program.validate_names import BlockNames
from simcore.program.validate_operands import Operands
from simcore.program.vocabulary import PERF_MODE_NAMES, QUEUE_COUNT, DgeType

_TRANSFER_NAMES = [o.name for o in sorted(TRANSFER_OPCODES)]
_FLAG_FIELDS = (
    "psum_writer",
    "is_local",
    "is_transpose",
    "accumulate",
    "acc",
    "is_tensor_tensor_scan",
    "is_scalar_tensor_tensor",
)
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
        self.words: set[str] = set()

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
        self.words = set()
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
        self.attributes(instruction, path)
        self.operands.check(instruction, path)
        if is_transfer and opcode is not None and Opcode[opcode] not in TRANSFER_OPCODES:
            faults.add(
                (*path, "opcode"), f"opcode {opcode} cannot be a transfer (allowed: {', '.join(_TRANSFER_NAMES)})"
            )
        self.nested(instruction, opcode, path, depth, is_transfer)

    def attributes(self, instruction: dict[str, Any], path: Path) -> None:
        faults = self.faults
        ranges = {
            "cost": MAX_COST_NS,
            "latency_estimate": MAX_COST_NS,
            "stream_id": MAX_STREAM,
            "queue": QUEUE_COUNT - 1,
        }
        for key, limit in ranges.items():
            if instruction.get(key) is not None:
                faults.integer(instruction[key], (*path, key), 0, limit)
        if "region" in instruction:
            faults.integer(instruction["region"], (*path, "region"), 0, MAX_REGION)
        banks = self.generation.psum_banks if self.generation else 8
        for key in ("psum_reads", "psum_writes"):
            if instruction.get(key) is not None:
                for k, bank in enumerate(faults.sequence(instruction[key], (*path, key))):
                    faults.integer(bank, (*path, key, k), 0, banks - 1)
        for key in _FLAG_FIELDS:
            if key in instruction:
                faults.boolean(instruction[key], (*path, key))
        for key in ("source", *WORD_FIELDS):
            if instruction.get(key) is not None:
                word = faults.text(instruction[key], (*path, key))
                if word is not None and key != "source" and instruction.get("opcode") != Opcode.Loop.name:
                    self.word(word, (*path, key))
        if instruction.get("constant") is not None:
            faults.real(instruction["constant"], (*path, "constant"))
        kind = instruction.get("kind")
        if kind is not None and (isinstance(kind, (bool, float, list, dict)) or kind not in KIND_CODES):
            names = [k for k in KIND_CODES if isinstance(k, str)]
            faults.word(kind, (*path, "kind"), names, "collective kind", f"or 0 to {len(names) - 1}")
        if instruction.get("perf_mode") is not None:
            faults.word(instruction["perf_mode"], (*path, "perf_mode"), PERF_MODE_NAMES, "perf_mode")
        if instruction.get("dge_type") is not None:
            dge = faults.word(instruction["dge_type"], (*path, "dge_type"), [d.name for d in DgeType], "dge_type")
            if dge == "hwdge" and self.generation is not None and not self.generation.has_hwdge:
                where = self.generation.name
                faults.add((*path, "dge_type"), f"hwdge does not exist on {where} (allowed: none, swdge)")

    def word(self, word: str, path: Path) -> None:
        if word not in self.words and len(self.words) == MAX_WORDS:
            message = f"{shown(word)} is one word too many (allowed: {MAX_WORDS} different words in a block)"
            self.faults.add(path, f"{label(path)}: {message}")
        else:
            self.words.add(word)

    def nested(
        self, instruction: dict[str, Any], opcode: str | None, path: Path, depth: int, is_transfer: bool
    ) -> None:
        faults = self.faults
        for key, owner in (("transfer", "DMATrigger"), ("body", "Loop")):
            present = instruction.get(key) is not None
            if present and (opcode not in (owner, None) or is_transfer):
                faults.add((*path, key), f"{key} belongs to a {owner}, not to {opcode}", at_key=True)
            elif not present and opcode == owner and not is_transfer:
                faults.add(path, f'{owner} without {key} (a {owner} needs the key "{key}")')
        if instruction.get("trip_count") is not None:
            faults.integer(instruction["trip_count"], (*path, "trip_count"), 1, MAX_DIM)
            if opcode not in ("Loop", None) or is_transfer:
                faults.add((*path, "trip_count"), f"trip_count belongs to a Loop, not to {opcode}", at_key=True)
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
