"""Sends requests to a TCM that stands alone."""

from __future__ import annotations

from typing import Any

from simpy.events import Event

from components.memory.tcm import TcmRequest
from components.registry import build
from simcore.kernel import Environment, Port


class TcmClient:
    """A TCM called ``name`` and whoever sends to it."""

    def __init__(self, env: Environment, name: str, parameters: dict[str, Any], impl: str | None) -> None:
        self.name = "client"
        self._port: Port[TcmRequest] = Port(env, f"client->{name}", TcmRequest)
        self._port.attach("out", self)
        self.part = build(env, "tcm", name, parameters, {"requests": self._port}, impl)

    def send(self, direction: str, nbytes: int, tag: str, done: Event) -> None:
        """Puts a :class:`TcmRequest`."""
        self._port.put(TcmRequest(direction, nbytes, done, tag))
