"""kernbench's core: programs, latency oracles, PerfSim, the event kernel of the machine, explanations and traces.

The names here are the public door; each is imported when first used, so that a command pays only for what it needs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore import perfsim
    from simcore.errors import InputError, KernbenchError, ModelBug, Problem
    from simcore.program.build import program_from_record
    from simcore.program.program import Program
    from simcore.program.read import load_program

__all__ = [
    "InputError",
    "KernbenchError",
    "ModelBug",
    "Problem",
    "Program",
    "load_program",
    "perfsim",
    "program_from_record",
]

_HOME = {
    "InputError": "simcore.errors",
    "KernbenchError": "simcore.errors",
    "ModelBug": "simcore.errors",
    "Problem": "simcore.errors",
    "Program": "simcore.program.program",
    "load_program": "simcore.program.read",
    "program_from_record": "simcore.program.build",
}


def __getattr__(name: str) -> Any:
    if name == "perfsim":
        return importlib.import_module("simcore.perfsim")
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'simcore' has no attribute {name!r}")
