"""The report on a system, as data: ``kernbench.system/1``. Lengths in mm, bandwidths in GB/s, sizes in bytes."""

from __future__ import annotations

import msgspec

SCHEMA = "kernbench.system/1"


class AddressReport(msgspec.Struct):
    """How addresses are used: bits ``[high, low]`` of each field, and sizes in bytes."""

    fields: dict[str, tuple[int, int]]
    sips: int
    cubes_per_sip: int
    io_chiplets_per_sip: int
    hbm_bytes_per_cube: int
    slices_per_cube: int
    slice_bytes: int
    pseudo_channel_bits: tuple[int, int] | None
    sram_offset: int | None
    sram_bytes: int | None


class LinkReport(msgspec.Struct):
    """One link of a path; ``bw_gbs`` is None for a wire without a rate."""

    src: str
    dst: str
    kind: str
    bw_gbs: float | None
    length_mm: float


class PathReport(msgspec.Struct):
    """The route between two parts."""

    src: str
    dst: str
    edges: str
    nodes: list[str]
    length_mm: float
    bottleneck: LinkReport | None
    links: list[LinkReport]


class OriginRow(msgspec.Struct):
    """Where one value was written; ``count`` parts or links have it, ``example`` is the first of them."""

    what: str
    key: str
    value: str
    provenance: str
    place: str
    template: str | None
    source: str | None
    count: int
    example: str


class ProbeRow(msgspec.Struct):
    """Where a probe case stands, or why it has no place."""

    name: str
    src: str | None = None
    dst: str | None = None
    reason: str | None = None


class SystemReport(msgspec.Struct, omit_defaults=True):
    """``kernbench.system/1``."""

    schema: str
    name: str
    file: str
    summary: str
    options: dict[str, float | int | str | None]
    nodes: int
    links: int
    nodes_by_kind: dict[str, int]
    links_by_kind: dict[str, int]
    levels: dict[str, int | str]
    address_map: AddressReport | None
    probe_cases: list[ProbeRow]
    path: PathReport | None = None
    origin: list[OriginRow] | None = None
