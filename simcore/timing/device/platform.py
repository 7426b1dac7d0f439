"""A device platform: the constants of one accelerator core, each with how it was obtained.

Durations are in nanoseconds, clocks in GHz. ``interval`` is from an instruction's start to when the next may start on
the same datapath, ``latency`` from its start to its completion; both count beyond the documented cycles.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from simcore.oracle.helpers import DMA_ENGINES
from simcore.timing.device.constants import Constant, PlatformModel

DEVICE_PLATFORM_SCHEMA: Literal["kernbench.device-platform/1"] = "kernbench.device-platform/1"

SixteenNs = tuple[float, ...]
"""One number (ns) for each DMA engine."""


class OperationClass(PlatformModel):
    """Operations that cost alike: an opcode on an engine, by where and what its inputs are, and whether one of them is
    a scalar per partition behind a pointer.

    ``speedup`` is the documented fast mode that the class is seen to run in: its cycles are the documented ones divided
    by it. ``interval_ns`` is None where no profile shows two such operations back to back.
    """

    engine: str
    opcode: str
    space: str
    dtype: str
    pointer: bool
    speedup: int = Field(ge=1)
    interval_ns: Constant | None
    latency_ns: Constant

    @property
    def key(self) -> tuple[str, str, str, str, bool]:
        """What tells the class from the others."""
        return self.engine, self.opcode, self.space, self.dtype, self.pointer


class EngineTiming(PlatformModel):
    """One engine's own times. ``start_ns``: when it begins with the kernel. ``control_ns``: from an instruction's start
    until the engine looks at the next. ``event_ns`` and ``event_gap_ns``: how long an instruction that only waits
    lasts, and from its start to when the next may start. ``end_to_set_ns``: from an instruction's end to its semaphore;
    ``set_to_start_ns``: from a semaphore's being set to the start of the instruction that waits for it."""

    engine: str
    start_ns: Constant
    control_ns: Constant
    event_ns: Constant
    event_gap_ns: Constant
    end_to_set_ns: Constant
    set_to_start_ns: Constant


class MatmulClass(PlatformModel):
    """Matmuls that cost alike. One is ``passes`` pairs of a weight load and a multiplication, each of
    ``cycles_per_documented`` / ``passes`` times the documented cycles.

    ``gap_*_ns`` is what lies between two passes beyond their cycles, and ``stalled_*_ns`` the time from the start of a
    weight load that nothing hides to the end of its pass beyond the cycles, at full and half speed.
    """

    dtype: str
    transpose: bool
    passes: int = Field(ge=1)
    cycles_per_documented: Constant
    gap_full_ns: Constant
    gap_half_ns: Constant
    stalled_full_ns: Constant
    stalled_half_ns: Constant

    @property
    def key(self) -> tuple[str, bool]:
        """What tells the class from the others."""
        return self.dtype, self.transpose


class PeTiming(PlatformModel):
    """The PE. ``latency_*_ns``: from the end of a pass's cycles to its completion, at full and half speed."""

    classes: tuple[MatmulClass, ...]
    latency_full_ns: Constant
    latency_half_ns: Constant


class ThrottleTiming(PlatformModel):
    """The PE's clock throttle: in a window after one in which the PE did at least ``needed_share`` of what full speed
    allows it runs at full speed, else at half; it starts at half."""

    window_ns: Constant
    needed_share: Constant


class ByPath(PlatformModel):
    """A time by who writes the descriptors and whether the transfer reads device memory."""

    hardware_read: Constant
    hardware_write: Constant
    software_read: Constant
    software_write: Constant


class DmaTiming(PlatformModel):
    """Transfers. ``trigger_ns`` and ``trigger_gap_ns``: how long a hardware-described transfer keeps its triggering
    engine, and until the engine looks at the next instruction. The ``software_*`` times are GpSimd's: preparing a
    transfer, between two triggers, how long a trigger lasts, and between the first packets of two transfers (per
    transfer and per packet). ``first_packet_ns``: trigger to first packet; ``behind_read_ns`` more for a read whose
    queue is still at work. A packet lasts ``packet_ns`` + bytes / ``packet_gbs``; ``short_run_ns`` for each run of
    less than 1 KiB that is written to device memory. ``completion_packet_ns``: the packet that ends a
    transfer on an engine; ``tail_ns``: from the last of them to the semaphore. ``stagger_ns``: by how much each engine
    begins later than the first."""

    trigger_ns: Constant
    trigger_gap_ns: Constant
    software_preparation_ns: Constant
    software_interval_ns: Constant
    software_trigger_ns: Constant
    software_transfer_ns: Constant
    software_packet_ns: Constant
    first_packet_ns: ByPath
    behind_read_ns: Constant
    packet_ns: Constant
    packet_gbs: Constant
    short_run_ns: Constant
    completion_packet_ns: Constant
    tail_ns: ByPath
    stagger_ns: SixteenNs = Field(min_length=DMA_ENGINES, max_length=DMA_ENGINES)
    stagger_points: int


class StallPattern(PlatformModel):
    """What one observed read lost on each of the sixteen engines, in ascending order (ns), and where it was seen."""

    lost_ns: SixteenNs = Field(min_length=DMA_ENGINES, max_length=DMA_ENGINES)
    seen_in: str


class HbmTiming(PlatformModel):
    """Stalls of reads from device memory, as seen: of a read that begins when the engine has not read for
    ``idle_ns`` (``first``; ``first_short`` for runs of less than the short run), and of one that follows another
    (``next``). A read that meets a write on its engine stalls once more."""

    idle_ns: Constant
    first: tuple[StallPattern, ...]
    first_short: tuple[StallPattern, ...]
    next: tuple[StallPattern, ...]


class DevicePlatform(PlatformModel):
    """Everything that the device model needs to know of a device. ``profiles`` are the names of those it was fitted
    to; ``arch`` the generation whose documented cycles it builds on."""

    schema_: Literal["kernbench.device-platform/1"] = Field(alias="schema")
    name: str
    arch: str
    profiles: tuple[str, ...]
    engines: tuple[EngineTiming, ...]
    operations: tuple[OperationClass, ...]
    pe: PeTiming
    table_load_ns: Constant
    throttle: ThrottleTiming
    dma: DmaTiming
    hbm: HbmTiming
