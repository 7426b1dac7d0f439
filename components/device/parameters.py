"""A platform's constants -> the parameters of the device's parts, without the effects that are left out."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from simcore.timing.device.constants import Constant
from simcore.timing.device.effects import Effect
from simcore.timing.device.platform import ByPath, DevicePlatform
from simcore.units import TICKS_PER_NS


@dataclass(frozen=True, slots=True)
class EngineParts:
    """Parameters of one engine and of its semaphore."""

    engine: dict[str, object]
    semaphore: dict[str, object]


def engine_parameters(platform: DevicePlatform, engine: str, without: Set[Effect]) -> EngineParts:
    """Those of ``engine`` (a lane's name)."""
    own = next(e for e in platform.engines if e.engine == engine)
    dma = platform.dma
    semaphores = Effect.semaphore_latencies not in without
    triggers = Effect.trigger_occupancy not in without
    software = engine == "Pool"
    prepares = software and Effect.software_preparation not in without
    fixed = Effect.fixed_parts not in without
    parameters: dict[str, object] = {
        "start_ps": _if(Effect.start_offsets not in without, own.start_ns),
        "control_ps": own.control_ns.ps,
        "wake_ps": _if(semaphores, own.set_to_start_ns),
        "event_ps": own.event_ns.ps,
        "event_gap_ps": _if(fixed, own.event_gap_ns),
        "table_load_ps": _if(Effect.table_loads not in without, platform.table_load_ns),
        "trigger_ps": _if(triggers, dma.software_trigger_ns if software else dma.trigger_ns),
        "trigger_gap_ps": _if(triggers, dma.trigger_gap_ns),
        "preparation_ps": _if(prepares, dma.software_preparation_ns),
        "trigger_interval_ps": _if(prepares, dma.software_interval_ns),
    }
    return EngineParts(parameters, {"end_to_set_ps": _if(semaphores, own.end_to_set_ns)})


def queue_parameters(
    platform: DevicePlatform, without: Set[Effect], engines: int, *, software: bool
) -> dict[str, object]:
    """Those of a queue of hardware- or ``software``-described transfers over so many DMA ``engines``."""
    dma = platform.dma
    first = Effect.first_packet_latency not in without
    tail = Effect.completion_tail not in without
    serial = software and Effect.software_preparation not in without
    stagger = Effect.start_stagger not in without and engines > 1
    first_read, first_write = _path(dma.first_packet_ns, software)
    tail_read, tail_write = _path(dma.tail_ns, software)
    return {
        "first_read_ps": _if(first, first_read),
        "first_write_ps": _if(first, first_write),
        "behind_read_ps": _if(first and not software, dma.behind_read_ns),
        "per_transfer_ps": _if(serial, dma.software_transfer_ns),
        "per_packet_ps": _if(serial, dma.software_packet_ns),
        "tail_read_ps": _if(tail, tail_read),
        "tail_write_ps": _if(tail, tail_write),
        "stagger_ps": tuple(round(TICKS_PER_NS * ns) if stagger else 0 for ns in dma.stagger_ns[:engines]),
    }


def throttle_parameters(platform: DevicePlatform, without: Set[Effect], phase_ns: float) -> dict[str, object]:
    """Those of the throttle's rule, with the run beginning ``phase_ns`` into a window."""
    throttle = platform.throttle
    return {
        "window_ps": throttle.window_ns.ps,
        "needed_ps": round(throttle.window_ns.ps * throttle.needed_share.value),
        "phase_ps": min(round(TICKS_PER_NS * phase_ns), throttle.window_ns.ps - 1),
        "half_speed": Effect.half_speed not in without,
        "full_speed": Effect.full_speed not in without,
    }


def _if(present: bool, constant: Constant) -> int:
    return max(0, constant.ps) if present else 0


def _path(by_path: ByPath, software: bool) -> tuple[Constant, Constant]:
    """(read, write) of one kind of descriptors."""
    if software:
        return by_path.software_read, by_path.software_write
    return by_path.hardware_read, by_path.hardware_write
