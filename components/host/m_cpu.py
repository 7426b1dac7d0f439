"""M CPU: the CPU of a cube, which hands orders to its PEs and has a DMA of its own (ADR-0048).

First action of an order, and of a DMA request: it waits for the CPU, which decodes or schedules one at a time. Then a
transfer takes the DMA's channel of its direction and holds it until the round trip is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simpy.events import Event

from components.host.distributor import Distributor, DistributorParameters
from components.memory.request import MemoryRequest, check_request
from components.registry import register
from simcore.kernel import Channel, Environment, Port, PortSpec, Story, Token


class MCpuParameters(DistributorParameters):
    """``overhead_ns``: to decode an order, or to schedule a transfer."""


@register("m_cpu", "decoder", default=True)
class MCpu(Distributor[MCpuParameters]):
    """The CPU of a cube. It counts orders and transfers; ``moved_bytes`` holds each direction of its DMA.

    Log rows besides those of a distributor: ``begin`` and ``end`` (transfer, direction).
    """

    port_specs = (
        *Distributor.port_specs,
        PortSpec("dma_requests", "in", MemoryRequest, optional=True),
        PortSpec("memory", "out", MemoryRequest, optional=True),
    )

    def __init__(self, env: Environment, name: str, parameters: MCpuParameters, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self._channels = {"read": Channel(env, f"{name}.read"), "write": Channel(env, f"{name}.write")}
        self.moved_bytes = {"read": 0, "write": 0}
        if ("dma_requests" in ports) != ("memory" in ports):
            raise self.error("a DMA needs both its ports: connect dma_requests and memory, or neither")
        if "dma_requests" in ports:
            self.ports["dma_requests"].hand_to(self._accept)

    def _accept(self, request: MemoryRequest) -> None:
        check_request(self.error, f"request {request.tag!r}", request.direction, request.address, request.nbytes)
        self.accepted += 1
        self.spawn(self._schedule(request, self.cpu.acquire(self, request.tag)), request.tag)

    def _schedule(self, request: MemoryRequest, cpu: Token) -> Story:
        yield cpu
        if self.decode_ticks:
            yield self.env.timeout(self.decode_ticks)
        self.cpu.release(cpu)
        channel = self._channels[request.direction].acquire(self, request.tag)
        yield channel
        self._write("begin", request)

        def over(_done: Event) -> None:
            channel.channel.release(channel)
            self.moved_bytes[request.direction] += request.nbytes
            self.completed += 1
            self._write("end", request)

        request.done.callbacks.insert(0, over)  # the channel is free before those who wait for done go on
        self.ports["memory"].put(request)

    def _write(self, what: str, request: MemoryRequest) -> None:
        if self.record is not None:
            self.record((self.env.now, self.name, what, request.tag, request.direction))
