"""Drives a PSUM bank: writers that wait for the one before, and readers that only a writer waits for."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.core.psum_bank import PsumBank
from components.core.work import Work
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench
from tests.components.contract.hand_lane import HandLane

TOUCHES = [("write", 900, 1000), ("read", 300, 2000), ("write", 64, 64), ("write", 700, 764), ("read", 0, 0)]
"""(what it does to the bank, ticks to next-dispatch, ticks to its end) of each instruction."""


def parameters(impl: str) -> dict[str, object]:
    return {"number": 3}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    bank = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(bank, PsumBank)
    batch: list[Countdown] = []

    def send_batch() -> Event:
        batch[:] = [Countdown(env, len(TOUCHES), "batch")]
        works = [lane.work(i, f"I{i}", dispatch, end) for i, (_, dispatch, end) in enumerate(TOUCHES)]
        for work, (what, _, _) in zip(works, TOUCHES, strict=True):
            if what == "write":
                bank.hold_back(work)
            bank.enrol(work)
        lane.begin(works)
        return batch[0]

    def note(work: Work) -> None:
        board.answers.append((env.now, work.name))
        batch[0].arrive()

    lane = HandLane(env, f"{name}.lane", note)
    board = Bench(bank, send_batch, len(TOUCHES), {}, refuses_nothing="any instruction may touch any bank")
    return board
