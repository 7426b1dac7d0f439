"""DMA engine: starts a request between a core and the memory, and moves no more than it does in practice (ADR-0056).

First action: a request whose way holds an engine waits for the engine's start; nothing moves before. After that the
engine is passed: it delays no flit, but a link that ends at it is no quicker than the engine.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from components.fabric.pass_through import PassThrough
from components.quantities import Count, Gbs, Ns
from components.registry import register


def _moves(rate_gbs: Fraction) -> Fraction:
    if not rate_gbs:
        raise ValueError("must be above 0: an engine that moves nothing ends no request")
    return rate_gbs


class DmaEngineParameters(BaseModel):
    """``queues``: the descriptor rings that it serves; no time depends on them. ``start_ns``: what a request pays once,
    however many transfers it becomes. ``practical_gbs``: what the engine moves at most, in either direction."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    queues: Count
    start_ns: Ns
    practical_gbs: Annotated[Gbs, AfterValidator(_moves)]

    def limited_gbs(self, link_gbs: Fraction) -> Fraction:
        """What a link of ``link_gbs`` moves if one of its ends is this engine."""
        return min(link_gbs, self.practical_gbs)


@register("dma_engine", "start_and_limit", default=True)
class DmaEngine(PassThrough[DmaEngineParameters]):
    """A DMA engine on the way of transfers, commands without payload among them."""

    overhead_ticks = 0
