"""neuron-profile JSON -> a program record and its measurement."""

from __future__ import annotations

from pathlib import PurePath
from typing import TypeVar

from simcore.errors import InputError
from simcore.program.build import by_subject
from simcore.program.faults import Faults
from simcore.program.generations import GENERATIONS
from simcore.program.instruction import BlockRecord, FunctionRecord, ProgramRecord
from simcore.program.loaded import Loaded
from simcore.program.profile.checks import check_version, check_whole
from simcore.program.profile.executions import executions_of
from simcore.program.profile.hardware import HardwareInstruction, read_kernel
from simcore.program.profile.instructions import instructions_of
from simcore.program.profile.measurement import measurement_of, semaphore_rows, throttle_rows
from simcore.program.profile.packets import dge_types_of, packet_rows, paired_packets, queues_of
from simcore.program.profile.tables import Tables, arch_of, check_time_unit, open_tables
from simcore.program.profile.typed_operands import Surroundings

_T = TypeVar("_T")
_NAMES_SHOWN = 5


def read_profile(data: object, file: str) -> Loaded:
    """The kernel in ``data``, a decoded profile: its program (one block, one core) and what was measured.

    ``file`` names the profile in messages, and its last part the program. Raises InputError with every fault found:
    those of the rows, or if there are none those of the instructions that the rows make up.
    """
    faults = Faults()
    tables = open_tables(data, faults)
    if tables is None:
        raise InputError(by_subject(faults.found, file))
    arch = arch_of(tables)
    check_time_unit(tables)
    notes: list[str] = []
    check_version(tables, notes)
    check_whole(tables)
    kernel, others = read_kernel(tables)
    core = _only_core(kernel, faults)
    queues = queues_of(tables, core)
    packets, semaphores, throttle = packet_rows(tables), semaphore_rows(tables), throttle_rows(tables)
    if faults.found or arch is None:
        raise InputError(by_subject(faults.found, file))

    around = Surroundings(GENERATIONS[arch], faults)
    executions, outside = executions_of(kernel, faults)
    instructions = instructions_of(executions, dge_types_of(queues, around.generation), around)
    if faults.found:
        raise InputError(by_subject(faults.found, file))
    measured = measurement_of(
        executions,
        paired_packets(_of(core, packets), executions, queues, notes),
        tuple(_of(core, semaphores)),
        tuple(_of(core, throttle)),
    )
    if others:
        notes.append(f"instructions without a compiler id (the run-time's start-up and tail): {others} left out")
    if outside:
        notes.append(f"dependencies on instructions outside the kernel: {outside} left out")
    if not measured.throttle:
        notes.append("the profile has no throttle record: the PE clock of the run is not known")
    notes += _about(around.untyped, "the profile does not tell the element type of what these move or read")
    notes += _about(around.unplaced, "these enter PSUM past partition 0, so their banks are not known")
    block = BlockRecord(name=core, instructions=instructions)
    record = ProgramRecord(
        name=_program_name(tables, file), arch=arch, functions=[FunctionRecord(name="main", blocks=[block])]
    )
    return Loaded(record, notes, measured)


def _only_core(kernel: list[HardwareInstruction], faults: Faults) -> str:
    cores = sorted({i.subgraph for i in kernel})
    if len(cores) > 1:
        faults.add(("instruction",), f"kernel instructions of {len(cores)} cores: {', '.join(cores)} (allowed: one)")
    return cores[0] if cores else ""


def _of(core: str, rows: list[tuple[str, _T]]) -> list[_T]:
    return [row for subgraph, row in rows if subgraph == core]


def _program_name(tables: Tables, file: str) -> str:
    """The file's name without its endings; for a profile without a file, the profile's own name."""
    if not file.startswith("<"):
        return PurePath(file).name.removesuffix(".gz").removesuffix(".json") or "profile"
    name = tables.first("profile_info").get("profile_name")
    return name if isinstance(name, str) and name else "profile"


def _about(names: list[str], what: str) -> list[str]:
    unique = list(dict.fromkeys(names))
    if not unique:
        return []
    listing = ", ".join(unique[:_NAMES_SHOWN])
    if len(unique) > _NAMES_SHOWN:
        listing += f" and {len(unique) - _NAMES_SHOWN} more"
    return [f"{what}: {listing}"]
