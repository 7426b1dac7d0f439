"""A channel: a guarded resource of ``capacity`` slots, granted in the order of request.

It replaces ``simpy.Resource``, which accepts a second release in silence, knows no name and schedules an event for
every request and every release. A free slot is granted in place; only a grant to one who waits takes an event.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simpy.events import Event

from simcore.kernel.errors import ChannelMisuse
from simcore.kernel.events import settle
from simcore.kernel.naming import Named

if TYPE_CHECKING:
    from simcore.kernel.environment import Environment


class Token(Event):
    """One request for a slot of a channel: happens when granted, and is what :meth:`Channel.release` takes back."""

    def __init__(self, env: Environment, channel: Channel, who: Named, instruction: str) -> None:
        self.env = env  # what Event.__init__ does, without the call: a fifth of the price of an acquire and a release
        self.callbacks = []
        self.channel = channel
        self.who = who
        self.instruction = instruction
        self.since_ticks = env.now
        """When it was requested; from the grant on, when it was granted."""


class Channel:
    """``capacity`` slots, first come, first served.

    Requests of one instant are served in the order in which they were made, even where a slot falls free at that same
    instant: a newcomer never overtakes one who waits. A token may be released by another process than the one that
    acquired it (a ring's slot is freed by its transfer); it is the token that entitles, once.
    """

    def __init__(self, env: Environment, name: str, capacity: int = 1) -> None:
        if type(capacity) is not int or capacity < 1:
            raise ChannelMisuse(name, env.now, f"capacity {capacity!r} (an int, 1 or more)")
        env.claim(name)
        env.channels.append(self)
        self.env = env
        self.name = name
        self.capacity = capacity
        self.holders: dict[Token, None] = {}
        """Granted tokens, in order of grant."""
        self.waiters: deque[Token] = deque()
        """Tokens still to be granted, in order of request."""
        self._busy_ticks = 0
        self._wait_ticks = 0
        self._record = env.record

    def acquire(self, who: Named, instruction: str = "") -> Token:
        """Requests a slot for ``who`` (the part or process that will hold it), on behalf of ``instruction``.

        Yield the token to wait for the grant; keep it for :meth:`release`.
        """
        token = Token(self.env, self, who, instruction)
        if len(self.holders) < self.capacity:
            settle(token)
            self.holders[token] = None
            if self._record is not None:
                self._record((self.env.now, self.name, "grant", instruction, who.name))
        else:
            self.waiters.append(token)
        return token

    def release(self, token: Token) -> None:
        """Gives the slot back, and to the first who waits. Raises ChannelMisuse if ``token`` holds no slot here."""
        holders = self.holders
        if token not in holders:
            raise ChannelMisuse(self.name, self.env.now, self._why_not(token))
        del holders[token]
        now = self.env.now
        self._busy_ticks += now - token.since_ticks
        if self._record is not None:
            self._record((now, self.name, "release", token.instruction, token.who.name))
        if self.waiters:
            following = self.waiters.popleft()
            self._wait_ticks += now - following.since_ticks
            following.since_ticks = now
            holders[following] = None
            following.succeed()
            if self._record is not None:
                self._record((now, self.name, "grant", following.instruction, following.who.name))

    @property
    def busy_ticks(self) -> int:
        """Picoseconds for which slots have been held, summed over the slots, up to now."""
        now = self.env.now
        return self._busy_ticks + sum(now - token.since_ticks for token in self.holders)

    @property
    def wait_ticks(self) -> int:
        """Picoseconds for which requests have waited, summed over the requests, up to now."""
        now = self.env.now
        return self._wait_ticks + sum(now - token.since_ticks for token in self.waiters)

    def _why_not(self, token: Token) -> str:
        asked = f"{token.who.name} for {token.instruction or 'no instruction'}"
        if token.channel is not self:
            return f"released with a token of channel {token.channel.name} ({asked})"
        if token in self.waiters:
            return f"released before it was granted ({asked})"
        return f"released twice ({asked})"
