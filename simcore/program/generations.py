"""Accelerator generations: names, oracle, geometry. One row each, shared by readers, oracles and both models."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Generation:
    """A chip generation; ``arch_version`` gates the engine-coupling rules (<= 29: Pool and DVE share an issue port)."""

    name: str
    product_alias: str | None
    arch_version: int
    oracle: str | None
    psum_banks: int
    has_hwdge: bool


GENERATIONS: dict[str, Generation] = {
    g.name: g
    for g in (
        Generation("inferentia", None, 10, None, 4, False),
        Generation("sunda", "trn1", 20, "Trainium", 8, False),
        Generation("gen3", "trn2", 30, "Gen3", 8, True),
        Generation("core_v4", "trn3", 40, "CoreV4", 8, True),
    )
}
"""Generations by the name that program files carry in ``arch``."""

ARCH_NAMES: dict[str, str] = {
    **{g.name: g.name for g in GENERATIONS.values()},
    **{g.product_alias: g.name for g in GENERATIONS.values() if g.product_alias},
}
"""Every accepted ``arch`` word -> the generation's name (trn1, trn2, trn3 are other names)."""

SBUF_PARTITIONS = 128
"""Partitions of the state buffer: the most an access can touch."""

PSUM_BANK_BYTES = 2048
"""Bytes of one PSUM bank in one partition, the same on every generation."""


def generation(arch: str) -> Generation:
    """The generation called ``arch`` (either name). Raises KeyError for an unknown word."""
    return GENERATIONS[ARCH_NAMES[arch]]
