"""Work: one instruction in flight on the device, what it waits for and who waits for it."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from simcore.timing.device.costs import MatmulCost, OperationCost
from simcore.timing.device.lowering import DeviceOp

if TYPE_CHECKING:
    from components.device.transfer import Transfer

Ps = Annotated[int, Field(ge=0)]
"""A duration in whole picoseconds."""


class Cause(StrEnum):
    """What an instruction's start waited for last. ``throttle``: the PE was busy because it ran at half speed."""

    none = "none"
    dependency = "dependency"
    transfer = "transfer"
    engine = "engine"
    control = "control"
    table_load = "table_load"
    preparation = "preparation"
    throttle = "throttle"


class DeviceWork:
    """An instruction on its way through an engine. Times are ticks; None until they have come."""

    __slots__ = (
        "cause",
        "cost",
        "end_at",
        "followers",
        "go",
        "heard_at",
        "heard_of",
        "heard_of_transfer",
        "on",
        "op",
        "start_at",
        "transfer",
        "waits",
    )

    def __init__(self, op: DeviceOp, cost: OperationCost | MatmulCost | None = None) -> None:
        self.op = op
        self.cost = cost
        self.transfer: Transfer | None = None
        self.waits = len(op.waits)
        self.followers: list[DeviceWork] = []
        """Who waits for this instruction's end (not for its transfer's)."""
        self.go: Callable[[], None] | None = None
        """Wakes the engine that waits for this work."""
        self.heard_at: int | None = None
        self.heard_of: DeviceWork | None = None
        self.heard_of_transfer = False
        self.start_at: int | None = None
        self.end_at: int | None = None
        self.cause = Cause.none
        self.on: DeviceWork | None = None

    def hear(self, now: int, producer: DeviceWork, *, of_transfer: bool) -> None:
        """One of the semaphores that it waits for has its value."""
        self.waits -= 1
        self.heard_at, self.heard_of, self.heard_of_transfer = now, producer, of_transfer
        if not self.waits and self.go is not None:
            go, self.go = self.go, None
            go()
