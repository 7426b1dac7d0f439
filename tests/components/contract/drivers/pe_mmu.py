"""Drives an MMU: pages that are mapped, looked up, replaced in a small TLB, and unmapped."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from simpy.events import Event

from components.pe.mmu import Lookup, PageRequest
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench

LOOKUPS = [
    (0, 0x1000, 100),
    (0, 0x1F00, 5000),
    (0, 0x1000, 1),
    (300, 0x3000, 4096),
    (0, 0x1000, 0),
    (60_000, 0x2000, 8),
]
"""(ps after the one before, address, bytes); three pages from 0x1000 on are mapped before them."""


def parameters(impl: str) -> dict[str, object]:
    given = {"page_bytes": 4096, "tlb_hit_ns": 0.5, "tlb_miss_ns": 12.5}
    return given if impl == "unbounded_tlb" else {**given, "tlb_entries": 2}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    lookups, pages = Port(env, f"dma->{name}", Lookup), Port(env, f"cpu->{name}", PageRequest)
    lookups.attach("out", Actor("dma"))
    pages.attach("out", Actor("cpu"))
    mmu = build(env, entry.kind, name, parameters, {"lookups": lookups, "pages": pages}, entry.impl)

    def send_batch() -> Event:
        left = Countdown(env, len(LOOKUPS) + 2, "batch")
        env.spawn(client(left), "client")
        return left

    def client(left: Countdown):
        pages.put(PageRequest(0x1000, 0x8_0000, 3 * 4096, answer("map", left)))
        events = []
        for number, (pause_ps, address, nbytes) in enumerate(LOOKUPS):
            yield env.timeout(pause_ps)
            events.append(answer(f"q{number}", left))
            lookups.put(Lookup(f"read q{number}", address, nbytes, events[-1]))
        for event in events:
            if event.callbacks is not None:
                yield event
        pages.put(PageRequest(0x1000, None, 3 * 4096, answer("unmap", left)))

    def answer(tag: str, left: Countdown) -> Event:
        done = env.event()
        done.callbacks.append(lambda event: note(f"{tag}: {event.value}", left))
        return done

    def note(what: str, left: Countdown) -> None:
        board.answers.append((env.now, what))
        left.arrive()

    def refused(address: object, nbytes: object) -> Callable[[], None]:
        def ask() -> None:
            lookups.put(Lookup("read bad", address, nbytes, done := env.event()))
            env.run(done)

        return ask

    bad = {"a page that is not mapped": refused(0x7000, 8), "a negative size": refused(0x1000, -1)}
    board = Bench(mmu, send_batch, len(LOOKUPS) + 2, bad)
    return board
