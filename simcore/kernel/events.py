"""Events that need no turn in the queue, and a counter that spares an event per arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simpy.events import Event

from simcore.kernel.errors import CountdownMisuse

if TYPE_CHECKING:
    from simcore.kernel.environment import Environment


def settle(event: Event, value: Any = None) -> None:
    """Makes ``event`` have happened at this instant: a process that yields it goes straight on.

    Only for an event that nobody waits for yet, since no callback will run.
    """
    event._ok = True
    event._value = value
    event.callbacks = None  # type: ignore[assignment]


class Countdown(Event):
    """An event that happens when ``arrivals`` things have arrived; a count of 0 has happened at once.

    It replaces SimPy's ``AllOf``, whose cost grows with every event it watches: here n arrivals cost one event.
    """

    env: Environment

    def __init__(self, env: Environment, arrivals: int, name: str) -> None:
        super().__init__(env)
        if type(arrivals) is not int or arrivals < 0:
            raise CountdownMisuse(name, env.now, f"cannot count {arrivals!r} arrivals (an int, 0 or more)")
        self.name = name
        self.missing = arrivals
        """Arrivals still to come."""
        if arrivals == 0:
            settle(self)

    def arrive(self, _event: Event | None = None) -> None:
        """Counts one arrival; takes an event so that it can stand among an event's ``callbacks``."""
        self.missing -= 1
        if self.missing == 0:
            self.succeed()
        elif self.missing < 0:
            raise CountdownMisuse(self.name, self.env.now, "one arrival more than the countdown counts")
