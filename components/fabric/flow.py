"""A flow: one transfer of so many bytes along a path of links."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from simpy.events import Event

if TYPE_CHECKING:
    from components.fabric.hop import Access
    from components.fabric.leg import Leg
    from components.fabric.link import LinkBase


@dataclass(slots=True, eq=False)
class Flow:
    """``nbytes`` along ``path``, link after link; an empty path is a transfer to the sender itself, which ends at once.

    ``window_flits``: flits that may be between injection and delivery, None: any number. ``order``: where flits of
    several flows arrive at one instant, those of the lowest ``order`` come first, and of equal ones those that were
    submitted first. ``source`` and ``sink`` are for end points that take time for every flit: a flit leaves when the
    source has served it, and is delivered when the sink has.
    """

    name: str
    nbytes: int
    path: tuple[LinkBase[Any], ...]
    window_flits: int | None
    order: int = 0
    source: Access | None = None
    sink: Access | None = None

    done: Event | None = field(default=None, init=False)
    """Happens when the last byte is delivered; its value is the flow. Set by ``Fabric.submit``."""
    submitted_ticks: int | None = field(default=None, init=False)
    first_flit_ticks: Fraction | None = field(default=None, init=False)
    """When the first link began with the first flit, in picoseconds; None until the end, and without links."""
    ended_ticks: Fraction | None = field(default=None, init=False)
    """When the last byte was delivered, not rounded; ``done`` happens at the first tick that is not before."""
    legs: tuple[Leg, ...] = field(default=(), init=False)
    """What it became, set when it has ended; see :func:`components.fabric.passage.passage_of`."""
