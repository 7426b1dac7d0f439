"""The address map of a hierarchical system, from the sizes of its memory."""

from __future__ import annotations

from fractions import Fraction

from simcore.program.faults import Path
from topology.address_map import CUBE_DIES, HBM_WINDOW_BYTES, IO_DIES, SIPS, AddressMap
from topology.build.cube import CubeBlueprint
from topology.text.blocks import Reader
from topology.text.quantities import shown

_GIB = 1 << 30
_KIB = 1 << 10


def address_map_of(reader: Reader, blueprint: CubeBlueprint, sips: int, cubes: int, ios: int) -> AddressMap | None:
    """The map; None, and findings, if sizes are no whole bytes, or something does not fit its field."""
    values, before = blueprint.memory.values, len(reader.findings.problems)
    path: Path = ("cube", "memory")
    hbm = _whole_bytes(reader, path, "hbm_gib", values.hbm_gib * _GIB)
    if hbm > HBM_WINDOW_BYTES:
        reader.add(path, f"hbm_gib: {shown(values.hbm_gib)} GiB in one cube (its addresses reach 256 GiB)")
    if hbm % values.hbm_slices:
        reader.add(path, f"hbm_slices: {hbm} bytes cannot be cut into {values.hbm_slices} equal slices")
    for what, count, most in (("packages", sips, SIPS), ("cubes", cubes, CUBE_DIES), ("IO chiplets", ios, IO_DIES)):
        if count > most:
            reader.add(("sips",) if what == "packages" else ("sip",), f"{count} {what} (the address has {most})")
    sram_offset = sram_bytes = None
    if values.sram_offset_gib is not None and values.sram_kib is not None:
        sram_offset = _whole_bytes(reader, path, "sram_offset_gib", values.sram_offset_gib * _GIB)
        sram_bytes = _whole_bytes(reader, path, "sram_kib", values.sram_kib * _KIB)
        if sram_offset < hbm:
            reader.add(
                path, f"sram_offset_gib: the SRAM would lie in the HBM, which ends at {shown(values.hbm_gib)} GiB"
            )
        if sram_offset + sram_bytes > HBM_WINDOW_BYTES:
            reader.add(path, "sram_offset_gib: the SRAM would end beyond 256 GiB, where the cube's addresses end")
    burst_bytes, pseudo_channels = (_power_of_two(reader, blueprint, key) for key in ("burst_bytes", "num_pcs"))
    if len(reader.findings.problems) > before:
        return None
    return AddressMap(sips, cubes, ios, hbm, values.hbm_slices, burst_bytes, pseudo_channels, sram_offset, sram_bytes)


def _whole_bytes(reader: Reader, path: Path, key: str, size: Fraction) -> int:
    if size.denominator != 1:
        reader.add(path, f"{key}: is no whole number of bytes")
    return int(size)


def _power_of_two(reader: Reader, blueprint: CubeBlueprint, key: str) -> int | None:
    """A parameter of the HBM controllers that cuts the address into bits; None if they do not have it."""
    part, _ = blueprint.inside.parts["hbm_ctrl.pe0"]
    if key not in part.parameters:
        return None
    value = part.parameters[key]
    if isinstance(value, bool) or not isinstance(value, int) or value < 1 or value & (value - 1):
        message = f"{key}: must be a power of two, which bits of the address choose, not {shown(value)}"
        reader.findings.problems.append(part.origin[key].problem(message))
        return None
    return value
