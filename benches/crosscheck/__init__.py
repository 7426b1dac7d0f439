"""Cross-checking the two models: the same costs, both runs, every block, instruction by instruction, to the nanosecond.

``crosscheck(program)`` is the whole of it. PerfSim computes and the machine waits; what they share is the program, its
costs and the numbers of the rules, so an equal result is evidence for both.
"""

from benches.crosscheck.check import BlockCheck, CrosscheckResult, compare_models, crosscheck
from benches.crosscheck.compare import Bound, Difference

__all__ = ["BlockCheck", "Bound", "CrosscheckResult", "Difference", "compare_models", "crosscheck"]
