"""Semaphores: carry the news that a producer is done to a consumer on another lane, with a delay if they have one.

First action: none; an edge is connected when the program is loaded. With no delay the consumer is told at the very
instant, without an event; with one, a delay runs for each edge from the producer's moment on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.core.engine import Ns
from components.core.work import Waiter, Work
from components.registry import register
from simcore.kernel import Environment, Part, Port, Timeout
from simcore.units import TICKS_PER_NS


class SemaphoreParameters(BaseModel):
    """``latency_ns``: from the producer's moment to the consumer's being free to start."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    latency_ns: Ns


class _Edge:
    """One wait on its way to the consumer."""

    __slots__ = ("consumer", "on", "rank", "semaphores")

    def __init__(self, semaphores: Semaphores, consumer: Waiter) -> None:
        self.semaphores = semaphores
        self.consumer = consumer
        self.rank = 0
        self.on: Work | None = None

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """The producer's moment has come; the consumer hears of it after the latency."""
        self.rank, self.on = rank, on
        Timeout(self.semaphores.env, self.semaphores.latency_ticks).callbacks.append(self._arrive)

    def leads_to(self, work: Work) -> bool:
        """Whether the news is for ``work``."""
        return self.consumer.leads_to(work)

    def _arrive(self, _event: Event) -> None:
        assert self.on is not None
        self.semaphores.completed += 1
        self.consumer.wait_over(self.semaphores.env.now, self.rank, self.on)


@register("semaphore", "fixed_latency", default=True)
class Semaphores(Part[SemaphoreParameters]):
    """The semaphores of one core. ``accepted`` and ``completed`` count edges that take time."""

    def __init__(
        self, env: Environment, name: str, parameters: SemaphoreParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.latency_ticks = parameters.latency_ns * TICKS_PER_NS

    def towards(self, consumer: Waiter) -> Waiter:
        """Whom to tell so that ``consumer`` hears of it through a semaphore."""
        if not self.latency_ticks:
            return consumer
        self.accepted += 1
        return _Edge(self, consumer)
