"""Drives a link: the way out of a hub at which transfers meet."""

from __future__ import annotations

from collections.abc import Mapping

from components.fabric.flow import Flow
from components.registry import Registered
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.fabric.junction import CREDITED, FABRIC, LINK, Junction


def parameters(impl: str) -> dict[str, object]:
    return dict(CREDITED if impl == "credited" else LINK)


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    junction = Junction(env, {"out": name}, (entry.impl, parameters))
    fabric, out, hops = junction.fabric, junction.out, junction.hops
    bad = {
        "to be connected twice": lambda: fabric.connect(out, hops["hub"], hops["left"]),
        "a path that does not lead to it": lambda: fabric.submit(Flow("f", 64, (out, out), None)),
    }
    if entry.impl == "credited":
        small = Junction(Environment(), {"out": name}, (entry.impl, {**parameters, "buffer_bytes": 63}))
        bad["a flit that its buffer cannot hold"] = lambda: small.fabric.submit(small.flow(FABRIC["flit_bytes"]))
    return junction.bench(out, bad, lambda: out.moved_bytes)
