"""The kernel's hardware instructions, read row by row from the instruction table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simcore.errors import hint
from simcore.program.faults import Faults, Path, shown
from simcore.program.profile.direct2d import Direct2D, parse_direct2d
from simcore.program.profile.element_types import ELEMENT_TYPES
from simcore.program.profile.opcode_map import DMA_TRIGGER, EDGE_KINDS, ENGINE_LANES, HARDWARE_OPCODES
from simcore.program.profile.operand_text import OperandText, parse_operands
from simcore.program.profile.tables import TIME_LIMIT_NS, Tables, whole

_ID_LIMIT = 2**64 - 1
_TEXT_KEYS = ("opcode", "label", "operands", "subgraph")
_SPACES = {"hbm": "DRAM", "sbuf": "SB", "psum": "PSUM"}


@dataclass(frozen=True, slots=True)
class HardwareInstruction:
    """One row. ``name`` and ``compiler_id`` are the compiler's; ``engine`` is a lane name; ``reads`` and ``writes``
    are the memory spaces whose bytes the profiler counted; ``producers`` are (instruction id, EdgeKind name)."""

    id: int
    name: str
    compiler_id: str
    opcode: str
    transposes: bool
    label: str
    engine: str
    subgraph: str
    pc: int
    start_ns: int
    duration_ns: int
    event_wait_ns: int | None
    text: str
    operands: OperandText
    transfer: Direct2D | None
    activation: str | None
    source: str | None
    reads: frozenset[str]
    writes: frozenset[str]
    producers: tuple[tuple[int, str], ...]

    @property
    def end_ns(self) -> int:
        """When it completed."""
        return self.start_ns + self.duration_ns


def read_kernel(tables: Tables) -> tuple[list[HardwareInstruction], int]:
    """(the instructions with a compiler id, by start; how many rows had none). Faults go to ``tables.faults``."""
    faults, kernel, others = tables.faults, [], 0
    seen: dict[int, Path] = {}
    for path, row in tables.rows("instruction"):
        name, compiler_id = row.get("bir_instruction_name"), row.get("bir_id")
        if not name and not compiler_id:
            others += 1
            continue
        faults.subject = f"instruction {name or compiler_id} (id {shown(row.get('id'))})"
        instruction = _read(row, path, faults)
        if instruction is not None:
            if instruction.id in seen:
                faults.add((*path, "id"), f"id: also that of instruction[{seen[instruction.id][1]}] (ids are unique)")
            seen[instruction.id] = path
            kernel.append(instruction)
    faults.subject = None
    if not kernel and not faults.found:
        faults.add(
            ("instruction",), "no instruction has a compiler id (bir_id or bir_instruction_name): no kernel here"
        )
    kernel.sort(key=lambda i: (i.start_ns, i.pc, i.id))
    return kernel, others


def _read(row: dict[str, Any], path: Path, faults: Faults) -> HardwareInstruction | None:
    before = len(faults.found)
    names = [row.get(key) or None for key in ("bir_instruction_name", "bir_id")]
    for key, value in zip(("bir_instruction_name", "bir_id"), names, strict=True):
        if value is not None:
            faults.text(value, (*path, key))
    texts = {key: _text(row, key, path, faults) for key in _TEXT_KEYS}
    numbers = {key: whole(faults, row, key, path, _ID_LIMIT) for key in ("id", "pc")}
    times = {key: whole(faults, row, key, path, TIME_LIMIT_NS) for key in ("timestamp", "duration")}
    wait = whole(faults, row, "evt_wait_time", path, TIME_LIMIT_NS) if row.get("evt_wait_time") is not None else None
    if texts["opcode"] is not None:
        faults.word(texts["opcode"], (*path, "opcode"), HARDWARE_OPCODES, "hardware opcode")
    if texts["label"] is not None:
        faults.word(texts["label"], (*path, "label"), ENGINE_LANES, "engine label")
    operands, transfer = _operands(texts["operands"], texts["opcode"], path, faults)
    producers = _producers(row.get("predecessors"), path, faults)
    reads, writes = _spaces(row, "read", path, faults), _spaces(row, "write", path, faults)
    if transfer is not None and len(faults.found) == before and (len(reads) != 1 or len(writes) != 1):
        faults.add(
            path,
            "where the transfer reads and writes is not certain: of hbm, sbuf and psum exactly one needs _read_bytes "
            "and one _write_bytes",
        )
    activation, source = (_said(row, key, path, faults) for key in ("activation_fn", "nki_source_location"))
    if len(faults.found) > before:
        return None
    name, compiler_id = names[0] or names[1], names[1] or names[0]
    return HardwareInstruction(
        id=numbers["id"] or 0,
        name=str(name),
        compiler_id=str(compiler_id),
        opcode=str(texts["opcode"]),
        transposes=row.get("instruction_type") == "TRANSPOSE",
        label=str(texts["label"]),
        engine=ENGINE_LANES[str(texts["label"])],
        subgraph=str(texts["subgraph"]),
        pc=numbers["pc"] or 0,
        start_ns=times["timestamp"] or 0,
        duration_ns=times["duration"] or 0,
        event_wait_ns=wait,
        text=str(texts["operands"]),
        operands=operands,
        transfer=transfer,
        activation=activation,
        source=source,
        reads=reads,
        writes=writes,
        producers=producers,
    )


def _text(row: dict[str, Any], key: str, path: Path, faults: Faults) -> str | None:
    if key not in row:
        faults.add(path, f'missing key "{key}"')
    elif key == "operands" and row[key] == "":
        return ""
    else:
        return faults.text(row[key], (*path, key))
    return None


def _said(row: dict[str, Any], key: str, path: Path, faults: Faults) -> str | None:
    """An optional text; the profiler writes an empty one for none."""
    return faults.text(row[key], (*path, key)) if row.get(key) not in (None, "") else None


def _operands(text: str | None, opcode: str | None, path: Path, faults: Faults) -> tuple[OperandText, Direct2D | None]:
    operands = parse_operands(text or "")
    messages = list(operands.faults)
    is_transfer = text is not None and opcode == DMA_TRIGGER
    transfer = parse_direct2d(operands, messages) if is_transfer else None
    dtypes = [a.dtype for a in operands.accesses] + [p.dtype for p in operands.pointers]
    if transfer is not None:
        dtypes += [transfer.in_dtype, transfer.out_dtype]
    for dtype in dict.fromkeys(dtypes):
        if dtype is not None and dtype not in ELEMENT_TYPES:
            messages.append(f'unknown element type "{dtype}" {hint(dtype, sorted(ELEMENT_TYPES))}')
    for message in messages:
        faults.add((*path, "operands"), message)
    return operands, transfer


def _producers(value: Any, path: Path, faults: Faults) -> tuple[tuple[int, str], ...]:
    found = []
    where = (*path, "predecessors")
    for k, entry in enumerate(faults.sequence(value, where) if value is not None else ()):
        if not isinstance(entry, dict):
            faults.add((*where, k), f"predecessors[{k}]: expected a mapping with id and type, got {shown(entry)}")
            continue
        producer = whole(faults, entry, "id", (*where, k), _ID_LIMIT)
        kind = faults.word(entry.get("type"), (*where, k, "type"), EDGE_KINDS, "predecessor type")
        if producer is not None and kind is not None:
            found.append((producer, EDGE_KINDS[kind]))
    return tuple(found)


def _spaces(row: dict[str, Any], direction: str, path: Path, faults: Faults) -> frozenset[str]:
    found = set()
    for prefix, space in _SPACES.items():
        key = f"{prefix}_{direction}_bytes"
        if row.get(key) is not None and whole(faults, row, key, path, TIME_LIMIT_NS):
            found.add(space)
    return frozenset(found)
