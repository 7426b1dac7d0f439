"""What may be varied about PerfSim; the defaults are the source's model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from simcore.perfsim.constants import (
    COMPUTE_OVERLAP_NS,
    DMA_OVERLAP_NS,
    LAST_COUPLED_ARCH_VERSION,
    REFLOW_NEW_WEIGHT,
    REFLOW_OLD_WEIGHT,
    RING_DEPTHS,
)
from simcore.program.limits import MAX_COST_NS
from simcore.program.vocabulary import QUEUE_COUNT

Ring = Annotated[int, Field(ge=0, le=QUEUE_COUNT - 1)]
Depth = Annotated[int, Field(ge=1)] | None
WindowNs = Annotated[int, Field(ge=0, le=MAX_COST_NS)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class PerfSimOptions(BaseModel):
    """Knobs of one estimate.

    ``ring_depths``: descriptors per ring, None for unbounded; rings not named keep the source's depth.
    ``pool_dve_coupling``: None follows the program's arch_version. ``collective_share``: which reading of the source
    selects the bandwidth shares. ``collective_reflow``: ``overlap`` lengthens collectives that overlap on different
    streams by the two weights.
    ``engine_order``, ``barriers``, ``psum_banks``: whether lanes issue in order, barriers wait for the datapath lanes,
    and PSUM writers wait for their banks; switched off only to ask what each of them costs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    ring_depths: dict[Ring, Depth] = Field(default_factory=dict)
    compute_overlap_ns: WindowNs = COMPUTE_OVERLAP_NS
    dma_overlap_ns: WindowNs = DMA_OVERLAP_NS
    pool_dve_coupling: bool | None = None
    engine_order: bool = True
    barriers: bool = True
    psum_banks: bool = True
    collective_share: Literal["arch", "max_stream"] = "arch"
    collective_reflow: Literal["none", "overlap"] = "none"
    reflow_new_weight: Weight = REFLOW_NEW_WEIGHT
    reflow_old_weight: Weight = REFLOW_OLD_WEIGHT

    def depth(self, ring: int) -> int | None:
        """Descriptors that ``ring`` holds, None if it never fills."""
        return self.ring_depths[ring] if ring in self.ring_depths else RING_DEPTHS.get(ring)

    def coupled(self, arch_version: int) -> bool:
        """Whether Pool and DVE share an issue port in a run of a program of ``arch_version``."""
        return arch_version <= LAST_COUPLED_ARCH_VERSION if self.pool_dve_coupling is None else self.pool_dve_coupling


CONSTRAINTS: dict[str, dict[str, object]] = {
    "engine_order=off": {"engine_order": False},
    "psum_banks=off": {"psum_banks": False},
    "coupling=off": {"pool_dve_coupling": False},
    "barriers=off": {"barriers": False},
    "rings=unbounded": {"ring_depths": dict.fromkeys(range(QUEUE_COUNT))},
}
"""Everything but edges that an event may wait for -> the options that remove it."""
