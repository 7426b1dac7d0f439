"""A slave whose registers are polled: the wait of ``poll_until``, and the transfers that the polls slow down."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from simpy.events import Event

from simcore.kernel import Environment
from simcore.timing.clock import Clock, Cycles
from simcore.timing.polling import BusPollers, PollCondition, discovery_cycles
from simcore.timing.transfers import PortLatency, full_read, full_write


class PolledSlave:
    """Registers on a bus, by address, all 0 at first. Loosely timed: a transfer is one delay, a wait one event a write.

    ``is_shared`` False is a point-to-point link: polls on it slow nobody down.
    """

    def __init__(
        self,
        env: Environment,
        name: str,
        clock: Clock,
        *,
        latency: PortLatency | None = None,
        access: int = 0,
        warn: Callable[[str], None],
        is_shared: bool = True,
    ) -> None:
        self.env = env
        self.name = name
        self.clock = clock
        self.latency = latency or PortLatency()
        self.access = access
        """Cycles of the slave itself for a read."""
        self.is_shared = is_shared
        self.pollers = BusPollers(name, warn)
        self._registers: dict[int, int] = {}
        self._waiters: list[Event] = []

    def peek(self, address: int) -> int:
        """The register's value now, without taking time."""
        return self._registers.get(address, 0)

    def write(self, address: int, value: int, words: int = 1) -> Generator[Event, Any, None]:
        """Writes a register; the transfer is slowed by the polls under way when it starts, and wakes who waits."""
        stretch = self.pollers.stretch if self.is_shared else 1
        yield self.env.timeout(self.clock.ticks(full_write(words, self.latency, stretch)))
        self._registers[address] = value
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.succeed()

    def read(self, address: int, words: int = 1) -> Generator[Event, Any, int]:
        """Reads a register; its words are slowed by the polls under way when they come back."""
        there = full_read(0, PortLatency(self.latency.initial), self.access)
        yield self.env.timeout(self.clock.ticks(there))
        value = self.peek(address)
        stretch = self.pollers.stretch if self.is_shared else 1
        back = full_read(words, PortLatency(0, self.latency.read_return), 0, stretch)
        yield self.env.timeout(self.clock.ticks(back))
        return value

    def poll_until(
        self,
        address: int,
        condition: PollCondition,
        interval: Cycles,
        *,
        beat_cost: Cycles = 1,
        discovery: str = "mean",
    ) -> Generator[Event, Any, int]:
        """Waits until the register meets ``condition`` and a poll of every ``interval`` cycles has seen it.

        The poll takes its share of the bus until it has seen the change, so it slows the very write it waits for.
        Returns the value that ended it.
        """
        seen_after = self.clock.ticks(discovery_cycles(interval, discovery))
        ticket = self.pollers.start(interval, beat_cost)
        value = self.peek(address)
        while not condition.holds(value):
            written = self.env.event()
            self._waiters.append(written)
            yield self.env.me.waiting_on(written, self.name, f"register {address}", by_program=True)
            value = self.peek(address)
        yield self.env.timeout(seen_after)
        self.pollers.stop(ticket)
        return value
