"""EndHop: what a part is to the transfers that start or end at it and pay it nothing as such."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from components.fabric.flow import Flow


class EndHop:
    """Mixed into a part with a process of its own: what it costs, that process spends; its own requests it counts."""

    overhead_ticks = 0
    reassembles = False

    def enter(self, flow: Flow) -> None:
        """Nothing is to be done: the part's process sent it, or waits for it."""

    def leave(self, flow: Flow) -> None:
        """Nothing is to be done."""
