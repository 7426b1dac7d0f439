"""Descriptor ring: so many transfers may be under way at once; a trigger waits for the oldest to make room.

First action: creates one channel whose capacity is the ring's depth. Descriptors are written in program order,
whichever engine their triggers run on. A transfer leaves the ring when it has reached its next-dispatch and is the
oldest there; that frees its slot for the first trigger that waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from components.core.work import RING, Work
from components.registry import register
from simcore.kernel import Channel, Environment, Part, Port, Story, Token


class DescriptorRingParameters(BaseModel):
    """``depth``: descriptors that the ring holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    depth: Annotated[int, Field(ge=1)]


@register("descriptor_ring", "program_order", default=True)
class DescriptorRing(Part[DescriptorRingParameters]):
    """One ring. ``accepted`` counts triggers, ``completed`` transfers that have left.

    ``occupied_ticks`` is the time for which descriptors were in the ring, from their trigger's start on, summed over
    the descriptors; divided by the time of a run it is the mean number of them.
    """

    def __init__(
        self, env: Environment, name: str, parameters: DescriptorRingParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.slots = Channel(env, f"{name}.slots", parameters.depth)
        self.occupied_ticks = 0
        self._inside: deque[_Descriptor] = deque()
        self._waiting: deque[tuple[_Descriptor, Work]] = deque()
        self._latest: deque[_Descriptor] = deque(maxlen=parameters.depth)

    def enrol(self, trigger: Work, transfer: Work) -> None:
        """``trigger`` will start ``transfer`` through this ring; calls come in program order."""
        self.accepted += 1
        oldest = self._latest[0] if len(self._latest) == self.parameters.depth else None
        descriptor = _Descriptor(self, trigger, transfer)
        transfer.tell_dispatch((descriptor, RING))
        self._latest.append(descriptor)
        if oldest is None or oldest.has_left:
            self._take_slot(descriptor)
            return
        trigger.waits += 1
        oldest.follower = trigger
        self._waiting.append((descriptor, oldest.transfer))
        if len(self._waiting) == 1:
            self.spawn(self._write(), "write")

    def transferred(self, descriptor: _Descriptor) -> None:
        """The transfer of ``descriptor`` has reached its next-dispatch; it leaves once it is the oldest."""
        if descriptor.is_over:
            raise self.error(f"{descriptor.transfer.name} leaves a second time")
        descriptor.is_over = True
        while self._inside and self._inside[0].is_over:
            oldest = self._inside.popleft()
            oldest.has_left = True
            self.completed += 1
            self.occupied_ticks += self.env.now - oldest.trigger.start_at
            self.slots.release(oldest.token)

    def _write(self) -> Story:
        """Takes a slot for each descriptor that finds the ring full, and then lets its trigger go."""
        while self._waiting:
            descriptor, oldest = self._waiting[0]
            yield self._take_slot(descriptor)
            self._waiting.popleft()
            descriptor.trigger.wait_over(self.env.now, RING, oldest)

    def _take_slot(self, descriptor: _Descriptor) -> Token:
        transfer = descriptor.transfer
        descriptor.token = token = self.slots.acquire(transfer.lane, transfer.name)
        self._inside.append(descriptor)
        return token


class _Descriptor:
    """A transfer's place in the ring, told when the transfer reaches its next-dispatch."""

    __slots__ = ("follower", "has_left", "is_over", "token", "transfer", "trigger", "via")

    token: Token

    def __init__(self, ring: DescriptorRing, trigger: Work, transfer: Work) -> None:
        self.via = ring
        self.trigger = trigger
        self.transfer = transfer
        self.is_over = False
        self.has_left = False
        self.follower: Work | None = None
        """The trigger that waits for this place."""

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """The transfer has reached its next-dispatch."""
        self.via.transferred(self)

    def followers(self, on: Work) -> Iterable[Work]:
        """The trigger that waits for this place, if there is one."""
        return () if self.follower is None else (self.follower,)
