"""The surroundings of a CPU that hands orders out: whoever sends them, and receivers who report after a while."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from simpy.events import Event

from components.host.orders import Errand, Letter, MapPages, Order, PeReport, Report, RunKernel
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment, Part, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench

LATENCY_PS = {"x": 5000, "y": 700, "z": 40_000}
"""Of each receiver, from the letter to its report."""

ORDERS = [(0, "o0", "xyz"), (0, "o1", "y"), (800, "o2", "zx"), (200_000, "o3", "xyz")]
"""(ps after the one before, order, receivers)"""


class OrderClient:
    """Builds the CPU and plays orders on it; ``ports``: further ones."""

    def __init__(
        self,
        env: Environment,
        name: str,
        entry: Registered,
        parameters: Mapping[str, object],
        ports: Mapping[str, Port[Any]] | None = None,
    ) -> None:
        self.env = env
        self.inbox, outbox = Port(env, f"post->{name}", Letter), Port(env, f"{name}->post", Letter)
        self.inbox.attach("out", Actor("post"))
        outbox.attach("in", Actor("post"))
        outbox.hand_to(self._carry)
        self.name = name
        wires = {"inbox": self.inbox, "outbox": outbox, **(ports or {})}
        self.part: Part[Any] = build(env, entry.kind, name, parameters, wires, entry.impl)
        self.left: Countdown
        self.board: Bench

    def bench(
        self,
        others: list[tuple[int, Callable[[Event], None]]] | None = None,
        bad_requests: Mapping[str, Callable[[], object]] | None = None,
        batch_bytes: int | None = None,
        moved_bytes: Callable[[], int] | None = None,
    ) -> Bench:
        """``others``: (ps after the one before, what else is asked for), after the orders."""
        requests = len(ORDERS) + len(others or ())

        def send_batch() -> Event:
            self.left = Countdown(self.env, requests, "batch")
            self.env.spawn(self._story(others or []), "host")
            return self.left

        bad: dict[str, Callable[[], object]] = {
            "an order for nobody": lambda: self.send("bad", ""),
            "an order that names a receiver twice": lambda: self.send("bad", "xx"),
            "an order that is out": lambda: [self.send("bad", "x"), self.send("bad", "x")],
            "a report that nobody owes": lambda: self.inbox.put(Letter("x", self.name, Report("bad", ()))),
            "a letter of another kind": lambda: self.inbox.put(Letter("x", self.name, "hello")),
            **(bad_requests or {}),
        }
        self.board = Bench(self.part, send_batch, requests, bad, batch_bytes, moved_bytes)
        return self.board

    def send(self, tag: str, receivers: str) -> None:
        """An order for ``receivers``, some of whom are CPUs themselves."""
        work = MapPages(0, 0, 4096)
        errands = [
            Errand(one, 1000, Order(tag, (Errand("pe", 500, RunKernel(())),)) if one == "z" else work)
            for one in receivers
        ]
        self.inbox.put(Letter("host", self.name, Order(tag, tuple(errands))))

    def note(self, what: str) -> None:
        """Something that was asked for is over."""
        self.board.answers.append((self.env.now, what))
        self.left.arrive()

    def _story(self, others: list[tuple[int, Callable[[Event], None]]]):
        for pause_ps, tag, receivers in ORDERS:
            yield self.env.timeout(pause_ps)
            self.send(tag, receivers)
        for number, (pause_ps, ask) in enumerate(others):
            yield self.env.timeout(pause_ps)
            done = self.env.event()
            done.callbacks.append(lambda _, number=number: self.note(f"q{number}"))
            ask(done)

    def _carry(self, letter: Letter) -> None:
        body = letter.body
        if isinstance(body, Report):
            assert letter.receiver == "host"
            self.note(f"{body.tag}: {[report.pe for report in body.reports]}")
            return
        reports = (PeReport(f"pe of {letter.receiver}", 0, 1, None),)
        answer = Letter(letter.receiver, self.name, Report(body.tag, reports))
        self.env.timeout(LATENCY_PS[letter.receiver]).callbacks.append(lambda _: self.inbox.put(answer))
