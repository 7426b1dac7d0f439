"""PerfSim: the analytic replica of the compiler's cost simulator. One forward pass, integer nanoseconds, no events.

``estimate(program)`` is the whole of it; :mod:`simcore.perfsim.walk` holds the rules, :mod:`simcore.perfsim.lower`
prepares a block for them, :mod:`simcore.perfsim.simulator` places single instructions for a scheduler.
"""

from simcore.perfsim.estimate import BlockEstimate, Estimate, Prepared, estimate, options_from, prepare, run
from simcore.perfsim.options import PerfSimOptions

__all__ = [
    "BlockEstimate",
    "Estimate",
    "PerfSimOptions",
    "Prepared",
    "estimate",
    "options_from",
    "prepare",
    "run",
]
