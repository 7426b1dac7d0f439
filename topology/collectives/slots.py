"""What a rank pays besides the fabric: queue slots in a memory for what it receives, and the addition itself."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from simcore.errors import InputError, Problem, hint
from simcore.units import ns_to_ticks, service_ticks
from topology.collectives.send import Send


@dataclass(frozen=True, slots=True)
class Tier:
    """A memory with queue slots: an access of b bytes takes ``setup_ns`` + b / ``bw_gbs``, whatever else goes on."""

    name: str
    bw_gbs: int
    setup_ns: int

    def access_ticks(self, nbytes: int) -> int:
        """One write of a slot, or one read."""
        return ns_to_ticks(self.setup_ns) + service_ticks(nbytes, self.bw_gbs)


TIERS = {tier.name: tier for tier in (Tier("tcm", 512, 0), Tier("sram", 128, 2), Tier("hbm", 32, 6))}
"""The tiers of the published predecessor (ywkang/kernbench2, its decision record on queue slots)."""


@dataclass(frozen=True, slots=True)
class Costs:
    """``tier``: where the slots are; None: what has arrived can be used. ``reduce_ns_per_byte``: of adding what has
    arrived to what is there; 0: reductions are free."""

    tier: Tier | None = None
    reduce_ns_per_byte: Fraction = Fraction(0)

    def after_arrival_ticks(self, send: Send) -> int:
        """From the last byte's arrival until the receiver can use it: a slot written, read, and the addition."""
        access = self.tier.access_ticks(send.nbytes) if self.tier is not None and send.slotted else 0
        return 2 * access + (ns_to_ticks(send.nbytes * self.reduce_ns_per_byte) if send.reduce else 0)


NO_COSTS = Costs()


def tier_of(word: str) -> Tier:
    """The tier of that name. Raises InputError for another word."""
    if word not in TIERS:
        raise InputError([Problem(f'unknown memory "{word}" {hint(word, list(TIERS))}', "--tier")])
    return TIERS[word]
