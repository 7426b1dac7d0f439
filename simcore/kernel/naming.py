"""What may hold, owe or wait: anything with a dotted name."""

from __future__ import annotations

from typing import Protocol


class Named(Protocol):
    """A part, process, port or channel, as reports see it."""

    @property
    def name(self) -> str:
        """Dotted path, such as ``sip0.cube1.pe2.tcm``."""
