"""The metric store and the numbers of its metrics."""

from __future__ import annotations

import math

import pytest

from simcore.errors import ModelBug
from simcore.trace.backend_metrics import BackendMetric
from simcore.trace.metrics import FLOAT32_MAX, Aggregation, MetricKey, MetricStore, metrics_of, nested
from tests.simcore.trace.estimates import document, estimate_of

LATENCY = MetricKey.backend(Aggregation.Custom, "m", BackendMetric.PostSchedEstLatency)


def test_the_table_has_the_sources_numbers_and_leaves_the_unresolved_group_out():
    assert [int(metric) for metric in BackendMetric] == [*range(9), *range(27, 54)]
    assert BackendMetric.PostSchedEstLatency == 42
    assert BackendMetric(8).name == "agRGCGSize"
    assert BackendMetric(27).name == "PreGcaDMAAccesses"
    assert BackendMetric(35).name == "DramSharedHWM"
    assert BackendMetric(51).name == "NumDMAInstructions"
    assert BackendMetric(53).name == "NumSPInstructions"


def test_aggregations_have_the_sources_numbers():
    assert [(a.name, int(a)) for a in Aggregation] == [("Sum", 0), ("Average", 1), ("Custom", 2), ("none", 3)]


def test_a_backend_key_names_the_group():
    assert MetricKey(Aggregation.Custom, "m", "backend::PostSchedEstLatency") == LATENCY


def test_a_value_that_is_added_again_replaces_the_first():
    store = MetricStore()
    store.add(LATENCY, 7)
    store.add(LATENCY, 5)
    assert store.values == {LATENCY: 5}


def test_aggregations_are_apart_in_the_store_and_the_last_written_counts_in_a_file():
    total = MetricKey.backend(Aggregation.Sum, "m", BackendMetric.PostSchedEstLatency)
    store = MetricStore()
    store.add(LATENCY, 1)
    store.add(total, 2)
    assert store.values == {LATENCY: 1, total: 2}
    assert store.flat() == {"m": {"backend::PostSchedEstLatency": 2}}
    store.add(LATENCY, 3)
    assert store.flat() == {"m": {"backend::PostSchedEstLatency": 3}}


def test_the_nested_form_cuts_a_name_at_its_first_separator():
    assert nested({"m": {"backend::A": 1, "front::B::C": 2}, "n": {}}) == {
        "m": {"backend": {"A": 1}, "front": {"B::C": 2}},
        "n": {},
    }


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, "5", None, FLOAT32_MAX * (1 + 2**-30), 10**400])
def test_a_value_that_a_metric_cannot_hold_is_a_fault_of_ours(value: object):
    store = MetricStore()
    with pytest.raises(ModelBug, match="backend::PostSchedEstLatency"):
        store.add(LATENCY, value)
    assert store.values == {}


def test_perfsim_publishes_runs_times_the_critical_path_of_the_last_block():
    blocks = [[{"name": "a", "opcode": "Matmult", "engine": "PE", "cost": cost}] for cost in (500, 40)]
    assert metrics_of(estimate_of(document(*blocks, modular_flow_runs=3, name="m"))).values == {LATENCY: 120}


@pytest.mark.parametrize("content", [document([], name="m"), document(name="m")], ids=["empty block", "no block"])
def test_an_empty_program_takes_0_ns(content: dict):
    assert metrics_of(estimate_of(content)).values == {LATENCY: 0}
