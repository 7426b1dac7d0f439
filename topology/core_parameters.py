"""The parameters of a NeuronCore in a topology: a generation, and what differs from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from components.parameters import Fault, check_parameters
from simcore.errors import hint
from simcore.program.generations import ARCH_NAMES, GENERATIONS

if TYPE_CHECKING:
    from components.core.neuron_core import NeuronCoreParameters

GENERATION = "generation"
"""The parameter that stands for all others of a NeuronCore."""


def core_parameters(given: Mapping[str, object]) -> NeuronCoreParameters | list[Fault]:
    """The parameters of the core that ``given`` describes, or its faults.

    ``generation`` (sunda, gen3, core_v4 or trn1, trn2, trn3) gives all of them as the cost model has them; any other
    key replaces one. The numbers of ``ring_depths`` may be text, as the keys of a file are.
    """
    from components.core.neuron_core import NeuronCoreParameters

    values = dict(given)
    word = values.pop(GENERATION, None)
    if not isinstance(word, str) or word not in ARCH_NAMES:
        return [Fault(GENERATION, f"unknown generation {word!r} {hint(word, sorted(ARCH_NAMES))}")]
    arch = ARCH_NAMES[word]
    base = NeuronCoreParameters.of_generation(arch, GENERATIONS[arch].arch_version)
    depths = values.get("ring_depths")
    if isinstance(depths, dict):
        values["ring_depths"] = {int(key) if str(key).isdecimal() else key: depth for key, depth in depths.items()}
    return check_parameters(NeuronCoreParameters, {**base.model_dump(), **values})
