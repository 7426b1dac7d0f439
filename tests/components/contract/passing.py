"""The surroundings of a part that transfers only pass: senders before it, a receiver behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from components.fabric.flow import Flow
from components.fabric.router import Router
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment
from tests.components.contract.bench import Bench
from tests.components.fabric.junction import BATCH, Junction


def parameters(impl: str) -> dict[str, object]:
    return {"overhead_ns": 2.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    """left -> the part -> sink, and right -> the part."""
    junction = Junction(env)
    part = cast(Router, build(env, entry.kind, name, parameters, {}, entry.impl))
    junction.hops["dut"] = part
    into = {side: junction.link(f"{side}_to_dut", side, "dut") for side in ("left", "right")}
    out_of = junction.link("dut_to_sink", "dut", "sink")

    def send_batch():
        left = Countdown(env, len(BATCH), "batch")
        env.spawn(senders(left), "senders")
        return left

    def senders(left: Countdown):
        for number, (pause_ps, side, nbytes, window) in enumerate(BATCH):
            yield env.timeout(pause_ps)
            done = junction.fabric.submit(Flow(f"q{number}", nbytes, (into[side], out_of), window))
            done.callbacks.append(lambda event: note(event.value, left))

    def note(flow: Flow, left: Countdown) -> None:
        board.answers.append((env.now, flow.name))
        left.arrive()

    jumping = Flow("jumps", 64, (into["left"], junction.out), None)
    bad = {"a path that jumps at it": lambda: junction.fabric.submit(jumping)}
    size = sum(nbytes for _, _, nbytes, _ in BATCH)
    board = Bench(part, send_batch, len(BATCH), bad, size, lambda: part.passed_bytes)
    return board
