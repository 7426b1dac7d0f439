"""A system of two cores that reach one memory without limits through one router."""

from __future__ import annotations

TWO_CORES = """\
schema: kernbench.topology/1
name: {name}
system: {{ns_per_mm: 0, flit_bytes: 256, arbitration: flow_round_robin, window_flits: 16, buffer_bytes: {buffer_bytes},
  ucie_spreading: none}}
graph:
  nodes:
  - {{name: hbm, kind: hbm_controller, parameters:
      {{num_pcs: 8, burst_bytes: 256, pc_bw_gbs: 0, switch_penalty_ns: 0, overhead_ns: 0}}}}
  - {{name: r, kind: router, parameters: {{overhead_ns: 0}}}}
  - {{name: {one}, kind: neuron_core, parameters: {{generation: gen3}}}}
  - {{name: {other}, kind: neuron_core, parameters: {{generation: gen3}}}}
  links:
  - {{src: hbm, dst: r, both_ways: true, bw_gbs: 256, length_mm: 0, overhead_ns: 0}}
  - {{src: r, dst: {one}, both_ways: true, bw_gbs: {one_gbs}, length_mm: 0, overhead_ns: 0}}
  - {{src: r, dst: {other}, both_ways: true, bw_gbs: {other_gbs}, length_mm: 0, overhead_ns: 0}}
"""


def two_cores(name: str, one: tuple[str, int], other: tuple[str, int], *, buffer_bytes: str) -> str:
    """The topology file; each core by its name and the rate of its link in GB/s."""
    return TWO_CORES.format(
        name=name, one=one[0], one_gbs=one[1], other=other[0], other_gbs=other[1], buffer_bytes=buffer_bytes
    )
