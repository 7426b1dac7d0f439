"""A TCM with a client that sends requests at given times and notes when each is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from components.memory.tcm import Tcm, TcmRequest
from components.registry import build
from components.transaction import Transaction
from simcore.kernel import Countdown, Environment, Port, Row
from tests.components.actor import Actor


@dataclass(frozen=True)
class Access:
    """One request of a story: when it is sent, and what it asks for."""

    at_ps: int
    direction: str
    nbytes: int
    tag: str = ""


@dataclass
class TcmBench:
    """``done`` is what the client saw: (time in ps, tag), in the order in which it happened."""

    env: Environment
    tcm: Tcm
    requests: Port[TcmRequest]
    transactions_in: Port[Transaction]
    transactions_out: Port[Transaction]
    done: list[tuple[int, str]] = field(default_factory=list)

    def send(self, direction: object, nbytes: object, tag: str = "") -> TcmRequest:
        """Puts a request now; what it asks for is not checked here."""
        request = TcmRequest(direction, nbytes, self.env.event(), tag)
        request.done.callbacks.append(lambda _: self.done.append((self.env.now, tag)))
        self.requests.put(request)
        return request

    def play(self, story: Sequence[Access]) -> Countdown:
        """Sends each request at its time, in the order given; the countdown happens when all are done."""
        left = Countdown(self.env, len(story), "the story")

        def client():
            for access in story:
                if access.at_ps > self.env.now:
                    yield self.env.timeout(access.at_ps - self.env.now)
                self.send(access.direction, access.nbytes, access.tag).done.callbacks.append(left.arrive)

        self.env.spawn(client(), "client")
        return left


def tcm_bench(parameters: Mapping[str, object] | None = None, impl: str | None = None, log: list[Row] | None = None):
    """A TCM named ``tcm``, both its request port and its transaction ports connected."""
    env = Environment(log)
    requests = Port(env, "client->tcm", TcmRequest)
    into, out_of = Port(env, "router->tcm", Transaction), Port(env, "tcm->router", Transaction)
    requests.attach("out", Actor("client"))
    into.attach("out", Actor("router"))
    out_of.attach("in", Actor("router"))
    ports = {"requests": requests, "transactions_in": into, "transactions_out": out_of}
    tcm = build(env, "tcm", "tcm", parameters or {}, ports, impl)
    return TcmBench(env, tcm, requests, into, out_of)


def times(story: Sequence[Access], parameters: Mapping[str, object] | None = None, impl: str | None = None):
    """(time in ps, tag) of every request of ``story``, as the client sees it."""
    bench = tcm_bench(parameters, impl)
    bench.env.run(bench.play(story))
    return bench.done
