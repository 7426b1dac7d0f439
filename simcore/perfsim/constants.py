"""Constants of the source's cost model, shared by both models. All times in nanoseconds.

Source: the published description of the compiler's cost simulator (overlap windows, ring depths, stream shares).
"""

from __future__ import annotations

from fractions import Fraction

COMPUTE_OVERLAP_NS = 100
"""A compute engine issues its next instruction this long before the current one ends, if that one is longer."""

DMA_OVERLAP_NS = 1300
"""The same for the DMA lane."""

RING_DEPTHS: dict[int, int] = {10: 4, 12: 1}
"""Descriptors a ring holds; rings not listed never fill."""

LAST_COUPLED_ARCH_VERSION = 29
"""Up to here Pool and DVE share an issue port and Activation waits for their PSUM writes."""

COLLECTIVE_SHARES: dict[str, tuple[Fraction, ...]] = {
    "sunda": (Fraction(1),) * 4,
    "gen3": (Fraction(3, 4), Fraction(1, 4)),
    "core_v4": (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)),
}
"""Bandwidth share of each collective stream by generation; a stream beyond the tuple does not exist there."""

SHARES_BY_MAX_STREAM: tuple[tuple[Fraction, ...], ...] = (
    (Fraction(1),) * 4,
    COLLECTIVE_SHARES["gen3"],
    COLLECTIVE_SHARES["core_v4"],
)
"""The other reading of the source: shares selected by the highest stream in the block instead of the generation."""

REFLOW_NEW_WEIGHT = 0.0
REFLOW_OLD_WEIGHT = 0.25
"""Overlap weights of the optional collective reflow: how much the new and the overlapped collective lengthen."""
