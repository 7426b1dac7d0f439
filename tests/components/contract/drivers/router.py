"""Drives a router: the hub at which transfers meet."""

from __future__ import annotations

from collections.abc import Mapping

from components.fabric.router import Router
from components.registry import Registered
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.fabric.junction import ROUTER, Junction


def parameters(impl: str) -> dict[str, object]:
    return dict(ROUTER)


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    junction = Junction(env, {"hub": name}, hub=parameters)
    hub = junction.hops["hub"]
    assert isinstance(hub, Router)
    bad = {"a path that jumps at it": lambda: junction.fabric.submit(junction.broken_path())}
    return junction.bench(hub, bad, lambda: hub.passed_bytes)
