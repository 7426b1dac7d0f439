"""A block's event names, decoded one at a time: what a reader of a few events, or of millions in turn, needs."""

from __future__ import annotations

import numpy as np

from simcore.program.columns import Array, Columns


class EventNames:
    """``names[i]`` is the name of event ``i``. Holds 8 bytes per event and none of the strings."""

    def __init__(self, columns: Columns) -> None:
        self._text = columns.names
        separators = np.flatnonzero(columns.names == 0)
        self._end: Array = np.append(separators, len(columns.names)) if len(columns) else separators

    def __len__(self) -> int:
        return len(self._end)

    def __getitem__(self, i: int) -> str:
        begin = int(self._end[i - 1]) + 1 if i else 0
        return self._text[begin : int(self._end[i])].tobytes().decode()
