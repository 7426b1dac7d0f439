"""Element types: the profiler's names, and what type bytes have when an instruction does not say.

A DMA moves bytes, a matmul's result and a scalar pointer carry no type. Memory keeps what was written to it, so the
type comes from the instruction that next reads the written bytes, or that last wrote the read ones.
"""

from __future__ import annotations

from bisect import bisect_left

from simcore.program.dtypes import DType

ELEMENT_TYPES: dict[str, str] = {
    **{d.name: d.name for d in DType},
    "bf16": "bfloat16",
    "fp16": "float16",
    "fp32": "float32",
    "fp32r": "float32r",
}
"""Type names that operand text uses -> the IR's names."""

_GRANULE = 2048


class TypedMemory:
    """Typed accesses by place and program position; a place is (space, first byte, past the last byte)."""

    def __init__(self) -> None:
        self._by_granule: dict[tuple[str, int], list[tuple[int, int, int, str]]] = {}

    def add(self, position: int, space: str, begin: int, end: int, dtype: str) -> None:
        """Notes an access; positions must not decrease."""
        for granule in range(begin // _GRANULE, (end - 1) // _GRANULE + 1):
            self._by_granule.setdefault((space, granule), []).append((position, begin, end, dtype))

    def type_written(self, position: int, space: str, begin: int, end: int) -> str | None:
        """The type of bytes that the instruction at ``position`` writes: as the next access sees them."""
        return self._after(position, space, begin, end) or self._before(position, space, begin, end)

    def type_read(self, position: int, space: str, begin: int, end: int) -> str | None:
        """The type of bytes that the instruction at ``position`` reads: as the access before left them."""
        return self._before(position, space, begin, end) or self._after(position, space, begin, end)

    def _after(self, position: int, space: str, begin: int, end: int) -> str | None:
        nearest: tuple[int, str] | None = None
        for granule in range(begin // _GRANULE, (end - 1) // _GRANULE + 1):
            accesses = self._by_granule.get((space, granule), [])
            for k in range(bisect_left(accesses, (position + 1,)), len(accesses)):
                at, low, high, dtype = accesses[k]
                if low < end and begin < high:
                    if nearest is None or at < nearest[0]:
                        nearest = (at, dtype)
                    break
        return nearest[1] if nearest else None

    def _before(self, position: int, space: str, begin: int, end: int) -> str | None:
        nearest: tuple[int, str] | None = None
        for granule in range(begin // _GRANULE, (end - 1) // _GRANULE + 1):
            accesses = self._by_granule.get((space, granule), [])
            for k in range(bisect_left(accesses, (position,)) - 1, -1, -1):
                at, low, high, dtype = accesses[k]
                if low < end and begin < high:
                    if nearest is None or at > nearest[0]:
                        nearest = (at, dtype)
                    break
        return nearest[1] if nearest else None
