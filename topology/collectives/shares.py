"""Cutting a buffer up: exact bytes for every part, whatever does not divide."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from simcore.errors import InputError, Problem, hint
from simcore.perfsim.constants import COLLECTIVE_SHARES
from simcore.program.generations import ARCH_NAMES
from topology.collectives.send import Extent

MOST_STREAMS = 4
"""Collective streams that a core has."""

STREAMS = "--streams"


def cut(extent: Extent, shares: Sequence[Fraction | int], grain_bytes: int = 1) -> list[Extent]:
    """``extent`` in parts that are to each other as ``shares``, rounded to whole grains.

    The parts follow each other and have all of its bytes; what is no whole grain belongs to the last one.
    """
    grains, whole = extent.nbytes // grain_bytes, sum(shares, Fraction(0))
    ends = [int(grains * part / whole) * grain_bytes for part in accumulate(map(Fraction, shares))]
    bounds = [0, *ends[:-1], extent.nbytes]
    return [Extent(extent.offset + begin, end - begin) for begin, end in pairwise(bounds)]


def stream_shares(word: str) -> dict[int, Fraction]:
    """What part of the data each stream carries: 1 to 4 streams alike, or the streams of a generation by their shares,
    under any of its names.

    Raises InputError for any other word.
    """
    counts = [str(count) for count in range(1, MOST_STREAMS + 1)]
    if word in counts:
        return {stream: Fraction(1, int(word)) for stream in range(int(word))}
    generations = {name: code for name, code in ARCH_NAMES.items() if code in COLLECTIVE_SHARES}
    if word in generations:
        shares = COLLECTIVE_SHARES[generations[word]]
        return {stream: share / sum(shares) for stream, share in enumerate(shares)}
    raise InputError([Problem(f'unknown streams "{word}" {hint(word, [*counts, *generations])}', STREAMS)])
