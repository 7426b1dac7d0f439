"""Drives a PE: matmuls of one and two passes in a row and after a pause, at both speeds of its throttle."""

from __future__ import annotations

from collections.abc import Mapping

from components.device.pe import DevicePe
from components.device.throttle import RecordedThrottle
from components.device.work import DeviceWork
from components.registry import Registered, build
from simcore.kernel import Environment
from simcore.timing.confidence import Level
from simcore.timing.device.costs import MatmulCost
from simcore.timing.device.lowering import Kind
from tests.components.contract.bench import Bench
from tests.components.contract.device_work import work_of
from tests.components.contract.drivers import device_engine


def parameters(impl: str) -> dict[str, object]:
    return device_engine.parameters(impl)


def matmul(passes: int) -> MatmulCost:
    return MatmulCost(passes, 106, (160, 110), (0, 4), (206, 163), Level.EXACT)


def works() -> list[DeviceWork]:
    return [
        work_of(0, Kind.matmul, matmul(2), engine="PE"),
        work_of(1, Kind.matmul, matmul(1), engine="PE"),
        work_of(2, Kind.wait, engine="PE", waits=((0, False),)),
        work_of(3, Kind.matmul, matmul(1), engine="PE"),
    ]


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    pe = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(pe, DevicePe)
    # a record of full speed from some time on in each batch would differ from batch to batch: none is
    throttle = build(env, "device_throttle", f"{name}.throttle", {"full_ps": ()}, {}, "recorded")
    assert isinstance(throttle, RecordedThrottle)
    pe.throttle = throttle
    return device_engine.engine_bench(env, name, pe, works)
