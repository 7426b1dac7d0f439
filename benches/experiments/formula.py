"""Formulas of claims and set-ups: what may be written, as a tree that knows its places. Nothing is evaluated here.

The grammar is a small part of Python's: numbers, names, ``+ - * / // %``, comparisons (chained too), ``and or not``,
``min max ceil floor abs``, and readings such as ``end_ns(dual, fetch)``. Every other node is refused at its place.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from simcore.errors import hint

FUNCTIONS = {"abs": (1, 1), "ceil": (1, 1), "floor": (1, 1), "max": (2, 99), "min": (2, 99)}
"""Functions of numbers, with the least and the most arguments that each takes."""

MAX_LENGTH = 2000
MAX_DEPTH = 60
MAX_EXPONENT = 30

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.And: "and",
    ast.Or: "or",
}
_EXPONENT = re.compile(r"[eE]([+-]?[\d_]+)$")


class FormulaFault(Exception):
    """A formula that cannot be read or evaluated: what is wrong, and at which character (from 0)."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message, at)
        self.message = message
        self.at = at


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a formula: its text, and the character at which it begins."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number as it is written: 0.1 is one tenth."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name that stands for a number (``text`` is the name)."""


@dataclass(frozen=True, slots=True)
class Reading(Node):
    """A result that is read off: ``metric(variant)`` or ``metric(variant, what)``; ``of`` holds its words."""

    metric: str
    of: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Operation(Node):
    """Two numbers and ``+ - * / // %`` between them."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """A number with a minus before it."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Function(Node):
    """One of :data:`FUNCTIONS` of numbers."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """``operands[0] operators[0] operands[1] ...``: true if every neighbouring pair is."""

    operands: tuple[Node, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Junction(Node):
    """Truths joined by ``and`` or ``or``, evaluated from the left until the answer is known."""

    operator: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    """The opposite of a truth."""

    part: Node


TRUTHS = (Comparison, Junction, Not)
Wanted = Literal["a number", "true or false"]


@lru_cache(maxsize=4096)
def parse(text: str, wanted: Wanted) -> Node:
    """The tree of ``text``, whose value is ``wanted``. Raises FormulaFault for whatever is not in the grammar."""
    if len(text) > MAX_LENGTH:
        raise FormulaFault(f"longer than {MAX_LENGTH} characters", MAX_LENGTH)
    plain = re.sub(r"\s", " ", text).rstrip()
    indent = len(plain) - len(plain.lstrip())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = ast.parse(plain[indent:], mode="eval").body
    except SyntaxError as error:
        at = indent + (error.offset or 0) - 1
        if not indent <= at < len(plain):  # behind the end, or 0 for "at the end", as the version of Python has it
            raise FormulaFault("not a formula: it ends too early", len(plain)) from error
        raise FormulaFault(f"not a formula: {error.msg}", at) from error
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise FormulaFault(f"not a formula: {error}", indent) from error
    return _Reader(plain, indent).node(tree, wanted, 0)


class _Reader:
    """Turns Python's tree into ours."""

    def __init__(self, text: str, indent: int) -> None:
        self.text = text
        self.bytes = text[indent:].encode()
        self.indent = indent

    def node(self, tree: ast.expr, wanted: Wanted, depth: int) -> Node:
        at, text = self._place(tree)
        if depth > MAX_DEPTH:
            raise FormulaFault(f"nested deeper than {MAX_DEPTH} levels", at)
        node = self._node(tree, text, at, depth + 1)
        got: Wanted = "true or false" if isinstance(node, TRUTHS) else "a number"
        if got != wanted:
            raise FormulaFault(f'"{text}" is {got}, not {wanted}', at)
        return node

    def _node(self, tree: ast.expr, text: str, at: int, depth: int) -> Node:
        match tree:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return Number(text, at, _number(value, text, at))
            case ast.Name():
                return Name(text, at)
            case ast.BinOp(op=op) if type(op) in _OPERATORS:
                left, right = (self.node(side, "a number", depth) for side in (tree.left, tree.right))
                return Operation(text, at, _OPERATORS[type(op)], left, right)
            case ast.UnaryOp(op=ast.USub()):
                return Negative(text, at, self.node(tree.operand, "a number", depth))
            case ast.UnaryOp(op=ast.UAdd()):
                return self.node(tree.operand, "a number", depth)
            case ast.UnaryOp(op=ast.Not()):
                return Not(text, at, self.node(tree.operand, "true or false", depth))
            case ast.BoolOp():
                parts = tuple(self.node(part, "true or false", depth) for part in tree.values)
                return Junction(text, at, _OPERATORS[type(tree.op)], parts)
            case ast.Compare(ops=ops) if all(type(op) in _OPERATORS for op in ops):
                operands = tuple(self.node(side, "a number", depth) for side in (tree.left, *tree.comparators))
                return Comparison(text, at, operands, tuple(_OPERATORS[type(op)] for op in ops))
            case ast.Call(func=ast.Name(id=name), keywords=[]):
                return self._call(tree, name, text, at, depth)
            case _:
                raise FormulaFault(f'"{text}" cannot stand in a formula (allowed: {ALLOWED})', at)

    def _call(self, call: ast.Call, name: str, text: str, at: int, depth: int) -> Node:
        if name not in FUNCTIONS:
            return Reading(text, at, name, tuple(self._word(argument) for argument in call.args))
        least, most = FUNCTIONS[name]
        if not least <= len(call.args) <= most:
            allowed = f"{least}" if least == most else f"{least} or more"
            raise FormulaFault(f"{name}() takes {allowed} numbers, not {len(call.args)}", at)
        return Function(text, at, name, tuple(self.node(argument, "a number", depth) for argument in call.args))

    def _word(self, tree: ast.expr) -> Node:
        at, text = self._place(tree)
        match tree:
            case ast.Name():
                return Node(text, at)
            case ast.Constant(value=str() as word):
                return Node(word, at)
            case _:
                raise FormulaFault(f'"{text}" is no name (write a name that is not one word in quotes)', at)

    def _place(self, tree: ast.expr) -> tuple[int, str]:
        begin, end = (
            self.indent + len(self.bytes[:offset].decode()) for offset in (tree.col_offset, tree.end_col_offset)
        )
        return begin, self.text[begin:end]


ALLOWED = (
    f"numbers, readings such as end_ns(variant, name), + - * / // %, comparisons, and or not, {' '.join(FUNCTIONS)}"
)
"""The grammar in a line, for messages."""


def is_word(text: str) -> bool:
    """Whether ``text`` can be written in a formula without quotes, as a name that is no function."""
    try:
        return isinstance(parse(text, "a number"), Name) and text not in FUNCTIONS
    except FormulaFault:
        return False


def unknown(what: str, word: Node, allowed: list[str]) -> FormulaFault:
    """The fault of a word that is none of those known."""
    known = hint(word.text, allowed, shown=30) if allowed else "(there is none)"
    return FormulaFault(f'unknown {what} "{word.text}" {known}', word.at)


def _number(value: float, text: str, at: int) -> Fraction:
    if isinstance(value, int):
        return Fraction(value)
    exponent = _EXPONENT.search(text)
    if exponent is not None and abs(int(exponent[1])) > MAX_EXPONENT:
        raise FormulaFault(f"{text} is out of range (allowed: exponents to {MAX_EXPONENT})", at)
    return Fraction(text)
