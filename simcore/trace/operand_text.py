"""Operands as short text for a trace viewer."""

from __future__ import annotations

from simcore.program.instruction import Operand


def shape_text(operand: Operand) -> str:
    """``dtype[partitions, counts of the free pattern...]``, e.g. ``bfloat16[128, 512]``."""
    sizes = [operand.partitions, *(num for _, num in _free(operand))]
    return f"{operand.dtype}[{', '.join(map(str, sizes))}]"


def access_pattern_text(operand: Operand) -> str:
    """``SPACE[:tensor][ bank B][ @ADDR] partitions x [[step, num], ...][ symbolic]``.

    Steps are in elements and ``@ADDR`` in bytes inside a partition; what the program does not say is left out. E.g.
    ``SB:q @1024 128 x [[512, 4], [1, 64]]``.
    """
    text = operand.space
    if operand.tensor is not None:
        text += f":{operand.tensor}"
    if operand.bank is not None:
        text += f" bank {operand.bank}"
    if operand.addr is not None:
        text += f" @{operand.addr}"
    pairs = ", ".join(f"[{step}, {num}]" for step, num in _free(operand))
    return f"{text} {operand.partitions} x [{pairs}]" + (" symbolic" if operand.symbolic else "")


def _free(operand: Operand) -> list[tuple[int, int]]:
    return operand.free if operand.free is not None else [(1, operand.elements)]
