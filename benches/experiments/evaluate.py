"""The value of a formula, in exact rational arithmetic, with every comparison that was made on the way."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from benches.experiments.formula import (
    Comparison,
    FormulaFault,
    Function,
    Junction,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Operation,
    Reading,
)

_ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction | int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FUNCTIONS: dict[str, Callable[..., Fraction | int]] = {
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "max": max,
    "min": min,
}


class Source(Protocol):
    """Where a formula's names and readings get their numbers. Both raise FormulaFault for what is not known."""

    def named(self, name: Name) -> Fraction:
        """The number that ``name`` stands for."""

    def reading(self, reading: Reading) -> Fraction:
        """The result that ``reading`` asks for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison: both sides as written, both values, and whether it holds."""

    left: str
    left_value: Fraction
    operator: str
    right: str
    right_value: Fraction
    holds: bool


def number(node: Node, source: Source) -> Fraction:
    """The value of a formula of numbers. Raises FormulaFault for an unknown name and for a division by zero."""
    match node:
        case Number(value=value):
            return value
        case Name():
            return source.named(node)
        case Reading():
            return source.reading(node)
        case Negative(operand=operand):
            return -number(operand, source)
        case Operation(operator=sign, left=left, right=right):
            left_value, right_value = number(left, source), number(right, source)
            if right_value == 0 and sign in ("/", "//", "%"):
                raise FormulaFault(f'division by zero: "{right.text}" is 0', right.at)
            return Fraction(_ARITHMETIC[sign](left_value, right_value))
        case Function(name=name, arguments=arguments):
            return Fraction(_FUNCTIONS[name](*(number(argument, source) for argument in arguments)))
        case _:
            raise TypeError(f"{node} is no number")


def truth(node: Node, source: Source, seen: list[Compared]) -> bool:
    """Whether a formula of comparisons holds; adds each comparison that was made to ``seen``."""
    match node:
        case Comparison(operands=operands, operators=operators):
            return _compare(operands, operators, source, seen)
        case Junction(operator="and", parts=parts):
            return all(truth(part, source, seen) for part in parts)
        case Junction(operator="or", parts=parts):
            return any(truth(part, source, seen) for part in parts)
        case Not(part=part):
            return not truth(part, source, seen)
        case _:
            raise TypeError(f"{node} is neither true nor false")


def _compare(operands: tuple[Node, ...], operators: tuple[str, ...], source: Source, seen: list[Compared]) -> bool:
    """A chain stops at the first pair that does not hold, as in Python; each operand is evaluated once."""
    value = number(operands[0], source)
    for sign, (left, right) in zip(operators, pairwise(operands), strict=True):
        right_value = number(right, source)
        holds = _COMPARE[sign](value, right_value)
        seen.append(Compared(left.text, value, sign, right.text, right_value, holds))
        if not holds:
            return False
        value = right_value
    return True
