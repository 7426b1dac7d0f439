"""Latency oracles: what each instruction costs on a generation, from whose numbers, and how well they are known.

:func:`cost_block` is the door; the tables under ``tables/`` hold every number that belongs to an opcode, ``helpers``
every formula, ``registry`` the generations' constants.
"""

from simcore.oracle.cost import Costs, cost_block
from simcore.oracle.helpers import exec_latency, latency, overhead
from simcore.oracle.parameters import OracleOptions
from simcore.oracle.provenance import Provenance
from simcore.oracle.registry import Oracle, oracle_name, oracle_of
from simcore.oracle.rules import Rule
from simcore.oracle.timing_names import TIMINGS, check_timing

__all__ = [
    "TIMINGS",
    "Costs",
    "Oracle",
    "OracleOptions",
    "Provenance",
    "Rule",
    "check_timing",
    "cost_block",
    "exec_latency",
    "latency",
    "oracle_name",
    "oracle_of",
    "overhead",
]
