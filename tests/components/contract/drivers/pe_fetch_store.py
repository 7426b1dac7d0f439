"""Drives a fetch/store unit: fetches and stores that wait, overlap and are empty, before a TCM of its own pace."""

from __future__ import annotations

from collections.abc import Mapping

from components.memory.tcm import TcmRequest
from components.pe.stages import Fetch, Math, Store
from components.registry import Registered
from simcore.kernel import Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench
from tests.components.contract.tile_client import TileClient

BATCH = [(0, Fetch(4096)), (0, Store(100)), (0, Fetch(0)), (10, Store(7)), (0, Store(0)), (80_000, Fetch(1))]


def parameters(impl: str) -> dict[str, object]:
    return {"overhead_ns": 1.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    tcm = Port(env, f"{name}->tcm", TcmRequest)
    tcm.attach("in", Actor("tcm"))
    tcm.hand_to(lambda request: env.succeed_in(request.done, 3 * request.nbytes))
    client = TileClient(env, name, entry, parameters, "fetch_store", {"tcm": tcm})
    unit = client.part
    size = sum(stage.nbytes for _, stage in BATCH)
    return client.bench(BATCH, Math("exp", 1), None, size, lambda: unit.moved_bytes)
