"""Orders: what the host has the PEs do, handed down from CPU to CPU, and the reports that come back (ADR-0048)."""

from __future__ import annotations

from dataclasses import dataclass

from components.pe.commands import Command
from components.pe.mmu import Refusal


@dataclass(frozen=True, slots=True)
class RunKernel:
    """The ``commands`` of a kernel. They begin at ``start_ticks``, or as soon as they are there if that is later; None
    until the IO CPU has set it."""

    commands: tuple[Command, ...]
    start_ticks: int | None = None


@dataclass(frozen=True, slots=True)
class MapPages:
    """Maps ``nbytes`` of virtual addresses onto physical ones."""

    virtual: int
    physical: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class UnmapPages:
    """Takes ``nbytes`` of virtual addresses out of the page table."""

    virtual: int
    nbytes: int


PeWork = RunKernel | MapPages | UnmapPages


@dataclass(frozen=True, slots=True)
class Order:
    """What ``tag`` names, in as many errands as there are receivers."""

    tag: str
    errands: tuple[Errand, ...]


@dataclass(frozen=True, slots=True)
class Errand:
    """What the part called ``receiver`` is to do: hand an order on, or work.

    ``travel_ticks``: from the moment at which it is sent until the receiver has decoded it, if nothing is in the way.
    """

    receiver: str
    travel_ticks: int
    body: Order | PeWork


@dataclass(frozen=True, slots=True)
class PeReport:
    """What a PE has done. ``began_ticks`` and ``ended_ticks``: of the kernel itself, or of the page table's change."""

    pe: str
    began_ticks: int
    ended_ticks: int
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class Report:
    """The answer to what ``tag`` names: that of every PE below the sender, in the order of the errands."""

    tag: str
    reports: tuple[PeReport, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """Work for one PE, as part of what ``tag`` names."""

    tag: str
    work: PeWork


@dataclass(frozen=True, slots=True)
class Letter:
    """What goes over the fabric from one CPU to another, without payload."""

    sender: str
    receiver: str
    body: Order | Assignment | Report
