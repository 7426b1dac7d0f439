"""IO CPU: takes the host's orders and hands them to the M CPUs of the cubes (ADR-0048).

First action of an order: it waits for the CPU, which decodes one at a time. Then the start of a kernel is set, for all
its PEs at once, and the order goes out, a part of it to each cube.
"""

from __future__ import annotations

from components.host.distributor import Distributor, DistributorParameters
from components.host.orders import Order
from components.host.start_barrier import farthest_ticks, with_start
from components.registry import register


class IoCpuParameters(DistributorParameters):
    """``overhead_ns``: to decode an order of the host."""


@register("io_cpu", "decoder", default=True)
class IoCpu(Distributor[IoCpuParameters]):
    """The CPU of an IO chiplet."""

    def decoded(self, order: Order) -> Order:
        """With the start that the farthest PE can keep."""
        return with_start(order, self.env.now + farthest_ticks(order))
