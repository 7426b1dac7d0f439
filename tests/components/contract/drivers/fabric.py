"""Drives the engine of the fabric: transfers that meet, that do not, and that are empty."""

from __future__ import annotations

from collections.abc import Mapping

from components.fabric.flow import Flow
from components.registry import Registered
from simcore.kernel import Environment
from tests.components.contract.bench import Bench
from tests.components.fabric.junction import FABRIC, Junction


def parameters(impl: str) -> dict[str, object]:
    return dict(FABRIC)


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    junction = Junction(env, {"fabric": name}, fabric=parameters)
    fabric = junction.fabric

    def refused(**wrong: object):
        return lambda: fabric.submit(junction.flow(**wrong))

    def twice():
        flow = junction.flow()
        fabric.submit(flow)
        fabric.submit(flow)

    def late_link():
        fabric.submit(junction.flow())
        junction.link("late", "hub", "left")

    bad = {
        "a negative size": refused(nbytes=-1),
        "a size that is no int": refused(nbytes=64.0),
        "a window of nothing": refused(window=0),
        "a window that is no int": refused(window=True),
        "a flow that is under way": twice,
        "a link that comes late": late_link,
        "an end point on a path without links": lambda: fabric.submit(Flow("f", 1, (), None, source=object())),
    }
    return junction.bench(fabric, bad)
