"""The metric store: named numbers of a module, as the compiler keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from simcore.errors import ModelBug
from simcore.trace.backend_metrics import BACKEND, BackendMetric

if TYPE_CHECKING:
    from simcore.perfsim.estimate import Estimate

GROUP_SEPARATOR = "::"

FLOAT32_MAX = (2 - 2**-23) * 2.0**127
"""Largest value of a metric: files are read back as 32-bit floats."""

Number = int | float

Flat = dict[str, dict[str, Number]]
"""module -> "group::name" -> value."""

Nested = dict[str, dict[str, dict[str, Number]]]
"""module -> group -> name -> value."""


class Aggregation(IntEnum):
    """How a metric's values of several modules combine. Files do not hold it: what was read back has ``none``."""

    Sum = 0
    Average = 1
    Custom = 2
    none = 3


@dataclass(frozen=True, slots=True)
class MetricKey:
    """What a value is stored under; ``metric`` is the full name, ``group::name``."""

    aggregation: Aggregation
    module: str
    metric: str

    @classmethod
    def backend(cls, aggregation: Aggregation, module: str, metric: BackendMetric) -> MetricKey:
        """The key of a backend metric."""
        return cls(aggregation, module, f"{BACKEND}{GROUP_SEPARATOR}{metric.name}")


@dataclass(slots=True)
class MetricStore:
    """Values by key, in the order of their last writing."""

    values: dict[MetricKey, Number] = field(default_factory=dict)

    def add(self, key: MetricKey, value: Number) -> None:
        """Stores ``value``; one that ``key`` has already is replaced."""
        if not is_metric_value(value):
            raise ModelBug(f"{key.module}: {key.metric} = {value!r} is not a number that a metric can hold")
        self.values.pop(key, None)
        self.values[key] = value

    def flat(self) -> Flat:
        """The flat form. Of several aggregations of one metric, the value that was written last."""
        modules: Flat = {}
        for key, value in self.values.items():
            modules.setdefault(key.module, {})[key.metric] = value
        return modules


def is_metric_value(value: object) -> bool:
    """Whether ``value`` is a number (no truth value) that a 32-bit float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= FLOAT32_MAX


def nested(flat: Flat) -> Nested:
    """The nested form of ``flat``: each full name cut at its first ``::``."""
    modules: Nested = {}
    for module, metrics in flat.items():
        groups = modules.setdefault(module, {})
        for metric, value in metrics.items():
            group, _, name = metric.partition(GROUP_SEPARATOR)
            groups.setdefault(group, {})[name] = value
    return modules


def metrics_of(estimate: Estimate) -> MetricStore:
    """What PerfSim publishes of a program: PostSchedEstLatency in ns, that of the last block (0 without blocks)."""
    store = MetricStore()
    key = MetricKey.backend(Aggregation.Custom, estimate.prepared.program.name, BackendMetric.PostSchedEstLatency)
    store.add(key, estimate.post_sched_est_latency)
    return store
