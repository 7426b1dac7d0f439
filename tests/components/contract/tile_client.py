"""The surroundings of a station of a PE: tiles that come to it for one stage each, with pauses, ties and waiting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simpy.events import Event

from components.pe.stages import STATIONS, Stage
from components.pe.tile_token import Stations, TileToken
from components.registry import Registered, build
from simcore.kernel import Channel, Countdown, Environment, Part, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench


class TileClient:
    """Builds the station called ``station`` and sends it tiles. ``others``: what happens in a batch besides tiles."""

    def __init__(
        self,
        env: Environment,
        name: str,
        entry: Registered,
        parameters: Mapping[str, object],
        station: str,
        ports: Mapping[str, Port[Any]] | None = None,
    ) -> None:
        self.env = env
        tiles = Port(env, f"scheduler->{name}", TileToken)
        tiles.attach("out", Actor("scheduler"))
        self.tiles = tiles
        self.stations = Stations(dict.fromkeys(STATIONS, tiles), Channel(env, f"{name}-scheduler.accelerator"))
        self.part: Part[Any] = build(env, entry.kind, name, parameters, {"tiles": tiles, **(ports or {})}, entry.impl)
        self.left: Countdown
        self.board: Bench

    def bench(
        self,
        batch: Sequence[tuple[int, Stage | Callable[[Event], None]]],
        wrong: Stage,
        bad_requests: Mapping[str, Callable[[], object]] | None = None,
        batch_bytes: int | None = None,
        moved_bytes: Callable[[], int] | None = None,
    ) -> Bench:
        """``batch``: (ps after the one before, what a tile comes for, or what else is asked for)."""

        def send_batch() -> Event:
            self.left = Countdown(self.env, len(batch), "batch")
            self.env.spawn(self._story(batch), "scheduler")
            return self.left

        bad = {"a tile for another station": lambda: self.send("bad", wrong), **(bad_requests or {})}
        self.board = Bench(self.part, send_batch, len(batch), bad, batch_bytes, moved_bytes)
        return self.board

    def send(self, name: str, stage: Stage) -> None:
        """A tile that comes for ``stage``, whether or not the station knows it."""
        self.tiles.put(TileToken(name, (stage,), self.stations, lambda tile: self._note(tile.name)))

    def _story(self, batch: Sequence[tuple[int, Stage | Callable[[Event], None]]]):
        for number, (pause_ps, asked) in enumerate(batch):
            yield self.env.timeout(pause_ps)
            name = f"t{number}"
            if callable(asked):
                done = self.env.event()
                done.callbacks.append(lambda _, name=name: self._note(name))
                asked(done)
            else:
                self.send(name, asked)

    def _note(self, name: str) -> None:
        self.board.answers.append((self.env.now, name))
        self.left.arrive()
