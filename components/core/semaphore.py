"""Semaphores: carry the news that a producer is done to a consumer on another lane, with a delay if they have one.

First action: none; an edge is connected when the program is loaded. With no delay the consumer is told at the very
instant, without an event; with one, a delay runs for each edge from the producer's moment on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from components.core.lane import Ns
from components.core.work import Waiter, Work
from components.registry import register
from simcore.kernel import Environment, Part, Port, Timeout
from simcore.units import TICKS_PER_NS


class SemaphoreParameters(BaseModel):
    """``latency_ns``: from the producer's moment to the consumer's being free to start."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    latency_ns: Ns


@register("semaphore", "fixed_latency", default=True)
class Semaphores(Part[SemaphoreParameters]):
    """The semaphores of one core. ``accepted`` and ``completed`` count edges that take time."""

    def __init__(
        self, env: Environment, name: str, parameters: SemaphoreParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.latency_ticks = parameters.latency_ns * TICKS_PER_NS

    def towards(self, consumer: Work) -> Waiter:
        """Whom to tell so that ``consumer`` hears of it through a semaphore."""
        if not self.latency_ticks:
            return consumer
        self.accepted += 1
        return _Edge(self, consumer)


class _Edge:
    """One wait of ``consumer``, which hears of its end after the latency."""

    __slots__ = ("consumer", "via")

    def __init__(self, semaphores: Semaphores, consumer: Work) -> None:
        self.via = semaphores
        self.consumer = consumer

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """The producer's moment has come."""
        semaphores, consumer = self.via, self.consumer
        env, record = semaphores.env, semaphores.record

        def arrive(_news: object) -> None:
            semaphores.completed += 1
            if record is not None:
                record((env.now, semaphores.name, "arrive", consumer.name, on.name))
            consumer.wait_over(env.now, rank, on)

        if record is not None:
            record((now, semaphores.name, "signal", consumer.name, on.name))
        Timeout(env, semaphores.latency_ticks).callbacks.append(arrive)

    def followers(self, on: Work) -> Iterable[Work]:
        """The consumer."""
        return (self.consumer,)
