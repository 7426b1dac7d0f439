"""A booked channel: when its slots are taken, known ahead of the clock.

Whoever asks says from when on it needs a slot and for how long, and is told at once when it has one: the first gap that
is long enough. Requests that need a slot from the moment on at which they ask are served in the order of asking, as by
:class:`simcore.kernel.Channel`; one that asks for a later moment leaves the time before it to others.
"""

from __future__ import annotations

Span = tuple[int, int]
"""A piece of time that is taken: from its first tick to before its last."""


class BookedChannel:
    """``slots`` slots; times in ticks. ``busy_ticks`` and ``wait_ticks`` are summed over all bookings."""

    def __init__(self, slots: int = 1) -> None:
        self.slots = slots
        self._taken: list[list[Span]] = [[] for _ in range(slots)]
        self.busy_ticks = 0
        self.wait_ticks = 0

    def book(self, asked: int, earliest: int, ticks: int) -> int:
        """When a slot is taken for ``ticks``, no sooner than ``earliest``.

        ``asked``: when it is asked for, which never goes back. A booking of no time begins where a slot is free, and
        takes none.
        """
        begin, place, taken = min(
            ((*_gap(taken, asked, earliest, ticks), taken) for taken in self._taken), key=lambda found: found[0]
        )
        if ticks:
            _take(taken, place, begin, begin + ticks)
        self.busy_ticks += ticks
        self.wait_ticks += begin - earliest
        return begin

    def save(self) -> object:
        """All bookings and the account."""
        return tuple(tuple(taken) for taken in self._taken), self.busy_ticks, self.wait_ticks

    def restore(self, saved: object) -> None:
        """Goes back to what :meth:`save` gave."""
        assert isinstance(saved, tuple)
        taken, self.busy_ticks, self.wait_ticks = saved
        self._taken = [list(slot) for slot in taken]


def _gap(taken: list[Span], asked: int, earliest: int, ticks: int) -> tuple[int, int]:
    """Where a booking of one slot begins, and before which span; drops what nobody can ask about any more."""
    past = 0
    while past < len(taken) and taken[past][1] <= asked:
        past += 1
    del taken[:past]
    if not taken or taken[-1][1] <= earliest:
        return earliest, len(taken)
    begin = earliest
    for place, (since, until) in enumerate(taken):
        if until <= begin:
            continue
        if begin + ticks <= since:
            return begin, place
        begin = until
    return begin, len(taken)


def _take(taken: list[Span], place: int, begin: int, end: int) -> None:
    """Puts a span in front of number ``place``, joined with its neighbours if they touch it."""
    if place < len(taken) and taken[place][0] == end:
        end = taken[place][1]
        del taken[place]
    if place and taken[place - 1][1] == begin:
        begin = taken[place - 1][0]
        place -= 1
        del taken[place]
    taken.insert(place, (begin, end))
