"""Names as columns store them (joined by NUL): what is wrong with them, and where wanted ones stand.

A set of a million strings takes a second and 100 MB, so of large blocks 64-bit hashes are compared. If all is plain and
no two hashes are equal, all is well; otherwise the names themselves are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np

from simcore.program.columns import NAME_SEPARATOR, Array
from simcore.program.faults import shown
from simcore.program.npz.kernels import SMALL, compiled, hash_names


class NameText:
    """The text (uint8) of the names of ``n`` events."""

    def __init__(self, text: Array, n: int) -> None:
        self.text = text
        self.n = n
        self._hashes = _hashes(text, n) if n > SMALL else None

    def faults(self) -> Iterator[str]:
        """What is wrong: too many or few names, or one that is empty, unprintable or repeated."""
        if self._hashes is not None and _all_different(self._hashes):
            return
        try:
            names = self._all()
        except UnicodeDecodeError as error:
            yield f"not UTF-8 text: {error.reason} at byte {error.start}"
            return
        if len(names) != self.n:
            yield f"{len(names)} names for {self.n} events"
        for name, count in Counter(names).items():
            if not name or not name.isprintable():
                yield f"the name {shown(name)} is {'not printable' if name else 'empty'}"
            elif count > 1:
                yield f"the name {shown(name)} stands {count} times"

    def positions(self, wanted: Collection[str]) -> dict[str, int]:
        """Where each of the ``wanted`` names stands, if it does. There must be no faults."""
        if self._hashes is None:
            return {name: k for k, name in enumerate(self._all()) if name in wanted}
        text = np.frombuffer(NAME_SEPARATOR.join(wanted).encode(), np.uint8)
        sought = _hashes(text, len(wanted))
        if sought is None:
            return {name: k for k, name in enumerate(self._all()) if name in wanted}
        ends = np.append(np.flatnonzero(self.text == 0), len(self.text))
        found = {}
        for k in np.flatnonzero(np.isin(self._hashes, sought)).tolist():
            begin = int(ends[k - 1]) + 1 if k else 0
            found[self.text[begin : int(ends[k])].tobytes().decode()] = k
        return {name: k for name, k in found.items() if name in wanted}

    def _all(self) -> list[str]:
        return self.text.tobytes().decode().split(NAME_SEPARATOR) if len(self.text) or self.n else []


def _all_different(hashes: Array) -> bool:
    ordered = np.sort(hashes)
    return not np.any(ordered[1:] == ordered[:-1])


def _hashes(text: Array, n: int) -> Array | None:
    """A hash of each of ``n`` names, or None if they are not that many or not plain ASCII."""
    hashes = np.empty(n, np.uint64)
    count, is_plain = compiled(hash_names)(text, hashes)
    return hashes if is_plain and count == n else None
