"""Affine expressions of loop bounds and attributes: their value, when it does not depend on a loop or a register.

Version 1 writes a flat ``{terms: [{AxisLabel, coef}], c}`` with an optional ``op``/``op_param`` around it; version 2 a
tree of ``{kind: ...}`` nodes. The two shapes cannot be confused, so both are read in both versions.
"""

from __future__ import annotations

from typing import Any

from simcore.program.limits import MAX_NESTING


def is_expression(value: Any) -> bool:
    """True for the JSON shapes that hold an expression rather than a plain number."""
    return isinstance(value, (dict, list))


def constant_value(value: Any, depth: int = 0) -> int | None:
    """The integer that ``value`` always has; None if it varies (or is no expression at all)."""
    if type(value) is int:
        return value
    if depth > MAX_NESTING:
        return None
    if isinstance(value, list):
        return constant_value(value[0], depth + 1) if len(value) == 1 else None
    if not isinstance(value, dict):
        return None
    match value.get("kind"):
        case None if "const" in value:
            return constant_value(value["const"], depth + 1)
        case None if "c" in value:
            return _op(value, _affine(value, depth))
        case "AffExprKind":
            return _affine(value, depth)
        case "SumKind":
            return _sum([constant_value(term, depth + 1) for term in _list(value.get("terms"))])
        case "MultKind":
            return _product(constant_value(value.get("var"), depth + 1), constant_value(value.get("scale")))
        case "FloorDivKind":
            return _divided(constant_value(value.get("numer"), depth + 1), value.get("denom"))
        case "ModuloKind" | "CCModKind":
            return _remainder(constant_value(value.get("numer"), depth + 1), value.get("denom"))
        case _:
            return None


def _affine(value: dict[str, Any], depth: int) -> int | None:
    parts: list[int | None] = [constant_value(value.get("c", 0))]
    for term in _list(value.get("terms")):
        if not isinstance(term, dict):
            return None
        coefficient = constant_value(term.get("coeff", term.get("coef")))
        if coefficient != 0:
            parts.append(_product(constant_value(term.get("idx"), depth + 1), coefficient))
    return _sum(parts)


def _op(value: dict[str, Any], numerator: int | None) -> int | None:
    match value.get("op"):
        case None:
            return numerator
        case "Div":
            return _divided(numerator, value.get("op_param"))
        case "Mod":
            return _remainder(numerator, value.get("op_param"))
        case _:
            return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _sum(parts: list[int | None]) -> int | None:
    known = [p for p in parts if p is not None]
    return sum(known) if len(known) == len(parts) else None


def _product(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a * b


def _divided(numerator: int | None, denominator: Any) -> int | None:
    divisor = constant_value(denominator)
    return numerator // divisor if numerator is not None and divisor else None


def _remainder(numerator: int | None, denominator: Any) -> int | None:
    divisor = constant_value(denominator)
    return numerator % divisor if numerator is not None and divisor else None
