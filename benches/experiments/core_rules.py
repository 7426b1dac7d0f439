"""The rules of one variant: a NeuronCore's parameters, or PerfSim's options, where they differ from the source's."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from benches.experiments.findings import Findings, merged
from benches.experiments.works import as_finding
from components.core.neuron_core import NeuronCoreParameters
from components.registry import lookup
from simcore.errors import InputError
from simcore.perfsim.options import PerfSimOptions
from simcore.program.columns import Columns
from simcore.program.engines import Lane


def core_rules(
    arch: str, arch_version: int, changes: Mapping[str, Any], columns: Columns, findings: Findings
) -> NeuronCoreParameters | None:
    """The generation's core with ``changes``, or None and what is wrong with them. A ring of depth null never fills."""
    given = merged(NeuronCoreParameters.of_generation(arch, arch_version).model_dump(mode="json"), changes)
    rings, lanes = given.get("ring_depths"), given.get("barrier_lanes")
    if isinstance(rings, dict):
        given["ring_depths"] = {ring: depth for ring, depth in rings.items() if depth is not None}
    if isinstance(lanes, list):
        given["barrier_lanes"] = [_lane_number(lane) for lane in lanes]
    parameters = findings.checked(NeuronCoreParameters, given, ("core",), _from_json(NeuronCoreParameters))
    if parameters is None:
        return None
    _check_impls(parameters, findings)
    if len(columns):
        highest = int((columns.psum_reads | columns.psum_writes).max()).bit_length() - 1
        if highest >= parameters.psum_banks:
            message = f"the program touches PSUM bank {highest}, beyond the core's {parameters.psum_banks}"
            findings.add(("core", "psum_banks"), message)
    return parameters


def perfsim_options(changes: Mapping[str, Any], findings: Findings) -> PerfSimOptions | None:
    """PerfSim's options with ``changes``, or None and what is wrong with them."""
    return findings.checked(PerfSimOptions, changes, ("options",), _from_json(PerfSimOptions))


def _check_impls(parameters: NeuronCoreParameters, findings: Findings) -> None:
    for kind, impl in parameters.impls.items():
        try:
            lookup(kind, impl)
        except InputError as error:
            findings.add(("core", "impls", kind), as_finding(error))


def _from_json(model: Any) -> Any:
    """A strict check in which a document's lists are tuples and its keys may be numbers, as in JSON."""
    return lambda value: model.model_validate_json(msgspec.json.encode(value, enc_hook=_show))


def _show(value: object) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"a document holds no {type(value).__name__}")


def _lane_number(lane: object) -> object:
    return int(Lane[lane]) if isinstance(lane, str) and lane in Lane.__members__ else lane
