"""A device platform: the constants of one accelerator core, each with how it was obtained.

Durations are in nanoseconds, clocks in GHz. ``interval`` is from an instruction's start to when the next may start on
the same datapath, ``latency`` from its start to its completion; both count beyond the documented cycles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from simcore.errors import hint
from simcore.oracle.helpers import DMA_ENGINES
from simcore.program.dtypes import DType
from simcore.program.generations import GENERATIONS
from simcore.program.opcodes import Opcode
from simcore.timing.device.bounds import Difference, Duration, Ns, Rate, Share, Window
from simcore.timing.device.constants import PlatformModel

DEVICE_PLATFORM_SCHEMA: Literal["kernbench.device-platform/1"] = "kernbench.device-platform/1"

ENGINES = ("PE", "Activation", "DVE", "Pool", "SP", "DMA")
"""Lanes that the device model knows; DMA issues transfers that nobody triggers."""


def _one_each(durations: tuple[float, ...]) -> tuple[float, ...]:
    if len(durations) != DMA_ENGINES:
        raise ValueError(f"{len(durations)} numbers (allowed: {DMA_ENGINES}, one for each DMA engine)")
    return durations


SixteenNs = Annotated[tuple[Ns, ...], AfterValidator(_one_each)]
"""One duration for each DMA engine."""


MOST_TIMES = 16
"""No operation has more passes, and no fast mode is more times as fast."""


def _one_of(allowed: Iterable[str]) -> AfterValidator:
    words = tuple(allowed)

    def check(word: str) -> str:
        if word not in words:
            raise ValueError(f'unknown word "{word}" {hint(word, words)}')
        return word

    return AfterValidator(check)


_Engine = Annotated[str, _one_of(ENGINES)]
_ElementType = Annotated[str, _one_of(DType.__members__)]


def _refuse_repeated(keys: Iterable[Hashable]) -> None:
    """Two records of one kind would leave open which of them counts."""
    repeated = [key for key, count in Counter(keys).items() if count > 1]
    if repeated:
        raise ValueError(f"given more than once: {', '.join(map(_shown, repeated))} (allowed: once each)")


def _shown(key: Hashable) -> str:
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)


class OperationClass(PlatformModel):
    """Operations that cost alike: an opcode on an engine, by where and what its inputs are, and whether one of them is
    a scalar per partition behind a pointer.

    ``speedup`` is the documented fast mode that the class is seen to run in: its cycles are the documented ones divided
    by it. ``interval_ns`` is None where no profile shows two such operations back to back.
    """

    engine: _Engine
    opcode: Annotated[str, _one_of(Opcode.__members__)]
    space: Annotated[str, _one_of(("PSUM", "SB"))]
    dtype: _ElementType
    pointer: bool = Field(strict=True)
    speedup: int = Field(ge=1, le=MOST_TIMES, strict=True)
    interval_ns: Difference | None
    latency_ns: Difference

    @property
    def key(self) -> tuple[str, str, str, str, bool]:
        """What tells the class from the others."""
        return self.engine, self.opcode, self.space, self.dtype, self.pointer


class EngineTiming(PlatformModel):
    """One engine's own times. ``start_ns``: when it begins with the kernel. ``control_ns``: from an instruction's start
    until the engine looks at the next. ``event_ns`` and ``event_gap_ns``: how long an instruction that only waits
    lasts, and from its start to when the next may start. ``end_to_set_ns``: from an instruction's end to its semaphore;
    ``set_to_start_ns``: from a semaphore's being set to the start of the instruction that waits for it."""

    engine: _Engine
    start_ns: Duration
    control_ns: Duration
    event_ns: Duration
    event_gap_ns: Duration
    end_to_set_ns: Duration
    set_to_start_ns: Duration


class MatmulClass(PlatformModel):
    """Matmuls that cost alike. One is ``passes`` pairs of a weight load and a multiplication, each of
    ``cycles_per_documented`` / ``passes`` times the documented cycles.

    ``gap_*_ns`` is what lies between two passes beyond their cycles, and ``stalled_*_ns`` the time from the start of a
    weight load that nothing hides to the end of its pass beyond the cycles, at full and half speed.
    """

    dtype: _ElementType
    transpose: bool = Field(strict=True)
    passes: int = Field(ge=1, le=MOST_TIMES, strict=True)
    cycles_per_documented: Rate
    gap_full_ns: Difference
    gap_half_ns: Difference
    stalled_full_ns: Difference
    stalled_half_ns: Difference

    @property
    def key(self) -> tuple[str, bool]:
        """What tells the class from the others."""
        return self.dtype, self.transpose


