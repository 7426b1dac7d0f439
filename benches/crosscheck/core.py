"""The core that corresponds to a set of PerfSim's options: the same numbers and switches, given to the machine."""

from __future__ import annotations

from components.core.neuron_core import NeuronCoreParameters
from simcore.errors import InputError, Problem
from simcore.perfsim.constants import SHARES_BY_MAX_STREAM
from simcore.perfsim.options import PerfSimOptions
from simcore.program.columns import Columns
from simcore.program.opcodes import Opcode

_PERFSIM_ONLY = (
    ("collective_reflow", "overlap", "only PerfSim stretches collectives that overlap"),
    ("engine_order", False, "an engine of the machine always issues in order"),
    ("psum_banks", False, "a PSUM bank of the machine always makes its writers wait"),
)
"""Options that no core has, with their value and the reason."""

COMPARABLE = "cost, ring, overlap, coupling, barriers, collective_share, arch, timing"
"""The settings under which both models can run, for messages."""


def refuse_perfsim_only(options: PerfSimOptions, *, include_anti_deps: bool = True) -> None:
    """Raises InputError with every option that the machine has no counterpart for."""
    problems = [
        Problem(f"cannot be cross-checked: {why} (allowed: {COMPARABLE})", f"{name}={_word(value)}")
        for name, value, why in _PERFSIM_ONLY
        if getattr(options, name) == value
    ]
    if not include_anti_deps:
        message = f"a cross-check always compares the runs with and without anti-dependencies (allowed: {COMPARABLE})"
        problems.append(Problem(message, "anti_deps=off"))
    if problems:
        raise InputError(problems)


def core_of(arch: str, arch_version: int, options: PerfSimOptions, columns: Columns) -> NeuronCoreParameters:
    """The core on which ``columns`` should take as long as PerfSim says under ``options``."""
    core = NeuronCoreParameters.of_generation(arch, arch_version)
    depths = {**core.ring_depths, **options.ring_depths}
    changes: dict[str, object] = {
        "compute_overlap_ns": options.compute_overlap_ns,
        "dma_overlap_ns": options.dma_overlap_ns,
        "ring_depths": {ring: depth for ring, depth in depths.items() if depth is not None},
    }
    if options.pool_dve_coupling is not None:
        changes["coupled"] = options.pool_dve_coupling
    if not options.barriers:
        changes["barrier_lanes"] = ()
    if options.collective_share == "max_stream":
        changes["collective_shares"] = _shares_of(_highest_stream(columns))
    return core.model_copy(update=changes)


def _highest_stream(columns: Columns) -> int:
    """The highest stream that any collective of the block names; one that names none is on stream 0."""
    kinds = (Opcode.Collective, Opcode.CollectiveCompute, Opcode.CollectiveSend, Opcode.CollectiveRecv)
    streams = [columns.stream_id[columns.opcode == kind] for kind in kinds]
    return max((int(s.max()) for s in streams if len(s)), default=0)


def _shares_of(highest: int) -> tuple[tuple[int, int], ...]:
    if highest >= len(SHARES_BY_MAX_STREAM):
        return ()
    return tuple((share.numerator, share.denominator) for share in SHARES_BY_MAX_STREAM[max(highest, 0)])


def _word(value: object) -> object:
    return "off" if value is False else value
