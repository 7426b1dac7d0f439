"""Descriptor ring: so many transfers may be under way at once; a trigger waits for the oldest to make room.

First action: creates one channel whose capacity is the ring's depth. Slots are asked for in program order when the
program is loaded, since that is the order in which the descriptors are written; a slot is freed when its transfer
reaches next-dispatch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from simpy.events import Event

from components.core.work import RING, Work
from components.registry import register
from simcore.kernel import Channel, Environment, Part, Port, Token


class DescriptorRingParameters(BaseModel):
    """``depth``: descriptors that the ring holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    depth: Annotated[int, Field(ge=1)]


class _Slot:
    """A trigger's place in the ring, from its grant to its transfer's next-dispatch."""

    __slots__ = ("oldest", "ring", "token", "trigger")

    def __init__(self, ring: DescriptorRing, token: Token, trigger: Work, oldest: Work | None) -> None:
        self.ring = ring
        self.token = token
        self.trigger = trigger
        self.oldest = oldest

    def granted(self, _event: Event) -> None:
        """The oldest transfer has left, so the trigger may go."""
        assert self.oldest is not None
        self.trigger.wait_over(self.ring.env.now, RING, self.oldest)

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """The transfer has reached its next-dispatch: its slot is free."""
        self.ring.completed += 1
        self.ring.slots.release(self.token)

    def leads_to(self, work: Work) -> bool:
        """Whether ``work`` is the trigger that will take this slot."""
        return any(token.who is work.lane and token.instruction == work.name for token in self.ring.slots.waiters)


@register("descriptor_ring", "program_order", default=True)
class DescriptorRing(Part[DescriptorRingParameters]):
    """One ring. ``accepted`` counts triggers, ``completed`` freed slots."""

    def __init__(
        self, env: Environment, name: str, parameters: DescriptorRingParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.slots = Channel(env, f"{name}.slots", parameters.depth)
        self._transfers: deque[Work] = deque(maxlen=parameters.depth)

    def enrol(self, trigger: Work, transfer: Work) -> None:
        """``trigger`` will start ``transfer`` through this ring."""
        self.accepted += 1
        token = self.slots.acquire(trigger.lane, trigger.name)
        if token.processed:
            slot = _Slot(self, token, trigger, None)
        else:
            slot = _Slot(self, token, trigger, self._transfers[0])
            trigger.waits += 1
            token.callbacks.append(slot.granted)
        self._transfers.append(transfer)
        transfer.tell_dispatch(slot, RING)
