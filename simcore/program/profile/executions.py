"""Hardware instructions -> program instructions: what the compiler knows as one, each time it ran, and their order."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field

from simcore.program.edges import EdgeKind
from simcore.program.faults import Faults
from simcore.program.profile.hardware import HardwareInstruction
from simcore.program.profile.opcode_map import HARDWARE_OPCODES, MATMULS, WEIGHT_LOADS


@dataclass(slots=True)
class Execution:
    """One program instruction as it ran once: its hardware instructions by start (a float32 matmul has four).

    ``transfer_name`` is that of the transfer which a DMA trigger starts. ``producers`` are other executions by index
    with the strongest kind of edge; they come earlier in program order.
    """

    rows: list[HardwareInstruction]
    name: str = ""
    transfer_name: str | None = None
    producers: dict[int, EdgeKind] = field(default_factory=dict)

    @property
    def lead(self) -> HardwareInstruction:
        """The hardware instruction that started first."""
        return self.rows[0]

    @property
    def opcode(self) -> str:
        """The IR's opcode of the execution."""
        return HARDWARE_OPCODES[self.rows[-1].opcode]


def executions_of(kernel: list[HardwareInstruction], faults: Faults) -> tuple[list[Execution], int]:
    """(executions in program order, number of producers outside the kernel).

    Rows with one compiler id are one instruction; it ran again when a program counter it already had comes back.
    Program order is the order of first starts, except that a producer never comes after its consumer. Names are the
    compiler's; a name that comes again gets ``#2``, ``#3``.
    """
    executions = _group(kernel)
    outside = _link(executions)
    _check(executions, faults)
    order = _order(executions, faults)
    position = {old: new for new, old in enumerate(order)}
    executions = [executions[k] for k in order]
    for execution in executions:
        execution.producers = {position[p]: kind for p, kind in execution.producers.items()}
    _name(executions)
    return executions, outside


def _group(kernel: list[HardwareInstruction]) -> list[Execution]:
    executions: list[Execution] = []
    current: dict[str, Execution] = {}
    for row in kernel:
        execution = current.get(row.compiler_id)
        if execution is None or any(r.pc == row.pc and r.label == row.label for r in execution.rows):
            execution = current[row.compiler_id] = Execution([])
            executions.append(execution)
        execution.rows.append(row)
    return executions


def _link(executions: list[Execution]) -> int:
    owner = {row.id: k for k, execution in enumerate(executions) for row in execution.rows}
    outside: set[tuple[int, int]] = set()
    for k, execution in enumerate(executions):
        for row in execution.rows:
            for producer, kind in row.producers:
                if producer not in owner:
                    outside.add((row.id, producer))
                elif owner[producer] != k:
                    known = execution.producers.get(owner[producer], EdgeKind.Invalid)
                    execution.producers[owner[producer]] = max(known, EdgeKind[kind])
    return len(outside)


def _check(executions: list[Execution], faults: Faults) -> None:
    for execution in executions:
        rows = execution.rows
        faults.subject = f"instruction {execution.lead.name} (id {execution.lead.id})"
        opcodes = sorted({row.opcode for row in rows})
        if len({HARDWARE_OPCODES[o] for o in opcodes}) > 1 or len({row.engine for row in rows}) > 1:
            faults.add(("instruction",), f"one compiler id for different instructions: {', '.join(opcodes)}")
        elif any(o in WEIGHT_LOADS for o in opcodes) and not any(o in MATMULS for o in opcodes):
            faults.add(("instruction",), "loads weights, but no matmul has the same compiler id")
    faults.subject = None


def _order(executions: list[Execution], faults: Faults) -> list[int]:
    """Indices in program order; a cycle is a fault, and its members come last."""
    consumers: dict[int, list[int]] = {}
    missing = [len(e.producers) for e in executions]
    for k, execution in enumerate(executions):
        for producer in execution.producers:
            consumers.setdefault(producer, []).append(k)
    # executions are by start (then program counter, then id), so the index is the priority
    ready = [k for k, count in enumerate(missing) if count == 0]
    order: list[int] = []
    while ready:
        k = heapq.heappop(ready)
        order.append(k)
        for consumer in consumers.get(k, ()):
            missing[consumer] -= 1
            if missing[consumer] == 0:
                heapq.heappush(ready, consumer)
    left = [k for k, count in enumerate(missing) if count > 0]
    if left:
        cycle = _cycle(executions, left)
        names = " -> ".join(executions[k].lead.name for k in (*cycle, cycle[0]))
        faults.subject = f"instruction {executions[cycle[0]].lead.name} (id {executions[cycle[0]].lead.id})"
        faults.add(("instruction",), f"dependency cycle: {names}")
        faults.subject = None
    return order + left


def _cycle(executions: list[Execution], left: list[int]) -> list[int]:
    """A cycle among the executions that never became ready, found by walking to producers that are left too."""
    waiting = set(left)
    trail: list[int] = []
    seen: dict[int, int] = {}
    k = left[0]
    while k not in seen:
        seen[k] = len(trail)
        trail.append(k)
        k = min(p for p in executions[k].producers if p in waiting)
    return trail[seen[k] :]


def _name(executions: list[Execution]) -> None:
    taken: Counter[str] = Counter()
    for execution in executions:
        execution.name = _unique(execution.lead.name, taken)
    for execution in executions:
        if execution.lead.transfer is not None:
            execution.transfer_name = _unique(f"{execution.name}.transfer", taken)


def _unique(name: str, taken: Counter[str]) -> str:
    unique = name
    while unique in taken:
        taken[name] += 1
        unique = f"{name}#{taken[name]}"
    taken[unique] = 1
    return unique
