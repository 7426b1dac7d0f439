"""Systems without a bottleneck and without a delay: what a program meets there is what the ideal model knows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from topology.system import System

FREE = {
    "overhead_ns": Fraction(0),
    "start_ns": Fraction(0),
    "pc_bw_gbs": Fraction(0),
    "switch_penalty_ns": Fraction(0),
    "read_bw_gbs": Fraction(0),
    "write_bw_gbs": Fraction(0),
    "sbuf_read_bw_gbs": Fraction(0),
    "sbuf_write_bw_gbs": Fraction(0),
    "tlb_hit_ns": Fraction(0),
    "tlb_miss_ns": Fraction(0),
    "bw_gbs": Fraction(0),
}
"""What a parameter of a part without a bottleneck is: a rate of 0 means no delay."""


def without_limits(system: System) -> System:
    """``system`` with every rate unlimited and every delay 0."""
    graph = system.graph.copy()
    for _, data in graph.nodes(data=True):
        spec = data["spec"]
        parameters = {key: FREE.get(key, value) for key, value in spec.parameters.items()}
        data["spec"] = replace(spec, parameters=parameters)
    for _, _, data in graph.edges(data=True):
        rate = None if data["spec"].bw_gbs is None else Fraction(0)
        data["spec"] = replace(data["spec"], bw_gbs=rate, overhead_ns=Fraction(0))
    return replace(system, graph=graph, ns_per_mm=Fraction(0))


def with_parameters(system: System, kind: str, **parameters: object) -> System:
    """``system`` with other ``parameters`` of every part of ``kind``."""
    graph = system.graph.copy()
    for _, data in graph.nodes(data=True):
        spec = data["spec"]
        if spec.kind == kind:
            data["spec"] = replace(spec, parameters={**spec.parameters, **parameters})
    return replace(system, graph=graph)
