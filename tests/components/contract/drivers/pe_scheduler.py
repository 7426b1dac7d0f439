"""Drives a scheduler: commands that come at once, before stations that take a while for every tile."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.pe.commands import Busy, DmaRead, DmaWrite, Epilogue, GemmCommand, MathCommand
from components.pe.dma import DmaRequest
from components.pe.scheduler import Submission
from components.pe.stages import STATIONS
from components.pe.tile_token import TileToken
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench

BATCH = [
    (0, DmaRead("r", 0, 100)),
    (0, GemmCommand("g", 40, 70, 30, 32, 64, 32, 2, None, 0x1000, 0x2000, (Epilogue("relu", "output_tile"),))),
    (0, DmaWrite("w", 0, 300)),
    (500, MathCommand("e", 3, 3, 2, 2, 4, "exp", None, None)),
    (90_000, MathCommand("f", 3, 3, 2, 2, 4, "exp", 0, 64)),
]


def parameters(impl: str) -> dict[str, object]:
    return {"overhead_ns": 1.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    commands = Port(env, f"cpu->{name}", Submission)
    commands.attach("out", Actor("cpu"))
    stations = {station: Port(env, f"{name}->{station}", TileToken) for station in STATIONS}
    requests = Port(env, f"{name}->dma.requests", DmaRequest)
    for number, station in enumerate(STATIONS):
        stations[station].attach("in", Actor(station))
        stations[station].hand_to(lambda tile, ticks=400 + 100 * number: after(ticks, tile))
    requests.attach("in", Actor("dma"))
    requests.hand_to(lambda request: env.succeed_in(request.done, 10 * request.nbytes, request))
    scheduler = build(
        env, entry.kind, name, parameters, {"commands": commands, "dma_requests": requests, **stations}, entry.impl
    )

    def after(ticks: int, tile: TileToken) -> None:
        env.timeout(ticks).callbacks.append(lambda _: tile.go_on())

    def send_batch() -> Event:
        left = Countdown(env, len(BATCH), "batch")
        env.spawn(cpu(left), "cpu")
        return left

    def cpu(left: Countdown):
        for pause_ps, command in BATCH:
            yield env.timeout(pause_ps)
            done = env.event()
            done.callbacks.append(lambda event: note(event.value.command.name, left))
            commands.put(Submission(command, done))

    def note(what: str, left: Countdown) -> None:
        board.answers.append((env.now, what))
        left.arrive()

    bad = {"what only a CPU does": lambda: commands.put(Submission(Busy(1), env.event()))}
    board = Bench(scheduler, send_batch, len(BATCH), bad)
    return board
