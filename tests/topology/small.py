"""Small topology files for tests: a free graph and a hierarchy, each fine as it stands."""

from __future__ import annotations

from pathlib import Path

from topology.check import check_file
from topology.loader import load_system
from topology.system import System

SYSTEM = (
    "system: {ns_per_mm: 0.01, flit_bytes: 256, arbitration: fifo, window_flits: 16, buffer_bytes: null, "
    "ucie_spreading: none}\n"
)
HEAD = "schema: kernbench.topology/1\nname: small\n" + SYSTEM

LINE = "bw_gbs: 100, length_mm: 1, overhead_ns: 0"

GRAPH = (
    HEAD
    + f"""\
graph:
  nodes: [a, b, c]
  links:
  - {{src: a, dst: b, both_ways: true, {LINE}}}
  - {{src: b, dst: c, both_ways: true, {LINE}}}
"""
)

TRAY = (
    """\
schema: kernbench.topology/1
name: tray
templates:
  line: {kind: link, parameters: {bw_gbs: 64, overhead_ns: 1}}
  uplink: {kind: link, parameters: {bw_gbs: 32, overhead_ns: 0, length_mm: 5}}
  wire: {kind: wire, parameters: {overhead_ns: 0}}
  router: {kind: router, parameters: {overhead_ns: 2}}
"""
    + SYSTEM
    + """\
switch: {template: router}
sips: {count: 2, topology: ring_1d}
sip:
  cube_mesh: {w: 2, h: 2, cube_pitch_mm: [10, 10]}
  io:
  - name: io0
    pcie_ep: {template: router, pos_mm: [4, -8]}
    io_cpu: {template: router, pos_mm: [2, -6]}
    io_noc: {template: router, pos_mm: [4, -6]}
    switch_link: {template: uplink}
    link: {template: line}
    ucie:
      gap_mm: 2
      port: {template: router}
      noc_link: {template: line}
      link: {template: line}
      attach: [{cube: 0, side: N}, {cube: 1, side: N}]
cube:
  geometry: {size_mm: [8, 8], router_origin_mm: [2, 2], router_pitch_mm: [2, 2]}
  mesh: {w: 3, h: 3, holes: [r1c1], router: {template: router}, link: {template: line}}
  pes: {at: [r0c0, r2c2], link: {template: line}}
  memory:
    hbm_gib: 2
    hbm_slices: 2
    sram_offset_gib: 128
    sram_kib: 64
    controller: {kind: node, parameters: {num_pcs: 8, burst_bytes: 256}}
    link: {template: line, length_mm: 0}
  m_cpu: {kind: node, pos_mm: [3.9, 2], link: {template: line}, command_link: {template: wire}}
  sram: {kind: node, pos_mm: [2, 4], link: {template: line}}
  ucie:
    port: {template: router}
    router_link: {template: line}
    link: {template: line}
    sides: {N: [[r0c0, r0c1], [r0c2]], S: [[r2c0, r2c1], [r2c2]], W: [[r0c0, r1c0], [r2c0]], E: [[r0c2, r1c2], [r2c2]]}
pe:
  parts:
    cpu: {kind: node, offset_mm: [-0.5, 0]}
    dma: {kind: node, offset_mm: [0, 0]}
  wires: [{between: [cpu, dma], template: wire}]
  router_part: dma
  command_part: cpu
"""
)


def written(folder: Path, text: str, name: str = "t.yaml") -> Path:
    """The file ``name`` in ``folder``, holding ``text``."""
    path = folder / name
    path.write_text(text)
    return path


def loaded(folder: Path, text: str) -> System:
    """The system that ``text`` describes."""
    return load_system(written(folder, text))


def problems_of(folder: Path, text: str) -> list[str]:
    """What ``kernbench topology check`` finds wrong with ``text``, each ``line:column: message``."""
    path = written(folder, text)
    return [str(problem).replace(f"{path}:", "") for problem in check_file(path).problems]
