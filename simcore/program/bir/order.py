"""BIR puts the function ``main`` first; a record keeps its functions in the order of the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simcore.program.bir.findings import Findings
from simcore.program.instruction import FunctionRecord

MAIN = "main"


def main_first(functions: Sequence[FunctionRecord]) -> list[int]:
    """Positions of ``functions`` as BIR lists them."""
    return sorted(range(len(functions)), key=lambda k: functions[k].name != MAIN)


def restored_order(found: Findings, functions: list[FunctionRecord], order: Any) -> list[FunctionRecord]:
    """``functions``, listed as BIR does, in the program's order: ``order[k]`` is the program position of the k-th."""
    if (
        not isinstance(order, list)
        or any(type(k) is not int for k in order)
        or sorted(order) != list(range(len(functions)))
    ):
        found.problem("", f"kernbench.function_order: expected the numbers 0 to {len(functions) - 1}, each once")
        return functions
    return [function for _, function in sorted(zip(order, functions, strict=True), key=lambda pair: pair[0])]
