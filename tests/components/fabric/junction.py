"""Two senders, a hub and a receiver, with a batch of transfers: the surroundings of a part of the fabric on test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from simpy.events import Event

from components.fabric.fabric import Fabric
from components.fabric.flow import Flow
from components.fabric.link import LinkBase
from components.fabric.router import Router
from components.registry import build
from simcore.kernel import Countdown, Environment, Part
from tests.components.contract.bench import Bench

FABRIC = {"flit_bytes": 64, "coalesce": True}
LINK = {"bw_gbs": 48, "propagation_ns": 0.7, "overhead_ns": 0.3, "arbitration": "flow_round_robin"}
CREDITED = {**LINK, "buffer_bytes": 200, "credit_return_ns": 1.5}
ROUTER = {"overhead_ns": 2.5}

# (ps after the one before, sender, bytes, window)
BATCH = [
    (0, "left", 1000, None),
    (0, "right", 1000, 4),
    (500, "left", 0, None),
    (0, "right", 10, 1),
    (200_000, "left", 9999, 16),
    (30_000, "right", 65, 16),
    (400_000, "right", 4096, None),
    (1, "left", 4096, None),
]


class Junction:
    """left -> hub, right -> hub, hub -> sink, with the given links, each part under its usual name or another one."""

    def __init__(
        self,
        env: Environment,
        named: Mapping[str, str] | None = None,
        out: tuple[str, Mapping[str, object]] = ("unbounded", LINK),
        hub: Mapping[str, object] = ROUTER,
        fabric: Mapping[str, object] = FABRIC,
    ) -> None:
        names = {part: part for part in ("fabric", "left", "right", "hub", "sink", "out")} | dict(named or {})
        self.env = env
        self.fabric = cast(Fabric, build(env, "fabric", names["fabric"], fabric, {}))
        self.hops = {
            hop: cast(Router, build(env, "router", names[hop], hub if hop == "hub" else ROUTER, {}))
            for hop in ("left", "right", "hub", "sink")
        }
        self.out = self.link(names["out"], "hub", "sink", *out)
        self.into = {side: self.link(f"{side}_to_hub", side, "hub") for side in ("left", "right")}
        self.answers: list[tuple[int, str]] = []

    def link(
        self, name: str, source: str, destination: str, impl: str = "unbounded", given: Mapping[str, object] = LINK
    ) -> LinkBase:
        made = cast(LinkBase, build(self.env, "link", name, given, {}, impl))
        self.fabric.connect(made, self.hops[source], self.hops[destination])
        return made

    def flow(self, nbytes: object = 64, side: str = "left", window: object = None, name: str = "flow") -> Flow:
        return Flow(name, nbytes, (self.into[side], self.out), window)

    def send_batch(self) -> Event:
        """The batch from now on; its event happens when the last transfer has ended."""
        left = Countdown(self.env, len(BATCH), "batch")
        self.env.spawn(self._story(left), "senders")
        return left

    def _story(self, left: Countdown):
        for number, (pause_ps, side, nbytes, window) in enumerate(BATCH):
            yield self.env.timeout(pause_ps)
            done = self.fabric.submit(self.flow(nbytes, side, window, f"q{number}"))
            done.callbacks.append(lambda event: self._note(event.value, left))

    def _note(self, flow: Flow, left: Countdown) -> None:
        self.answers.append((self.env.now, flow.name))
        left.arrive()

    def bench(
        self, part: Part, bad: Mapping[str, Callable[[], object]], moved_bytes: Callable[[], int] | None = None
    ) -> Bench:
        """For the contract suite, which tests ``part`` of it."""
        batch_bytes = None if moved_bytes is None else sum(row[2] for row in BATCH)
        return Bench(part, self.send_batch, len(BATCH), bad, batch_bytes, moved_bytes, answers=self.answers)

    def broken_path(self) -> Flow:
        """A transfer that would have to jump at the hub."""
        return Flow("jumps", 64, (self.into["left"], self.into["right"]), None)
