"""Arrays that grow piece by piece."""

from __future__ import annotations

import numpy as np

from simcore.program.columns import Array

_MARGIN = 1.1


class GrowingArray:
    """An array to which pieces are added.

    It is made as large as all pieces may need when the first one comes. Memory that is never filled is never touched,
    so it costs nothing, while joining the pieces in the end would touch all of it twice.
    """

    def __init__(self, dtype: type[np.generic]) -> None:
        self._array: Array = np.empty(0, dtype)
        self._length = 0

    def extend(self, piece: Array, expected_pieces: float) -> None:
        """Adds a piece, whose values must fit; about ``expected_pieces`` like the first one will come in all."""
        end = self._length + len(piece)
        if end > len(self._array):
            expected = len(piece) * expected_pieces if self._length == 0 else 1.5 * len(self._array)
            larger: Array = np.empty(max(end, int(_MARGIN * expected)), self._array.dtype)
            larger[: self._length] = self._array[: self._length]
            self._array = larger
        self._array[self._length : end] = piece
        self._length = end

    def filled(self) -> Array:
        """The array so far."""
        filled: Array = self._array[: self._length]
        return filled
