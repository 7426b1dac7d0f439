"""The twenty element types of the backend IR: codes, names and sizes.

The ``_x4`` types are containers of four values; element counts count containers.
"""

from __future__ import annotations

from enum import IntEnum


class DType(IntEnum):
    """An element type; the value is its code in program files."""

    uint8 = 0
    int8 = 1
    float4_e2m1fn_x4 = 2
    float8e3 = 3
    float8e4 = 4
    float8_e4m3fn = 5
    float8_e8m0fnu = 6
    float8e5 = 7
    float8_e4m3fn_x4 = 8
    float8_e5m2_x4 = 9
    uint16 = 10
    int16 = 11
    bfloat16 = 12
    float16 = 13
    uint32 = 14
    int32 = 15
    float32 = 16
    float32r = 17
    uint64 = 18
    int64 = 19

    @property
    def nbytes(self) -> int:
        """Bytes of one element."""
        return DTYPE_BYTES[self]


DTYPE_BYTES = (1, 1, 2, 1, 1, 1, 1, 1, 4, 4, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8)
"""Element size in bytes by dtype code."""
