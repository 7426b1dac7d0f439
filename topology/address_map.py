"""The 51-bit physical address: which package, which die, and where in the die (ADR-0042).

Bits 50:47 are the package (SIP), 46:42 the die, 41:0 the offset in it. Dies 0 to 15 are HBM cubes, 16 to 20 IO
chiplets.
(The published predecessor's address layout of April 2026.)
"""

from __future__ import annotations

from dataclasses import dataclass

from simcore.errors import InputError, Problem

ADDRESS_BITS = 51
SIP_SHIFT, SIPS = 47, 16
DIE_SHIFT, DIES = 42, 32
OFFSET_BYTES = 1 << DIE_SHIFT
HBM_WINDOW_BYTES = 256 << 30
"""An HBM die uses no more than the lowest part of its offsets."""
FIRST_IO_DIE, IO_DIES = 16, 5
CUBE_DIES = FIRST_IO_DIE
IO_WINDOW_BYTES = 1 << 40


class AddressError(InputError):
    """An address, or a field of one, that names nothing."""

    def __init__(self, message: str) -> None:
        super().__init__([Problem(message, "<address>")])


@dataclass(frozen=True, slots=True)
class Fields:
    """The three fields of an address."""

    sip: int
    die: int
    offset: int


def encode(sip: int, die: int, offset: int) -> int:
    """The address of ``offset`` (bytes) in ``die`` of ``sip``. Raises AddressError naming the field that overflows."""
    for name, value, end in (("sip", sip, SIPS), ("die", die, DIES), ("offset", offset, OFFSET_BYTES)):
        if not 0 <= value < end:
            raise AddressError(f"{name} {value} does not fit its field (allowed: 0 to {end - 1})")
    return sip << SIP_SHIFT | die << DIE_SHIFT | offset


def decode(address: int) -> Fields:
    """The fields of ``address``. Raises AddressError if it has more than 51 bits or is negative."""
    if not 0 <= address < 1 << ADDRESS_BITS:
        shown = hex(address) if address >= 0 else str(address)
        raise AddressError(f"address {shown} does not fit {ADDRESS_BITS} bits")
    return Fields(address >> SIP_SHIFT, address >> DIE_SHIFT & DIES - 1, address & OFFSET_BYTES - 1)


@dataclass(frozen=True, slots=True)
class AddressMap:
    """How one system uses its addresses. Sizes in bytes.

    Offsets of a cube's die: HBM from 0, slice after slice; the SRAM from ``sram_offset``, if it has an address.
    A burst of ``burst_bytes`` lies in one of ``pseudo_channels`` of a slice; both are powers of two, or None.
    """

    sips: int
    cubes: int
    ios: int
    hbm_bytes: int
    slices: int
    burst_bytes: int | None
    pseudo_channels: int | None
    sram_offset: int | None
    sram_bytes: int | None

    @property
    def slice_bytes(self) -> int:
        """HBM of one PE tile."""
        return self.hbm_bytes // self.slices
