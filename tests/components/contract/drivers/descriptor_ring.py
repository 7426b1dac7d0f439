"""Drives a descriptor ring: more transfers than it has slots, so that triggers wait for the oldest to leave."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.core.descriptor_ring import DescriptorRing
from components.core.work import TRIGGERED, Work
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench
from tests.components.contract.hand_lane import HandLane

TRANSFERS_PS = [(900, 1000), (300, 2000), (0, 0), (700, 700), (100, 500)]
"""Of each transfer: ticks to next-dispatch, ticks to its end."""


def parameters(impl: str) -> dict[str, object]:
    return {"depth": 2}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    ring = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(ring, DescriptorRing)
    batch: list[Countdown] = []

    def send_batch() -> Event:
        batch[:] = [Countdown(env, len(TRANSFERS_PS), "batch")]
        triggers.begin(enrolled())
        return batch[0]

    def enrolled() -> list[Work]:
        works = []
        for i, ticks in enumerate(TRANSFERS_PS):
            trigger, transfer = triggers.work(2 * i, f"go{i}", 10, 10), transfers.work(2 * i + 1, f"x{i}", *ticks)
            transfer.waits += 1
            trigger.tell_start((transfer, TRIGGERED))
            ring.enrol(trigger, transfer)
            works.append(trigger)
        return works

    def leave_twice() -> None:
        trigger, transfer = triggers.work(0, "go", 10, 10), transfers.work(1, "x", 10, 10)
        ring.enrol(trigger, transfer)
        ((place, rank),) = transfer.on_dispatch or []
        for _ in range(2):
            place.wait_over(env.now, rank, transfer)

    def note(work: Work) -> None:
        board.answers.append((env.now, work.name))
        batch[0].arrive()

    triggers = HandLane(env, f"{name}.triggers", lambda _: None)
    transfers = HandLane(env, f"{name}.transfers", note)
    board = Bench(ring, send_batch, len(TRANSFERS_PS), {"a transfer that leaves twice": leave_twice})
    return board
