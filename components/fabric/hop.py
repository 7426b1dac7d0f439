"""What a part offers that lies on the path of a transfer: a hop; and, at either end of it, an access to an end point.

Every part can be a hop, whatever else it does: it needs four names. A part that only lets transfers pass (a router, a
UCIe port) is nothing more. One that re-assembles (a PCIe end point) lets a transfer on only when all of it has arrived.
One that takes time for every flit (an HBM controller, an SRAM, a TCM) gives each transfer an access of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from components.fabric.flow import Flow

    Ticks = npt.NDArray[np.int64]


class Hop(Protocol):
    """A part that transfers come from, pass through, or go to.

    ``overhead_ticks`` is the latency that a transfer pays once: as the source, before the first flit may leave; else
    as the time that each flit takes through the part, side by side with the others, so that the whole transfer is late
    by it once. ``reassembles``: a transfer that passes is taken in as a whole, then leaves like one that starts here.
    """

    @property
    def name(self) -> str:
        """Dotted path of the part."""

    @property
    def overhead_ticks(self) -> int:
        """Picoseconds, 0 or more."""

    @property
    def reassembles(self) -> bool:
        """Whether it stores and forwards."""

    def enter(self, flow: Flow) -> None:
        """``flow``, whose path holds this part, was submitted; for the part's own account."""

    def leave(self, flow: Flow) -> None:
        """``flow`` has ended; for the part's own account."""


class EndPoint(Protocol):
    """A part that takes time for every flit: it knows when each of its channels is free.

    While one transfer alone uses it, that transfer's flits are served ahead of time. :meth:`save` and :meth:`restore`
    take the part back if another transfer comes in before that time (see ``Fabric.before_outside_use`` for a user that
    comes by another way than the fabric).
    """

    @property
    def name(self) -> str:
        """Dotted path of the part."""

    def save(self) -> object:
        """Everything that serving a flit changes, the accounts included."""

    def restore(self, saved: object) -> None:
        """Goes back to what :meth:`save` gave."""


class Access(Protocol):
    """One transfer's use of an end point, made for it: it knows the address, and whether it reads or writes."""

    @property
    def end_point(self) -> EndPoint:
        """The part that serves; transfers whose accesses share it share its channels."""

    def serve(self, flit: int, nbytes: int, at_ticks: int) -> int:
        """The tick at which the flit of that number in the transfer is done, if it is asked at ``at_ticks``.

        Called once for each flit, in their order; ``at_ticks`` never goes back, and is the time to go by: the clock of
        the environment may lag behind it. The result depends on earlier calls alone and is ``at_ticks`` or later.
        A transfer of no bytes has one flit of none.
        """


@runtime_checkable
class RowAccess(Access, Protocol):
    """An access that can also say for many flits at once when they are done, so that a lone transfer costs less."""

    def serve_row(self, first_flit: int, nbytes: int, at_ticks: Ticks) -> Ticks:
        """What :meth:`serve` would say for as many flits from ``first_flit`` on as there are ``at_ticks`` (int64), each
        of ``nbytes``, if it were called for one after the other."""
