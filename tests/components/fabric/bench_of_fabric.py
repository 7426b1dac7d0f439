"""Builds a network of the plain kind as real parts, runs its flows and tells the outcome in the same words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from components.fabric.fabric import Fabric
from components.fabric.flow import Flow
from components.fabric.link import LinkBase
from components.fabric.router import Router
from components.registry import build
from simcore.kernel import Countdown, Environment, Row
from tests.components.fabric.plain import Outcome, PlainFlow, PlainHop, PlainLink, PlainNetwork


class Reassembler(Router):
    """A part that takes a transfer in as a whole."""

    reassembles = True


@dataclass
class Built:
    env: Environment
    fabric: Fabric
    hops: list[Router]
    links: list[LinkBase[Any]]
    log: list[Row]

    def path(self, numbers: Sequence[int]) -> tuple[LinkBase[Any], ...]:
        return tuple(self.links[i] for i in numbers)


def built(network: PlainNetwork, *, coalesce: bool = True) -> Built:
    """The parts of ``network``, connected."""
    log: list[Row] = []
    env = Environment(log)
    fabric = build(env, "fabric", "fabric", {"flit_bytes": network.flit_bytes, "coalesce": coalesce}, {})
    hops = [_hop(env, f"n{i}", hop) for i, hop in enumerate(network.hops)]
    links = [_link(env, f"l{i}", link) for i, link in enumerate(network.links)]
    for link, drawn in zip(links, network.links, strict=True):
        cast(Fabric, fabric).connect(link, hops[drawn.source], hops[drawn.destination])
    return Built(env, cast(Fabric, fabric), hops, links, log)


def _hop(env: Environment, name: str, hop: PlainHop) -> Router:
    given = {"overhead_ns": Fraction(hop.overhead, 1000)}
    if hop.reassembles:
        from components.fabric.router import RouterParameters

        return Reassembler(env, name, RouterParameters.model_validate(given), {})
    return cast(Router, build(env, "router", name, given, {}))


def _link(env: Environment, name: str, link: PlainLink) -> LinkBase[Any]:
    given: dict[str, object] = {
        "bw_gbs": link.bw_gbs,
        "propagation_ns": Fraction(link.latency // 2, 1000),
        "overhead_ns": Fraction(link.latency - link.latency // 2, 1000),
        "arbitration": link.arbitration,
    }
    if link.buffer_bytes is None:
        return cast(LinkBase[Any], build(env, "link", name, given, {}))
    given |= {"buffer_bytes": link.buffer_bytes, "credit_return_ns": Fraction(link.credit_return, 1000)}
    return cast(LinkBase[Any], build(env, "link", name, given, {}, "credited"))


def outcome(
    network: PlainNetwork,
    banks: dict[str, Any] | None = None,
    *,
    coalesce: bool = True,
    machine: Built | None = None,
) -> Outcome:
    """What happens to the flows of ``network`` on real parts: on ``machine``, if that is given."""
    machine = machine or built(network, coalesce=coalesce)
    env = machine.env
    flows = [_flow(i, drawn, machine, banks or {}, network.flit_bytes) for i, drawn in enumerate(network.flows)]
    all_ended = Countdown(env, len(flows), "flows")
    events = [env.event() for _ in flows]

    def story(i: int, drawn: PlainFlow):
        for j in drawn.after:
            yield events[j]
        if env.now < drawn.start:
            yield env.timeout(drawn.start - env.now)
        yield machine.fabric.submit(flows[i])
        assert env.now == math.ceil(flows[i].ended_ticks)
        events[i].succeed()
        all_ended.arrive()

    for i, drawn in enumerate(network.flows):
        env.spawn(story(i, drawn), f"flow{i}")
    env.run(all_ended)
    return _told(flows, machine)


def _flow(i: int, drawn: PlainFlow, machine: Built, banks: dict[str, Any], flit_bytes: int) -> Flow:
    def access(name: str | None):
        return None if name is None else banks[name].access(drawn.address, flit_bytes)

    path = machine.path(drawn.path)
    return Flow(f"f{i}", drawn.nbytes, path, drawn.window, i, access(drawn.source), access(drawn.sink))


def _told(flows: list[Flow], machine: Built) -> Outcome:
    told = Outcome()
    for i, flow in enumerate(flows):
        told.ended[i] = flow.ended_ticks
        if flow.path:
            told.began[i] = flow.first_flit_ticks
    for row in machine.log:
        if row[2] == "carried":
            at, link, _, flow_name, _, began_ago, ended_ago = row
            told.served[int(flow_name[1:]), int(link[1:])] = (at - began_ago, at - ended_ago)
    return told


def in_whole_ticks(result: Outcome) -> Outcome:
    """With the times of service rounded up, as the log has them."""
    served = {key: (math.ceil(first), math.ceil(last)) for key, (first, last) in result.served.items()}
    return Outcome(result.began, result.ended, served)
