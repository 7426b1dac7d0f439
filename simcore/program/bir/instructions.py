"""Instructions: the header that all share, the keys of single opcodes, loop bodies and the transfers of triggers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simcore.errors import hint
from simcore.program.bir.access import Scope
from simcore.program.bir.attributes import read_attributes
from simcore.program.bir.extension import INSTRUCTION_FIELDS, apply_extension
from simcore.program.bir.findings import Findings
from simcore.program.bir.loops import AXIS_KEYS, DYNAMIC_LOOPS, read_trip_count
from simcore.program.bir.lowered_dma import Queues, read_transfer
from simcore.program.bir.source import read_source
from simcore.program.edges import EdgeKind
from simcore.program.engines import Engine
from simcore.program.faults import kind_of, shown
from simcore.program.instruction import Dependency, Instruction
from simcore.program.limits import MAX_NESTING
from simcore.program.opcodes import Opcode

OPCODES = tuple(o.name for o in Opcode)
ENGINES = tuple(e.name for e in Engine)
EDGE_KINDS = tuple(k.name for k in EdgeKind)


@dataclass(frozen=True, slots=True)
class InstructionReader:
    """Reads the instructions of one function."""

    scope: Scope
    queues: Queues

    def block(self, path: str, block: Mapping[str, Any], depth: int = 0) -> list[Instruction]:
        """The instructions of a block at ``path``, ``depth`` loops deep."""
        values = self.scope.found.sequence(path, "instructions", block.get("instructions"))
        read = [self._instruction(f"{path}.instructions[{k}]", value, depth) for k, value in enumerate(values)]
        return [i for i in read if i is not None]

    def _instruction(self, path: str, value: Any, depth: int) -> Instruction | None:
        found = self.scope.found
        keys = found.mapping(path, "instruction", value)
        if keys is None:
            return None
        name = found.text(path, "name", _name(keys))
        where = f"instruction {name}" if name else path
        opcode = found.word(where, "", "opcode", keys.get("opcode"), OPCODES)
        if opcode is None:
            opcode = Opcode.NoOp.name
        is_loop = opcode == Opcode.Loop.name or (opcode in DYNAMIC_LOOPS and "blocks" in keys)
        instruction = Instruction(
            name=name or path,
            opcode=Opcode.Loop.name if is_loop else opcode,
            engine=_engine(found, where, keys, is_loop),
            dependencies=read_dependencies(found, where, keys),
            **read_fields(found, where, opcode, keys),
        )
        if is_loop:
            instruction.body = self._body(where, path, keys, depth)
        else:
            instruction.ins = [a.operand for a in self.scope.read_accesses(where, "ins", keys)]
            instruction.outs = [a.operand for a in self.scope.read_accesses(where, "outs", keys)]
        apply_extension(found, where, "", keys, instruction, INSTRUCTION_FIELDS)
        if opcode == Opcode.DMATrigger.name:
            instruction.transfer = read_transfer(self.scope, self.queues, where, instruction, keys)
        return instruction

    def _body(self, where: str, path: str, keys: Mapping[str, Any], depth: int) -> list[Instruction]:
        """The instructions of all blocks of a loop, in order."""
        found = self.scope.found
        if depth >= MAX_NESTING:
            found.problem(where, f"loops nest deeper than {MAX_NESTING}")
            return []
        body: list[Instruction] = []
        for b, value in enumerate(found.sequence(where, "blocks", keys.get("blocks"))):
            block = found.mapping(f"{path}.blocks[{b}]", "block", value)
            if block is not None:
                body.extend(self.block(f"{path}.blocks[{b}]", block, depth + 1))
        return body


def read_fields(found: Findings, where: str, opcode: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """What the BIR keys of an instruction say about its fields, but for its header, operands and inner instructions."""
    fields = read_attributes(found, where, opcode, keys)
    fields["source"] = read_source(found, where, keys)
    if opcode == Opcode.Loop.name or (opcode in DYNAMIC_LOOPS and "blocks" in keys):
        fields["trip_count"] = read_trip_count(found, where, opcode, keys)
    if isinstance(groups := keys.get("replica_groups"), list) and len(groups) > 1:
        found.note(where, f"{len(groups)} replica_groups are not read; devices that run together are one group")
    return fields


def read_dependencies(found: Findings, where: str, keys: Mapping[str, Any]) -> list[Dependency | str]:
    """``(producer, kind name)`` for entries ``[name, kind]``, ``{name or id, kind}`` and bare names (Flow)."""
    edges: list[Dependency | str] = []
    for k, entry in enumerate(found.sequence(where, "dependencies", keys.get("dependencies", []))):
        at = f"dependencies[{k}]"
        name: Any
        kind: Any
        if isinstance(entry, str):
            name, kind = entry, EdgeKind.Flow.name
        elif isinstance(entry, list) and len(entry) == 2:
            name, kind = entry
        elif isinstance(entry, dict):
            name, kind = entry.get("name", entry.get("id")), entry.get("kind", EdgeKind.Flow.name)
        else:
            found.problem(where, f"{at}: expected a name, [name, kind] or {{name, kind}}, got {kind_of(entry)}")
            continue
        producer, word = found.text(where, at, name), _edge_kind(found, where, at, kind)
        if producer is not None and word is not None:
            edges.append((producer, word))
    return edges


def _edge_kind(found: Findings, where: str, at: str, kind: Any) -> str | None:
    if type(kind) is int and kind in set(EdgeKind):
        return EdgeKind(kind).name
    if isinstance(kind, str) and kind in EDGE_KINDS:
        return kind
    got = shown(kind) if isinstance(kind, str) or type(kind) is int else kind_of(kind)
    found.problem(where, f"{at}: unknown dependency kind {got} {hint(kind, EDGE_KINDS)}")
    return None


def _name(keys: Mapping[str, Any]) -> Any:
    """An instruction's name; a loop may have only its axis's."""
    name, axis = keys.get("name"), keys.get(AXIS_KEYS.get(str(keys.get("opcode")), ""))
    return axis.get("name") if name is None and isinstance(axis, dict) else name


def _engine(found: Findings, where: str, keys: Mapping[str, Any], is_loop: bool) -> str:
    """The engine's name; a loop need not have one."""
    if is_loop and keys.get("engine") is None:
        return Engine.Unassigned.name
    return found.word(where, "", "engine", keys.get("engine"), ENGINES) or Engine.Unassigned.name
