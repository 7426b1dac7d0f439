"""A transaction of the fabric, as a part that only lets it pass sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Transaction:
    """``nbytes`` on their way from node to node; every node on the way hands on this same object. ``tag`` names it."""

    nbytes: int
    tag: str = ""
