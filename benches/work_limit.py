"""How much traffic a command takes on: more than an hour of it is refused before it begins."""

from __future__ import annotations

from collections.abc import Iterable

MOST_FLITS = 1_000_000_000
"""Flits over all links that they cross. Where flows meet, some 300,000 of them are served in a second."""


def flits_over_links(sizes: Iterable[tuple[int, int]], flit_bytes: int) -> int:
    """Flits to serve for transfers of (bytes, links that they cross), over all links."""
    return sum(-(-nbytes // flit_bytes) * links for nbytes, links in sizes)


def fault_of_work(flits: int) -> str | None:
    """Why so many flits over all links are too many; None if they are not."""
    if flits <= MOST_FLITS:
        return None
    return (
        f"{flits} flits to serve over all links would take hours (allowed: {MOST_FLITS}; "
        "larger flits or smaller transfers make fewer)"
    )
