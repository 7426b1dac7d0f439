"""How the bytes of a transfer go over several DMA engines: one law for hauls (ADR-0062) and for sends (ADR-0064)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineShare:
    """``nbytes`` from byte ``begin`` of a transfer on, by number ``engine`` of the engines."""

    engine: int
    begin: int
    nbytes: int


def spread(nbytes: int, flit_bytes: int, engines: int, first: int) -> list[EngineShare]:
    """``nbytes`` in whole flits, as evenly as they go, over ``engines`` engines (1 or more) from number ``first`` on.

    A flit that is not full is one too, and the last of them; a transfer without bytes is one empty share.
    """
    flits = max(1, -(-nbytes // flit_bytes))
    used, begin, found = min(flits, engines), 0, []
    for k in range(used):
        end = min(nbytes, begin + (flits // used + (k < flits % used)) * flit_bytes)
        found.append(EngineShare((first + k) % engines, begin, end - begin))
        begin = end
    return found
