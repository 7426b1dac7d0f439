"""A port: the typed, directed hand-over of messages from one part to another, without delay and in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from simpy.events import Event

from simcore.kernel.errors import PortMisuse
from simcore.kernel.events import settle
from simcore.kernel.naming import Named

if TYPE_CHECKING:
    from simcore.kernel.environment import Environment

M = TypeVar("M")
Direction = Literal["in", "out"]


class Arrival(Event):
    """The event of the next message at ``port``; its value is the message."""

    def __init__(self, env: Environment, port: Port[Any]) -> None:
        self.env = env  # what Event.__init__ does, without the call
        self.callbacks = []
        self.port = port


class Port(Generic[M]):
    """Messages of type ``M`` from one sender to one receiver; a port has no delay and no limit of its own.

    The receiver takes messages either in a process (``message = yield port.get()``) or, without any event, in a
    function that :meth:`put` calls in place (:meth:`hand_to`). Delay and limits belong to the parts at its ends.
    """

    def __init__(self, env: Environment, name: str, message: type[M]) -> None:
        env.claim(name)
        env.ports.append(self)
        self.env = env
        self.name = name
        self.message = message
        self.sender: Named | None = None
        self.receiver: Named | None = None
        self.messages: deque[M] = deque()
        """Messages put and not yet taken."""
        self._getters: deque[Arrival] = deque()
        self._handler: Callable[[M], None] | None = None

    def attach(self, end: Direction, actor: Named) -> None:
        """Makes ``actor`` the one receiver (``in``) or the one sender (``out``) of this port."""
        taken = self.receiver if end == "in" else self.sender
        if taken is not None:
            raise self._misuse(f"{actor.name} cannot be connected as a second {_ROLE[end]}")
        if end == "in":
            self.receiver = actor
        else:
            self.sender = actor

    def check_connected(self) -> None:
        """Raises PortMisuse unless both ends are connected."""
        if self.sender is None or self.receiver is None:
            raise self._misuse("an end is not connected")

    def hand_to(self, handler: Callable[[M], None]) -> None:
        """Hands every message to ``handler`` in place, at the instant and in the turn of the sender."""
        if self._handler is not None or self._getters or self.messages:
            raise self._misuse("its messages are already taken in another way")
        self._handler = handler

    def put(self, message: M) -> None:
        """Hands ``message`` over; it never waits."""
        if not isinstance(message, self.message):
            raise self._misuse(f"carries {self.message.__name__}, not {type(message).__name__}")
        if self._handler is not None:
            self._handler(message)
        elif self._getters:
            self._getters.popleft().succeed(message)
        else:
            self.messages.append(message)

    def get(self) -> Arrival:
        """The event of the next message; several getters are served in the order in which they asked."""
        if self._handler is not None:
            raise self._misuse("its messages are handed to a function; nothing is left to get")
        arrival = Arrival(self.env, self)
        if self.messages:
            settle(arrival, self.messages.popleft())
        else:
            self._getters.append(arrival)
        return arrival

    def _misuse(self, what: str) -> PortMisuse:
        sender = self.sender.name if self.sender is not None else "nobody"
        receiver = self.receiver.name if self.receiver is not None else "nobody"
        return PortMisuse(self.name, self.env.now, f"port from {sender} to {receiver}: {what}")


_ROLE: dict[Direction, str] = {"in": "receiver", "out": "sender"}
