"""A port hands messages from its one sender to its one receiver, in order and without delay."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from simcore.kernel import Environment, Port, PortMisuse


@dataclass(frozen=True)
class End:
    """Somebody at an end of a port."""

    name: str


def joined(env, name="dma->tcm", message=int):
    """A port with both ends connected."""
    port = Port(env, name, message)
    port.attach("out", End("pe0.dma"))
    port.attach("in", End("pe0.tcm"))
    return port


def test_messages_arrive_in_order_at_the_instant_they_were_put():
    env = Environment()
    port = joined(env)
    seen = []

    def sender():
        port.put(1)
        yield env.timeout(5)
        port.put(2)
        port.put(3)
        yield env.timeout(1)

    def receiver():
        while True:
            message = yield port.get()
            seen.append((message, env.now))

    env.spawn(receiver(), "receiver")
    env.run(env.spawn(sender(), "sender"))
    assert seen == [(1, 0), (2, 5), (3, 5)]


def test_a_message_that_is_there_is_taken_in_place():
    env = Environment()
    port = joined(env)
    port.put(8)
    arrival = port.get()
    assert arrival.processed
    assert arrival.value == 8
    assert list(port.messages) == []


def test_receivers_that_wait_are_served_in_the_order_in_which_they_asked():
    env = Environment()
    port = joined(env)
    seen = []

    def server(name):
        message = yield port.get()
        seen.append((name, message))

    env.spawn(server("second"), "second")
    last = env.spawn(server("first"), "first")

    def sender():
        yield env.timeout(1)
        port.put(1)
        port.put(2)

    env.spawn(sender(), "sender")
    env.run(last)
    assert seen == [("second", 1), ("first", 2)]


def test_a_handler_gets_each_message_in_place_and_without_an_event():
    env = Environment()
    port = joined(env)
    seen = []
    port.hand_to(seen.append)
    port.put(4)
    port.put(5)
    assert seen == [4, 5]
    assert env.peek() == float("inf")


def test_a_message_of_another_type_is_refused_naming_both_ends():
    port = joined(Environment())
    with pytest.raises(PortMisuse) as caught:
        port.put("seven")
    assert str(caught.value) == "dma->tcm at 0 ps: port from pe0.dma to pe0.tcm: carries int, not str"


@pytest.mark.parametrize(("end", "role"), [("in", "receiver"), ("out", "sender")])
def test_a_second_connection_is_refused_naming_both_ends(end, role):
    port = joined(Environment())
    with pytest.raises(PortMisuse) as caught:
        port.attach(end, End("pe1.gemm"))
    assert str(caught.value) == (
        f"dma->tcm at 0 ps: port from pe0.dma to pe0.tcm: pe1.gemm cannot be connected as a second {role}"
    )


@pytest.mark.parametrize(
    ("end", "text"), [("in", "port from nobody to pe0.tcm"), ("out", "port from pe0.tcm to nobody")]
)
def test_a_run_with_an_open_end_is_refused_naming_both_ends(end, text):
    env = Environment()
    Port(env, "dma->tcm", int).attach(end, End("pe0.tcm"))
    with pytest.raises(PortMisuse) as caught:
        env.run(env.timeout(1))
    assert str(caught.value) == f"dma->tcm at 0 ps: {text}: an end is not connected"


def test_a_port_is_read_in_one_way_only():
    env = Environment()
    port = joined(env)
    port.hand_to(print)
    with pytest.raises(PortMisuse, match="nothing is left to get"):
        port.get()
    with pytest.raises(PortMisuse, match="already taken in another way"):
        port.hand_to(print)
    waited = joined(env, "other")
    waited.get()
    with pytest.raises(PortMisuse, match="already taken in another way"):
        waited.hand_to(print)
    filled = joined(env, "third")
    filled.put(1)
    with pytest.raises(PortMisuse, match="already taken in another way"):
        filled.hand_to(print)
