"""What a request costs the event queue: one event on a free channel, one more if it has to wait."""

from __future__ import annotations

import pytest

from components.memory.tcm import TcmRequest
from components.registry import build
from simcore.kernel import Environment, Port
from tests.components.actor import Actor


class Counting(Environment):
    """Counts what enters its queue."""

    scheduled = 0

    def schedule(self, event, priority=1, delay=0):
        self.scheduled += 1
        super().schedule(event, priority, delay)


@pytest.mark.parametrize(
    ("requests", "events"),
    [
        ([("read", 8)], 1),
        ([("read", 8), ("write", 8)], 2),
        ([("read", 8), ("read", 8), ("read", 8)], 3 + 2),
        ([("read", 0)], 1),
    ],
)
def test_a_request_takes_one_event_and_another_one_if_it_waits(requests, events):
    env = Counting()
    port = Port(env, "client->tcm", TcmRequest)
    port.attach("out", Actor("client"))
    build(env, "tcm", "tcm", {}, {"requests": port})
    sent = [TcmRequest(direction, nbytes, env.event()) for direction, nbytes in requests]
    for request in sent:
        port.put(request)
    env.run(sent[-1].done)
    assert env.scheduled == events
