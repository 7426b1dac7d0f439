"""Messages: what the host asks of a machine, and what it is told when that is over (ADR-0048).

Every message carries two names of the host's own, ``correlation_id`` and ``request_id``. Sizes are in bytes, addresses
physical unless they are called virtual. Fields as in the published predecessor (ywkang/kernbench2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from components.host.orders import PeReport
from components.memory.request import MemoryRequest
from simcore.units import TICKS_PER_NS

Cubes = Literal["all"] | tuple[int, ...]
"""Cubes of a package by their numbers."""
Pe = Literal["all"] | int
"""A PE of each of these cubes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What all messages carry."""

    correlation_id: str
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWriteMsg(Message):
    """``nbytes`` from the host, by the endpoint of ``dst_sip``, to ``dst_pa``.

    With targets: to the same place in the HBM slice of each of them instead; ``dst_cube`` and ``dst_pe`` stand for the
    half of the targets that is not given.
    """

    dst_sip: int
    dst_cube: int
    dst_pe: int
    dst_pa: int
    nbytes: int
    src_kind: Literal["pattern", "host_buffer"] = "pattern"
    pattern: str = "zero"
    target_cubes: Cubes | None = None
    target_pe: Pe | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryReadMsg(Message):
    """``nbytes`` from ``src_pa`` to the host; with targets, as of a write."""

    src_sip: int
    src_cube: int
    src_pe: int
    src_pa: int
    nbytes: int
    target_cubes: Cubes | None = None
    target_pe: Pe | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeDmaMsg(Message):
    """A PE's DMA writes ``nbytes`` to ``dst_pa``; injected straight at that DMA."""

    src_sip: int
    src_cube: int
    src_pe: int
    dst_pa: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class KernelRef:
    """A kernel by name; a deployed one lies as ``code_bytes`` at ``deploy_pa``."""

    name: str
    kind: Literal["deployed", "builtin"] = "builtin"
    deploy_pa: int | None = None
    code_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a tensor: ``nbytes`` from ``pa`` on, in the HBM slice of a PE."""

    sip: int
    cube: int
    pe: int
    pa: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class TensorArg:
    """A tensor: where its parts lie, and the virtual address at which each PE sees its own."""

    shards: tuple[Shard, ...]
    va_base: int


@dataclass(frozen=True, slots=True)
class ScalarArg:
    """A number."""

    value: int | Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLaunchMsg(Message):
    """A kernel on the targets of one package; all begin at once (ADR-0048 D5)."""

    sip: int
    kernel_ref: KernelRef
    args: tuple[TensorArg | ScalarArg, ...] = ()
    target_cubes: Cubes = "all"
    target_pe: Pe = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class MmuMapMsg(Message):
    """Maps ``nbytes`` from ``virtual`` on to those from ``physical`` on, in the MMUs of the targets."""

    sip: int
    virtual: int
    physical: int
    nbytes: int
    target_cubes: Cubes = "all"
    target_pe: Pe = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class MmuUnmapMsg(Message):
    """Unmaps ``nbytes`` from ``virtual`` on, in the MMUs of the targets."""

    sip: int
    virtual: int
    nbytes: int
    target_cubes: Cubes = "all"
    target_pe: Pe = "all"


HostMessage = MemoryWriteMsg | MemoryReadMsg | PeDmaMsg | KernelLaunchMsg | MmuMapMsg | MmuUnmapMsg


@dataclass(frozen=True, slots=True)
class Completion:
    """Whether it was done, and if not, why: the first target's reason."""

    ok: bool
    error_code: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to ``message``. Times in ticks: when the host sent it, and when it knew that it was over.

    ``requests``: the round trips to memory that it became; ``reports``: what PEs have done, target by target.
    """

    message: HostMessage
    completion: Completion
    submitted_ticks: int
    answered_ticks: int
    requests: tuple[MemoryRequest, ...] = field(default=())
    reports: tuple[PeReport, ...] = field(default=())

    @property
    def total_ns(self) -> Fraction:
        """From the one to the other."""
        return Fraction(self.answered_ticks - self.submitted_ticks, TICKS_PER_NS)

    @property
    def kernel_ns(self) -> Fraction:
        """How long it took on the slowest PE, without the way there and back. Raises ValueError if no PE reports."""
        return Fraction(max(report.ended_ticks - report.began_ticks for report in self.reports), TICKS_PER_NS)
