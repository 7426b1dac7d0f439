"""Drives a TCM: reads and writes that tie, wait, overlap and are empty, and transactions that pass through."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from simpy.events import Event

from components.memory.tcm import Tcm, TcmRequest
from components.registry import Registered, build
from components.transaction import Transaction
from simcore.kernel import Countdown, Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench

# (ps after the one before, direction, bytes); "pass" is a transaction.
BATCH = [
    (0, "read", 4096),
    (0, "write", 100),
    (0, "read", 0),
    (500, "read", 333),
    (0, "pass", 64),
    (1, "write", 7),
    (0, "write", 0),
    (3000, "pass", 128),
    (40_000, "read", 1),
    (0, "write", 1),
]


def parameters(impl: str) -> dict[str, object]:
    return {"read_bw_gbs": 128, "write_bw_gbs": 0.3, "overhead_ns": 2.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    requests = Port(env, f"client->{name}", TcmRequest)
    into, out_of = Port(env, f"router->{name}", Transaction), Port(env, f"{name}->router", Transaction)
    requests.attach("out", Actor("client"))
    into.attach("out", Actor("router"))
    out_of.attach("in", Actor("router"))
    ports = {"requests": requests, "transactions_in": into, "transactions_out": out_of}
    tcm = build(env, entry.kind, name, parameters, ports, entry.impl)
    assert isinstance(tcm, Tcm)

    def send_batch() -> Event:
        left = Countdown(env, len(BATCH), "batch")
        answered[:] = [left]
        env.spawn(client(left), "client")
        return left

    def client(left: Countdown):
        for number, (pause_ps, direction, nbytes) in enumerate(BATCH):
            yield env.timeout(pause_ps)
            if direction == "pass":
                into.put(Transaction(nbytes, f"t{number}"))
            else:
                requests.put(TcmRequest(direction, nbytes, answer(f"q{number}", left), f"q{number}"))

    def answer(tag: str, left: Countdown) -> Event:
        done = env.event()
        done.callbacks.append(lambda _: note(tag, left))
        return done

    def note(tag: str, left: Countdown) -> None:
        board.answers.append((env.now, tag))
        left.arrive()

    def refused(direction: object, nbytes: object) -> Callable[[], None]:
        return lambda: requests.put(TcmRequest(direction, nbytes, env.event(), "bad"))

    answered: list[Countdown] = []
    out_of.hand_to(lambda transaction: note(transaction.tag, answered[0]))
    board = Bench(
        tcm,
        send_batch,
        len(BATCH),
        bad_requests={
            "an unknown direction": refused("sideways", 8),
            "a negative size": refused("read", -8),
            "a size that is no int": refused("write", 8.0),
        },
        batch_bytes=sum(nbytes for _, _, nbytes in BATCH),
        moved_bytes=lambda: tcm.passed_bytes + sum(way.moved_bytes for way in tcm.ways.values()),
    )
    return board
