"""The core's parameters as rules of waiting, to explain a schedule of the machine with :mod:`simcore.explain`."""

from __future__ import annotations

from components.core.neuron_core import NeuronCoreParameters
from simcore.explain.rules import Rules
from simcore.units import TICKS_PER_NS


def rules_of(parameters: NeuronCoreParameters, *, include_anti_deps: bool = True) -> Rules:
    """The rules that the shipped parts follow in a run with ``parameters``; times in ticks."""
    return Rules(
        include_anti_deps=include_anti_deps,
        engine_order=True,
        barrier_lanes=parameters.barrier_lanes,
        psum_banks=parameters.psum_banks,
        coupled=parameters.coupled,
        early_ordered=parameters.early_ordered,
        ring_depths=parameters.ring_depths,
        edge_latency=parameters.semaphore_latency_ns * TICKS_PER_NS,
    )
