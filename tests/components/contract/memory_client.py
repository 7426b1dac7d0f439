"""The surroundings of a memory at the end of a path: a client whose requests meet, turn round and wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simpy.events import Event

from components.registry import Registered
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench
from tests.components.memory.bench_of_hbm import memory_bench

# (ps after the one before, direction, address, bytes)
BATCH = [
    (0, "read", 0, 1000),
    (0, "write", 0, 1000),
    (500, "read", 0x800, 300),
    (0, "write", 0x100, 0),
    (70_000, "write", 0x77, 5000),
    (1, "read", 0x40, 1),
]


def bench_of(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    """The memory under ``name``, behind a router."""
    made = memory_bench(entry.kind, name, entry.impl, env=env, parameters=parameters)
    memory = made.memory

    def send_batch() -> Event:
        left = Countdown(env, 2 * len(BATCH), "batch")
        env.spawn(client(left), "client")
        return left

    def client(left: Countdown):
        for number, (pause_ps, direction, address, nbytes) in enumerate(BATCH):
            yield env.timeout(pause_ps)
            tag = f"q{number}"
            request = made.send(direction, address, nbytes, tag)
            assert request.outward is not None and request.outward.done is not None
            request.outward.done.callbacks.append(lambda _, tag=tag: note(f"{tag} there", left))
            request.done.callbacks.append(lambda _, tag=tag: note(f"{tag} back", left))

    def note(what: str, left: Countdown) -> None:
        board.answers.append((env.now, what))
        left.arrive()

    def refused(*arguments: Any):
        return lambda: memory.access(*arguments)

    board = Bench(
        memory,
        send_batch,
        2 * len(BATCH),
        bad_requests={
            "an unknown direction": refused("sideways", 0, 8, 256),
            "a negative size": refused("read", 0, -8, 256),
            "an address that is no int": refused("read", 0.5, 8, 256),
            "flits of nothing": refused("read", 0, 8, 0),
        },
        batch_bytes=sum(nbytes for *_, nbytes in BATCH),
        moved_bytes=lambda: sum(memory.moved_bytes.values()),
    )
    return board
