"""A part is built from its name, frozen parameters and ports, and accounts for what it takes in."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from simcore.kernel import Channel, Environment, KernelError, Part, PartError, Port, PortMisuse, PortSpec, undrained


class Parameters(BaseModel):
    model_config = ConfigDict(frozen=True)
    service_ticks: int = 10


class Soft(BaseModel):
    service_ticks: int = 10


@dataclass(frozen=True)
class Request:
    tag: str
    done: Event


class Server(Part[Parameters]):
    """Serves one request after another."""

    port_specs = (PortSpec("requests", "in", Request),)

    def __init__(self, env, name, parameters, ports):
        super().__init__(env, name, parameters, ports)
        self.requests = self.ports["requests"]
        self.lock = Channel(env, f"{name}.lock")
        self.spawn(self.serve(), "serve")

    def serve(self):
        while True:
            request = yield self.requests.get()
            self.accepted += 1
            if not request.tag:
                raise self.error("a request without a tag")
            token = self.lock.acquire(self, request.tag)
            yield token
            yield self.env.timeout(self.parameters.service_ticks)
            self.lock.release(token)
            self.completed += 1
            if self.record is not None:
                self.record((self.env.now, self.name, "done", request.tag))
            request.done.succeed()


@dataclass(frozen=True)
class Client:
    name: str = "client"


def build(log=None):
    """A server with a client at its port: ``(env, server, port)``."""
    env = Environment(log)
    port = Port(env, "client->server", Request)
    port.attach("out", Client())
    return env, Server(env, "pe0.server", Parameters(), {"requests": port}), port


def test_a_part_serves_what_its_port_brings_and_counts_it():
    log = []
    env, server, port = build(log)
    requests = [Request(tag, env.event()) for tag in "ab"]
    for request in requests:
        port.put(request)
    env.run(env.timeout(5))
    assert (server.accepted, server.completed, server.in_flight) == (1, 0, 1)
    assert undrained(env) == (
        "part pe0.server: 1 of 1 requests in flight",
        "port client->server: 1 messages not taken",
        "channel pe0.server.lock: 1 of 1 slots held, 0 waiting",
    )
    env.run(requests[1].done)
    assert (server.accepted, server.completed, server.in_flight) == (2, 2, 0)
    assert undrained(env) == ()
    assert [row for row in log if row[1] == "pe0.server"] == [
        (10, "pe0.server", "done", "a"),
        (20, "pe0.server", "done", "b"),
    ]


def test_a_part_names_itself_in_its_errors():
    env, _, port = build()
    port.put(Request("", env.event()))
    with pytest.raises(PartError) as caught:
        env.run(env.event())
    assert str(caught.value) == "pe0.server at 0 ps: a request without a tag"
    assert caught.value.__notes__ == ["in pe0.server.serve at 0 ns"]
    assert caught.value.exit_code == 3


def test_the_processes_of_a_part_carry_its_name_and_know_it():
    env, server, _ = build()
    assert [(process.name, process.owner) for process in env.processes] == [("pe0.server.serve", server)]


def test_without_a_log_a_part_has_nothing_to_write_to():
    _, server, _ = build()
    assert server.record is None


@pytest.mark.parametrize("name", ["", "pe0.", ".tcm", "pe 0", "pe0..tcm", "0pe"])
def test_a_name_that_is_no_dotted_path_is_refused(name):
    env = Environment()
    with pytest.raises(PartError, match="a part's name is a dotted path"):
        Server(env, name, Parameters(), {"requests": Port(env, "p", Request)})


def test_a_name_that_is_taken_is_refused():
    env, _, _ = build()
    with pytest.raises(KernelError, match=r"pe0.server at 0 ps: this name is already taken"):
        Server(env, "pe0.server", Parameters(), {"requests": Port(env, "p", Request)})


def test_parameters_that_can_change_are_refused():
    env = Environment()
    with pytest.raises(PartError, match=r"its parameters \(Soft\) must be a frozen pydantic model"):
        Server(env, "pe0.server", Soft(), {"requests": Port(env, "p", Request)})


def test_a_port_that_the_kind_does_not_have_is_refused_with_the_nearest_one():
    env = Environment()
    with pytest.raises(PartError, match=r"has no port 'request' .*did you mean \"requests\""):
        Server(env, "pe0.server", Parameters(), {"request": Port(env, "p", Request)})


def test_a_port_that_is_not_handed_in_is_refused():
    with pytest.raises(PartError, match=r"pe0.server at 0 ps: its port 'requests' \(in, Request\) is not connected"):
        Server(Environment(), "pe0.server", Parameters(), {})


def test_a_port_for_other_messages_is_refused():
    env = Environment()
    with pytest.raises(PartError, match=r"its port 'requests' is for Request, but p carries int"):
        Server(env, "pe0.server", Parameters(), {"requests": Port(env, "p", int)})


def test_a_port_cannot_feed_two_parts():
    env, _, port = build()
    with pytest.raises(PortMisuse) as caught:
        Server(env, "pe1.server", Parameters(), {"requests": port})
    assert str(caught.value) == (
        "client->server at 0 ps: port from client to pe0.server: pe1.server cannot be connected as a second receiver"
    )


class Tapped(Server):
    """A server that somebody may watch."""

    port_specs = (*Server.port_specs, PortSpec("tap", "out", Request, optional=True))


def test_an_optional_port_may_be_left_out_and_is_checked_like_any_other_if_it_is_not():
    env = Environment()
    port = Port(env, "client->server", Request)
    assert list(Tapped(env, "pe0.server", Parameters(), {"requests": port}).ports) == ["requests"]
    other, wrong = Port(env, "client->other", Request), Port(env, "tap", int)
    with pytest.raises(PartError, match=r"its port 'tap' is for Request, but tap carries int"):
        Tapped(env, "pe1.server", Parameters(), {"requests": other, "tap": wrong})
