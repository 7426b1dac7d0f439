"""Drives an SBUF: operands that queue in one direction, a write beside them, one of no bytes, flits in between."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.memory.sbuf import Sbuf
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench

# (ps after the one before, direction, sizes in bytes, ps from then on)
STREAMS = [
    (0, "read", (1000, 300), 0),
    (0, "write", (640,), 4000),
    (500, "read", (0,), 0),
    (100, "write", (96,), 0),
]
FLITS = [256, 256, 44]


def parameters(impl: str) -> dict[str, object]:
    return {"read_bw_gbs": 512, "write_bw_gbs": 96.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    sbuf = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(sbuf, Sbuf)
    operands = sum(len(sizes) for _, _, sizes, _ in STREAMS)

    def send_batch() -> Event:
        left = Countdown(env, operands + len(FLITS), "batch")
        env.spawn(client(left), "client")
        return left

    def client(left: Countdown):
        for number, (pause_ps, direction, sizes, later_ps) in enumerate(STREAMS):
            yield env.timeout(pause_ps)
            _, until = sbuf.stream(direction, sizes, env.now + later_ps, f"q{number}")
            for _ in sizes:
                answer(until, f"q{number}", left)
        access = sbuf.access("write")
        for flit, nbytes in enumerate(FLITS):
            answer(access.serve(flit, nbytes, env.now), f"flit {flit}", left)

    def answer(until: int, what: str, left: Countdown) -> None:
        done = env.timeout(until - env.now)
        done.callbacks.append(lambda _: board.answers.append((env.now, what)))
        done.callbacks.append(left.arrive)

    def refused(*arguments: object):
        return lambda: sbuf.stream(*arguments)

    board = Bench(
        sbuf,
        send_batch,
        operands + len(FLITS),
        bad_requests={
            "an unknown direction": refused("sideways", (8,), 0, "x"),
            "a negative size": refused("read", (-8,), 0, "x"),
            "a size that is no int": refused("read", (0.5,), 0, "x"),
            "a transfer of an unknown direction": lambda: sbuf.access("sideways"),
        },
        batch_bytes=sum(sum(sizes) for _, _, sizes, _ in STREAMS) + sum(FLITS),
        moved_bytes=lambda: sum(sbuf.moved_bytes.values()),
    )
    return board