class PeTiming(PlatformModel):
    """The PE. ``latency_*_ns``: from the end of a pass's cycles to its completion, at full and half speed."""

    classes: tuple[MatmulClass, ...]
    latency_full_ns: Duration
    latency_half_ns: Duration

    @field_validator("classes")
    @classmethod
    def _each_once(cls, classes: tuple[MatmulClass, ...]) -> tuple[MatmulClass, ...]:
        _refuse_repeated(c.key for c in classes)
        return classes


class ThrottleTiming(PlatformModel):
    """The PE's clock throttle: in a window after one in which the PE did at least ``needed_share`` of what full speed
    allows it runs at full speed, else at half; it starts at half."""

    window_ns: Window
    needed_share: Share


class ByPath(PlatformModel):
    """A time by who writes the descriptors and whether the transfer reads device memory."""

    hardware_read: Duration
    hardware_write: Duration
    software_read: Duration
    software_write: Duration


class DmaTiming(PlatformModel):
    """Transfers. ``trigger_ns`` and ``trigger_gap_ns``: how long a hardware-described transfer keeps its triggering
    engine, and until the engine looks at the next instruction. The ``software_*`` times are GpSimd's: preparing a
    transfer, between two triggers, how long a trigger lasts, and between the first packets of two transfers (per
    transfer and per packet). ``first_packet_ns``: trigger to first packet; ``behind_read_ns`` more for a read whose
    queue is still at work. A packet lasts ``packet_ns`` + bytes / ``packet_gbs``; ``short_run_ns`` for each run of
    less than 1 KiB that is written to device memory. ``completion_packet_ns``: the packet that ends a
    transfer on an engine; ``tail_ns``: from the last of them to the semaphore. ``stagger_ns``: by how much each engine
    begins later than the first."""

    trigger_ns: Duration
    trigger_gap_ns: Duration
    software_preparation_ns: Duration
    software_interval_ns: Duration
    software_trigger_ns: Duration
    software_transfer_ns: Difference
    software_packet_ns: Difference
    first_packet_ns: ByPath
    behind_read_ns: Difference
    packet_ns: Difference
    packet_gbs: Rate
    short_run_ns: Duration
    completion_packet_ns: Duration
    tail_ns: ByPath
    stagger_ns: SixteenNs
    stagger_points: int = Field(ge=0, strict=True)


class StallPattern(PlatformModel):
    """What one observed read lost on each of the sixteen engines, in ascending order (ns), and where it was seen."""

    lost_ns: SixteenNs
    seen_in: str


class HbmTiming(PlatformModel):
    """Stalls of reads from device memory, as seen: of a read that begins when the engine has not read for
    ``idle_ns`` (``first``; ``first_short`` for runs of less than the short run), and of one that follows another
    (``next``). A read that meets a write on its engine stalls once more."""

    idle_ns: Duration
    first: tuple[StallPattern, ...]
    first_short: tuple[StallPattern, ...]
    next: tuple[StallPattern, ...]


class DevicePlatform(PlatformModel):
    """Everything that the device model needs to know of a device. ``profiles`` are the names of those it was fitted
    to; ``arch`` the generation whose documented cycles it builds on."""

    schema_: Literal["kernbench.device-platform/1"] = Field(alias="schema")
    name: str
    arch: Annotated[str, _one_of(GENERATIONS)]
    profiles: tuple[str, ...]
    engines: tuple[EngineTiming, ...]
    operations: tuple[OperationClass, ...]
    pe: PeTiming
    table_load_ns: Duration
    throttle: ThrottleTiming
    dma: DmaTiming
    hbm: HbmTiming

    @field_validator("engines")
    @classmethod
    def _every_engine_once(cls, engines: tuple[EngineTiming, ...]) -> tuple[EngineTiming, ...]:
        _refuse_repeated(e.engine for e in engines)
        missing = [engine for engine in ENGINES if engine not in {e.engine for e in engines}]
        if missing:
            raise ValueError(f"no record of {', '.join(missing)} (allowed: one of each of {', '.join(ENGINES)})")
        return engines

    @field_validator("operations")
    @classmethod
    def _each_operation_once(cls, operations: tuple[OperationClass, ...]) -> tuple[OperationClass, ...]:
        _refuse_repeated(c.key for c in operations)
        return operations
