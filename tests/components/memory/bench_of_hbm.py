"""client - router - memory on a fabric, links both ways, with a client that asks for bytes at given times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from components.fabric.fabric import Fabric
from components.fabric.link import LinkBase
from components.memory.over_fabric import FabricMemory, MemoryWay, reversed_path
from components.memory.request import MemoryRequest
from components.memory.terminal import Terminal
from components.registry import build
from simcore.kernel import Countdown, Environment, Row

HBM = {"num_pcs": 8, "burst_bytes": 256, "pc_bw_gbs": 32, "switch_penalty_ns": 0, "overhead_ns": 0}
"""One PE tile's slice: 8 ns a burst, 256 GB/s in all."""
LINK = {"bw_gbs": 256, "propagation_ns": 0, "overhead_ns": 0, "arbitration": "flow_round_robin"}


@dataclass(frozen=True)
class Ask:
    """One request of a story."""

    at_ps: int
    direction: str
    address: int
    nbytes: int
    tag: str = ""


@dataclass
class MemoryBench:
    """``done``: (ps, tag) of each request that is over, in order; ``requests``: all that were sent."""

    env: Environment
    fabric: Fabric
    memory: Terminal[Any]
    carrier: FabricMemory
    done: list[tuple[int, str]] = field(default_factory=list)
    requests: dict[str, MemoryRequest] = field(default_factory=dict)

    def send(self, direction: object, address: object, nbytes: object, tag: str = "") -> MemoryRequest:
        request = MemoryRequest(direction, address, nbytes, self.env.event(), tag)
        request.done.callbacks.append(lambda _: self.done.append((self.env.now, tag)))
        self.requests[tag] = request
        self.carrier.start("client", request)
        return request

    def play(self, story: Sequence[Ask]) -> Countdown:
        """Sends each request at its time; the countdown happens when all are over."""
        left = Countdown(self.env, len(story), "the story")

        def client():
            for ask in story:
                if ask.at_ps > self.env.now:
                    yield self.env.timeout(ask.at_ps - self.env.now)
                self.send(ask.direction, ask.address, ask.nbytes, ask.tag).done.callbacks.append(left.arrive)

        self.env.spawn(client(), "client")
        return left


class OneMemory:
    """Every address lies in the one memory; the way there is the one path."""

    def __init__(self, way: MemoryWay) -> None:
        self.way = way

    def memory_way(self, origin: str, address: int) -> MemoryWay:
        assert origin == "client"
        return MemoryWay(self.way.outward, self.way.homeward, self.way.memory, address)


def memory_bench(
    kind: str = "hbm_controller",
    name: str = "hbm",
    impl: str | None = None,
    log: list[Row] | None = None,
    flit_bytes: int = 256,
    coalesce: bool = True,
    window: int | None = None,
    env: Environment | None = None,
    parameters: Mapping[str, object] = HBM,
    **link: object,
) -> MemoryBench:
    """The memory, with ``parameters``, behind a router; ``link``: what is different from 256 GB/s at no distance."""
    env = env or Environment(log)
    fabric = cast(Fabric, build(env, "fabric", "fabric", {"flit_bytes": flit_bytes, "coalesce": coalesce}, {}))
    client = build(env, "router", "client", {"overhead_ns": 0}, {})
    hub = build(env, "router", "hub", {"overhead_ns": 0}, {})
    memory = cast("Terminal[Any]", build(env, kind, name, parameters, {}, impl))
    links: dict[tuple[str, str], LinkBase[Any]] = {}
    for here, there in ((client, hub), (hub, memory), (memory, hub), (hub, client)):
        made = cast(LinkBase[Any], build(env, "link", f"{here.name}_to_{there.name}", {**LINK, **link}, {}))
        fabric.connect(made, here, there)
        links[here.name, there.name] = made
    outward = (links["client", "hub"], links["hub", name])
    way = MemoryWay(outward, reversed_path(outward, links), memory, 0)
    return MemoryBench(env, fabric, memory, FabricMemory("carrier", fabric, OneMemory(way), window))


def ends(story: Sequence[Ask], **bench: Any) -> list[tuple[int, str]]:
    """(ps, tag) of every request of ``story``, as the client sees it."""
    made = memory_bench(**bench)
    made.env.run(made.play(story))
    return made.done
