"""Which waits exist in a run, besides those for producers: the rules that the options of either model switch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simcore.program.engines import Lane


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one run, in words that both models share; :mod:`simcore.explain.relations` applies them.

    ``include_anti_deps``: whether Anti edges count. ``engine_order``: lanes issue in program order. ``barrier_lanes``:
    whom an event of the barrier lane waits for, in the order in which a tie is named; empty if for nobody.
    ``psum_banks``: banks that are handed over; 0 if writers wait for none and the Activation clamp knows no writer.
    ``coupled``: Pool and DVE share an issue port, and Activation waits for their PSUM writes. ``early_ordered``: over
    an Ordered edge a collective lets Pool and other collectives go when it is itself ready. ``ring_depths``: rings
    that can fill. ``edge_latency``: ticks from a producer's moment to a consumer on another lane.
    """

    include_anti_deps: bool
    engine_order: bool
    barrier_lanes: tuple[Lane, ...]
    psum_banks: int
    coupled: bool
    early_ordered: bool
    ring_depths: Mapping[int, int]
    edge_latency: int
