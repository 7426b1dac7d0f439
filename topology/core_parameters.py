"""The parameters of a NeuronCore in a topology: a generation, what differs from it, and the rates of its SBUF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from components.parameters import Fault, check_parameters
from simcore.errors import InputError, hint
from simcore.program.faults import kind_of
from simcore.program.generations import ARCH_NAMES, GENERATIONS

if TYPE_CHECKING:
    from components.core.neuron_core import NeuronCoreParameters
    from components.memory.sbuf import SbufParameters

GENERATION = "generation"
"""The parameter that stands for all others of a NeuronCore."""


SBUF = {"sbuf_read_bw_gbs": "read_bw_gbs", "sbuf_write_bw_gbs": "write_bw_gbs"}
"""Parameters of the core's SBUF; both or none are given, and without them it takes no time."""
SBUF_IMPL = "sbuf_impl"
"""The parameter that picks another SBUF than the default; it needs those of :data:`SBUF`."""


def core_parameters(
    given: Mapping[str, object], base: NeuronCoreParameters | None = None
) -> NeuronCoreParameters | list[Fault]:
    """The parameters of the core that ``given`` describes, or its faults.

    ``generation`` (sunda, gen3, core_v4 or trn1, trn2, trn3) gives all of them as the cost model has them, unless
    ``base`` does; any other key replaces one. The numbers of ``ring_depths`` may be text, as the keys of a file are.
    """
    from components.core.neuron_core import NeuronCoreParameters

    values = {key: value for key, value in given.items() if key not in SBUF and key != SBUF_IMPL}
    word = values.pop(GENERATION, None)
    if not isinstance(word, str) or word not in ARCH_NAMES:
        return [Fault(GENERATION, f"unknown generation {word!r} {hint(word, sorted(ARCH_NAMES))}")]
    arch = ARCH_NAMES[word]
    base = base or NeuronCoreParameters.of_generation(arch, GENERATIONS[arch].arch_version)
    depths = values.get("ring_depths")
    if isinstance(depths, dict):
        values["ring_depths"] = {int(key) if str(key).isdecimal() else key: depth for key, depth in depths.items()}
    checked = check_parameters(NeuronCoreParameters, {**base.model_dump(), **values})
    sbuf = sbuf_parameters(given)
    faults = [*(checked if isinstance(checked, list) else []), *(sbuf if isinstance(sbuf, list) else [])]
    return faults or checked


def sbuf_parameters(given: Mapping[str, object]) -> SbufParameters | list[Fault] | None:
    """The SBUF of the core that ``given`` describes, None if it gives no rates for it, or its faults."""
    from components.memory.sbuf import SbufParameters

    values = {name: given[key] for key, name in SBUF.items() if key in given}
    if SBUF_IMPL in given and (fault := _fault_of_impl(given[SBUF_IMPL], rated=bool(values))) is not None:
        return [fault]
    if not values:
        return None
    checked = check_parameters(SbufParameters, values)
    if not isinstance(checked, list):
        return checked
    key_of = {name: key for key, name in SBUF.items()}
    return [Fault(key_of[fault.key], fault.message) for fault in checked]


def _fault_of_impl(impl: object, *, rated: bool) -> Fault | None:
    from components.registry import lookup

    if not isinstance(impl, str):
        return Fault(SBUF_IMPL, f"expected a word, got {kind_of(impl)}")
    if not rated:
        return Fault(SBUF_IMPL, f"needs {' and '.join(SBUF)}: without rates an SBUF takes no time")
    try:
        lookup("sbuf", impl)
    except InputError as error:
        return Fault(SBUF_IMPL, error.problems[0].message)
    return None
