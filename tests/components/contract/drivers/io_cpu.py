"""Drives an IO CPU: orders that come at once, and receivers who report early and late."""

from __future__ import annotations

from collections.abc import Mapping

from components.registry import Registered
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.contract.order_client import OrderClient


def parameters(impl: str) -> dict[str, object]:
    return {"overhead_ns": 2.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    return OrderClient(env, name, entry, parameters).bench()
