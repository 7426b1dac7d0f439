"""Formulas that a table row can name: how they split into phases, and how to say them.

``phases`` gives (readInit, exec) for some events of a group; writeDrain is 0 everywhere, no number for it is published.
A published formula with a single rounding keeps it: its fixed part is shown as readInit, the rest of the total as exec.
In words, ``f`` is the clock of the engine that runs the instruction, and every term is rounded down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simcore.oracle import helpers
from simcore.oracle.group import Group
from simcore.oracle.parameters import Hardware, OracleOptions, Parameters
from simcore.program.columns import Array
from simcore.program.engines import Engine
from simcore.program.limits import MAX_COST_NS
from simcore.program.vocabulary import DgeType


@dataclass(frozen=True, slots=True)
class Case:
    """What a formula is applied to: ``pick`` (bool[g]) of ``group``, with all constants."""

    group: Group
    pick: Array
    parameters: Parameters
    hardware: Hardware
    options: OracleOptions

    def clock(self) -> Array:
        """int64: the clock of each picked event, in 10 MHz."""
        clocks = np.array(self.hardware.clocks, dtype=np.int64)
        return clocks[clocked_by(self.parameters, self.group)[self.pick]]


Phases = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Form:
    """A formula. ``needs_clock``: it cannot cost an instruction on an engine without a clock.

    ``needs_hardware``: it reads a constant of a generation (the others also serve a generation without an oracle).
    """

    name: str
    phases: Callable[[Case], Phases]
    words: Callable[[Parameters, Hardware, OracleOptions], str]
    needs_clock: bool = False
    needs_hardware: bool = True


def clocked_by(parameters: Parameters, group: Group) -> Array:
    """uint8[g]: the engine whose clock counts."""
    if parameters.clock is None:
        return group.engine
    return np.full(len(group), parameters.clock, dtype=np.uint8)


def dge_overhead(dge: DgeType, hardware: Hardware, options: OracleOptions) -> int:
    """Nanoseconds of descriptor generation before a transfer (0 for a generator that the hardware lacks)."""
    cycles = {DgeType.swdge: hardware.swdge_cycles, DgeType.hwdge: hardware.hwdge_cycles}.get(dge)
    return helpers.overhead(cycles or 0, options.dge_clock if hardware.dge_clock is None else hardware.dge_clock)


# --- engine instructions ----------------------------------------------------------------------------------------------


def _helper(c: Case) -> Phases:
    clock, p = c.clock(), c.parameters
    run = helpers.exec_latency(c.group.nep[c.pick], p.mult, clock)
    return helpers.overhead(p.base, clock), np.maximum(run, helpers.overhead(p.minimum, clock))


def _matmult_k(c: Case) -> Phases:
    clock = c.hardware.clocks[Engine.PE]
    fixed = helpers.overhead(helpers.MATMULT_BASE, clock)
    total = helpers.matmult_k(c.group.moving_elements[c.pick], clock)
    return np.full(len(total), fixed), total - fixed


def _memset_n(c: Case) -> Phases:
    clock = c.hardware.clocks[Engine.DVE]
    fixed = helpers.overhead(helpers.MEMSET_BASE, clock)
    total = helpers.memset_n(c.group.nep[c.pick], clock)
    return np.full(len(total), fixed), total - fixed


def _matmult_rows(c: Case) -> Phases:
    rows = helpers.matmult_rows(c.group.stationary_elements[c.pick], c.group.moving_elements[c.pick])
    run = helpers.exec_latency(rows, c.parameters.mult, c.hardware.clocks[Engine.PE])
    return np.zeros_like(run), run


def _pe_transpose(c: Case) -> Phases:
    """A transpose of [P, F] gives [F, P]: the result of a matmul with F stationary and P moving columns."""
    g, by = c.group, c.group.destination
    source = g.best(np.where(g.physical_input, 0, -1))
    moving = np.where(by >= 0, g.at(by, g.elements), g.at(source, g.partitions))[c.pick]
    stationary = np.where(by >= 0, g.at(by, g.partitions), g.at(source, g.elements))[c.pick]
    run = helpers.exec_latency(
        helpers.matmult_rows(stationary, moving), c.parameters.mult, c.hardware.clocks[Engine.PE]
    )
    return np.zeros_like(run), run


# --- transfers and collectives ----------------------------------------------------------------------------------------


def _start(c: Case) -> Array:
    """readInit of a transfer: the base and the descriptor generation."""
    by_type = np.array([dge_overhead(d, c.hardware, c.options) for d in DgeType], dtype=np.int64)
    return c.parameters.base + by_type[c.group.dge_type[c.pick]]


def _shape(c: Case) -> tuple[Array, Array, Array]:
    g = c.group
    return g.transfer_partitions[c.pick], g.transfer_elements[c.pick], g.transfer_element_bytes[c.pick]


def _dma(c: Case) -> Phases:
    shape, gbs = _shape(c), c.hardware.dma_engine_gbs
    flat = c.group.transfer_in_dram[c.pick] if c.options.dram_path else shape[2] == 1
    return _start(c), np.where(flat, helpers.dma_flat(*shape, gbs), helpers.dma_tiled(*shape, gbs))


def _dma_flat(c: Case) -> Phases:
    return _start(c), helpers.dma_flat(*_shape(c), c.hardware.dma_engine_gbs)


def _dma_fallback(c: Case) -> Phases:
    return _start(c), helpers.dma_fallback(*_shape(c))


def _collective(c: Case) -> Phases:
    run = helpers.collectives(c.group.collective_bytes[c.pick], c.group.count[c.pick], MAX_COST_NS)
    return np.full(len(run), c.parameters.base, dtype=np.int64), run


def _free(c: Case) -> Phases:
    nothing = np.zeros(int(np.count_nonzero(c.pick)), dtype=np.int64)
    return nothing, nothing


def _estimate(c: Case) -> Phases:
    run = c.group.estimate_ns[c.pick]
    return np.zeros_like(run), run


# --- in words ---------------------------------------------------------------------------------------------------------


def _helper_words(p: Parameters, h: Hardware, _: OracleOptions) -> str:
    clock = "f" if p.clock is None else str(h.clocks[p.clock])
    run = "NEP" if p.mult == 1 else f"{p.mult}*NEP" if p.mult else ""
    if p.minimum:
        run = f"max({p.minimum}, {run})"
    return " + ".join(f"{cycles}*100/{clock}" for cycles in (p.base, run) if cycles)


def _start_words(p: Parameters, h: Hardware, o: OracleOptions) -> str:
    hwdge = "" if h.hwdge_cycles is None else f", hwdge {dge_overhead(DgeType.hwdge, h, o)}"
    return f"{p.base} + DGE(swdge {dge_overhead(DgeType.swdge, h, o)}{hwdge})"


def _dma_words(p: Parameters, h: Hardware, o: OracleOptions) -> str:
    total = helpers.DMA_ENGINES * h.dma_engine_gbs
    when = "the access lies in DRAM" if o.dram_path else "elements of 1 byte"
    tiled = f"ceil(P/{helpers.DMA_ENGINES})*dt*NEP/{h.dma_engine_gbs}"
    return f"{_start_words(p, h, o)} + {tiled}; {when}: dt*NEP*P/{total}"


def _per_matmul(rows: str) -> Callable[[Parameters, Hardware, OracleOptions], str]:
    def words(p: Parameters, h: Hardware, _: OracleOptions) -> str:
        return f"{'' if p.mult == 1 else f'{p.mult}*'}{rows}*100/{h.clocks[Engine.PE]}"

    return words


FORMS: dict[str, Form] = {
    f.name: f
    for f in (
        Form("helper", _helper, _helper_words, needs_clock=True),
        Form("matmult_k", _matmult_k, lambda p, h, o: f"(K>>1 + {helpers.MATMULT_BASE})*100/{h.clocks[Engine.PE]}"),
        Form("memset_n", _memset_n, lambda p, h, o: f"(NEP + {helpers.MEMSET_BASE})*100/{h.clocks[Engine.DVE]}"),
        Form("matmult_rows", _matmult_rows, _per_matmul("max(min(64, stationary), moving)")),
        Form("pe_transpose", _pe_transpose, _per_matmul("max(min(64, F), P)")),
        Form("dma", _dma, _dma_words),
        Form(
            "dma_flat",
            _dma_flat,
            lambda p, h, o: f"{_start_words(p, h, o)} + dt*NEP*P/{helpers.DMA_ENGINES * h.dma_engine_gbs}",
        ),
        Form(
            "dma_fallback",
            _dma_fallback,
            lambda p, h, o: f"{_start_words(p, h, o)} + dt*NEP*P/{helpers.FALLBACK_BYTES_PER_NS}",
        ),
        Form(
            "collective",
            _collective,
            lambda p, h, o: f"{p.base} + bytes*sqrt(accesses)/{helpers.COLLECTIVE_BYTES_PER_NS}",
        ),
        Form("free", _free, lambda p, h, o: "0", needs_hardware=False),
        Form("estimate", _estimate, lambda p, h, o: "the instruction's latency_estimate", needs_hardware=False),
    )
}
"""Formulas by the name that tables use."""
