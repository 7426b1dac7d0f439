"""The measured side of a profile: hardware instructions, packets, semaphores, throttle, window."""

from __future__ import annotations

import re

from simcore.program.faults import shown
from simcore.program.measured import (
    DmaPacket,
    MeasuredInstruction,
    Measurement,
    SemaphoreUpdate,
    ThrottleState,
)
from simcore.program.profile.executions import Execution
from simcore.program.profile.hardware import HardwareInstruction
from simcore.program.profile.tables import TIME_LIMIT_NS, Tables, whole

_SEMAPHORE_ID = re.compile(r"S\[(\d{1,9})\](?:\s*\([^)]*\))?|(\d{1,9})")
_VALUE_LIMIT = 2**32


def measurement_of(
    executions: list[Execution],
    packets: tuple[DmaPacket, ...],
    semaphores: tuple[SemaphoreUpdate, ...],
    throttle: tuple[ThrottleState, ...],
) -> Measurement:
    """The run of one core's ``executions`` with what else was recorded of that core."""
    rows = [(row, e.name) for e in executions for row in e.rows]
    instructions = sorted((_measured(row, name) for row, name in rows), key=lambda i: (i.start_ns, i.pc, i.id))
    return Measurement(
        instructions=tuple(instructions),
        packets=packets,
        semaphores=semaphores,
        throttle=throttle,
        window_start_ns=min(i.start_ns for i in instructions),
        window_end_ns=max(i.end_ns for i in instructions),
    )


def _measured(row: HardwareInstruction, name: str) -> MeasuredInstruction:
    sets = [(semaphore, 1) for semaphore in row.operands.sets]
    if row.transfer is not None:
        sets.append((row.transfer.semaphore, row.transfer.increment))
    return MeasuredInstruction(
        id=row.id,
        program_name=name,
        opcode=row.opcode,
        engine=row.engine,
        pc=row.pc,
        start_ns=row.start_ns,
        duration_ns=row.duration_ns,
        event_wait_ns=row.event_wait_ns,
        operands=row.text.strip(),
        waits=tuple(row.operands.waits),
        sets=tuple(sets),
        producers=row.producers,
    )


def semaphore_rows(tables: Tables) -> list[tuple[str, SemaphoreUpdate]]:
    """(core, update) by time; the table names a semaphore by number, or as ``S[5] (Tensor)``."""
    found = []
    for path, row in tables.rows("semaphore_update"):
        name = row.get("id")
        match = _SEMAPHORE_ID.fullmatch(str(name))
        if match is None:
            tables.faults.add((*path, "id"), f"id: {shown(name)} is no semaphore (allowed: 5, or S[5] (owner))")
        time = whole(tables.faults, row, "timestamp", path, TIME_LIMIT_NS)
        value = whole(tables.faults, row, "value", path, _VALUE_LIMIT)
        if match is not None and time is not None and value is not None:
            found.append((str(row.get("subgraph")), SemaphoreUpdate(int(match[1] or match[2]), time, value)))
    return sorted(found, key=lambda pair: pair[1].time_ns)


def throttle_rows(tables: Tables) -> list[tuple[str, ThrottleState]]:
    """(core, state) by start, from the table that the profiler calls ``ham``."""
    found = []
    for path, row in tables.rows("ham"):
        start, duration = (whole(tables.faults, row, key, path, TIME_LIMIT_NS) for key in ("timestamp", "duration"))
        k, n = (whole(tables.faults, row, key, path, _VALUE_LIMIT) for key in ("k", "n"))
        if start is None or duration is None or k is None or n is None:
            continue
        if not 0 < k <= n:
            tables.faults.add(path, f"a clock at {k} of {n} steps (allowed: 1 to n)")
        found.append((str(row.get("subgraph")), ThrottleState(start, duration, k, n)))
    return sorted(found, key=lambda pair: pair[1].start_ns)
