"""YAML text, decoded straight from parser events: no node tree, so memory stays small and nesting is bounded.

Scalars mean what YAML 1.1's safe schema says; keys are text as they stand. Aliases, merge keys and tags are refused:
a file of ours says each thing where it stands. So are numbers that YAML 1.2 reads as something else: 010 and 1:30.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from simcore.errors import InputError, Problem
from simcore.program.faults import Path, shown
from simcore.program.stream.json_text import NESTING_LIMIT, Lines, json_text
from simcore.program.stream.wanted import Place, Wanted

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONSTRUCTED = ("null", "bool", "int", "float")
_NO_KEY = object()
_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not allow in a file, not even in quotes."""

_DECIMAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?(?P<exponent>\d+))?")
_EXPONENT_LIMIT = 100
"""A number that is kept exactly is 0, or from 1e-100 to 1e100 in size: its digits are all written out in memory, and
products of several must still be doubles."""
_KNOWN_SCALARS = 100_000
"""Scalars whose meaning is remembered; the words of a program repeat, its names do not."""


def decode_yaml(data: bytes, file: str, *, exact: bool = False) -> Any:
    """The document in ``data``. Raises InputError for syntax errors, repeated keys, aliases and too deep nesting.

    With ``exact``, a number with a point or an exponent is the Fraction that its digits say, 1e5 too, which JSON and
    YAML 1.2 have for a number and YAML 1.1 for text; infinite and NaN stay floats.
    """
    text = json_text(data, file)
    unreadable = _UNREADABLE.search(text)
    if unreadable:
        message = f"not text: the character U+{ord(unreadable.group()):04X} (allowed: printable ones)"
        raise InputError([Problem(message, file, *Lines(text).place(unreadable.start()))])
    builder = _Builder(file, exact)
    try:
        document = builder.document(data)
    except yaml.MarkedYAMLError as error:
        raise InputError([*builder.problems, _syntax_problem(error, text, file)]) from error
    if builder.problems:
        raise InputError(builder.problems)
    return document


def _syntax_problem(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Problem(f"not valid YAML: {error.problem}", file)
    message = f"not valid YAML: {error.problem}"
    if error.problem is not None and "nesting depth" in error.problem:
        message = f"nested deeper than {NESTING_LIMIT} levels"
    elif mark.index >= len(text.rstrip()):
        message = f"the file ends inside the document (truncated?): {error.problem}"
    return Problem(message, file, mark.line + 1, mark.column + 1)


class _Builder:
    """Builds plain values from parser events."""

    def __init__(self, file: str, exact: bool) -> None:
        self.file = file
        self.exact = exact
        self.problems: list[Problem] = []
        self.resolver: Any = Resolver()
        self.constructor = SafeConstructor()
        self.known: dict[str, Any] = {}

    def document(self, data: bytes) -> Any:
        """The single document of the text (None when it is empty)."""
        result: Any = None
        documents = 0
        stack: list[Any] = []
        keys: list[Any] = []
        for event in yaml.parse(data, Loader=_Loader):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.problem("a second document in the file (allowed: one)", event)
                    return result
            if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                stack.pop()
                keys.pop()
                continue
            if not isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent, yaml.CollectionStartEvent)):
                continue
            if stack and isinstance(stack[-1], dict) and keys[-1] is _NO_KEY:
                if not isinstance(event, yaml.ScalarEvent):
                    self.problem("a key that is not a word", event)
                    return result
                keys[-1] = self.key(stack[-1], event)
                continue
            value = self.value(event)
            if not stack:
                result = value
            elif isinstance(stack[-1], list):
                stack[-1].append(value)
            else:
                stack[-1][keys[-1]] = value
                keys[-1] = _NO_KEY
            if isinstance(event, yaml.CollectionStartEvent):
                if len(stack) >= NESTING_LIMIT:
                    self.problem(f"nested deeper than {NESTING_LIMIT} levels", event)
                    return result
                stack.append(value)
                keys.append(_NO_KEY)
        return result

    def key(self, mapping: dict[str, Any], event: yaml.ScalarEvent) -> str:
        """The scalar as a key of ``mapping``, where it must not be yet."""
        key: str = event.value
        if event.tag not in (None, "!"):
            self.problem(f"tag {event.tag} (not allowed)", event)
        if key in mapping:
            self.problem(f"the key {shown(key)} stands twice in one mapping", event)
        elif key == "<<" and not event.style:
            self.problem("merge key << (not allowed: write the values out)", event)
        return key

    def value(self, event: yaml.AliasEvent | yaml.ScalarEvent | yaml.CollectionStartEvent) -> Any:
        """The value that an event begins: null, boolean, number, text, or a collection still empty."""
        if isinstance(event, yaml.AliasEvent):
            self.problem(f"alias *{event.anchor} (not allowed: write the value out)", event)
            return None
        if event.tag not in (None, "!"):
            self.problem(f"tag {event.tag} (not allowed)", event)
        if isinstance(event, yaml.CollectionStartEvent):
            return {} if isinstance(event, yaml.MappingStartEvent) else []
        return self.scalar(event)

    def scalar(self, event: yaml.ScalarEvent) -> Any:
        """The value of a scalar: null, boolean, number or text."""
        if not event.implicit[0] or event.style:
            return event.value
        if event.value in self.known:
            return self.known[event.value]
        tag = self.resolver.resolve(yaml.ScalarNode, event.value, (True, False)).rpartition(":")[2]
        value: Any = event.value
        if self.exact and tag == "str" and _DECIMAL.fullmatch(event.value.lower()):
            tag = "float"
        if tag in ("int", "float") and _other_in_yaml_1_2(event.value):
            allowed = "allowed: decimal digits without a leading zero; quotes around text"
            self.problem(f"{event.value} is one thing in YAML 1.1 and another in YAML 1.2 ({allowed})", event)
            return None
        if tag in _CONSTRUCTED:
            node = yaml.ScalarNode(f"tag:yaml.org,2002:{tag}", event.value)
            try:
                value = getattr(self.constructor, f"construct_yaml_{tag}")(node)
                if self.exact and isinstance(value, int | float):
                    value = _exactly(event.value, value)
            except ValueError:
                bounds = f" (allowed: 0, or from 1e-{_EXPONENT_LIMIT} to 1e{_EXPONENT_LIMIT} in size)"
                self.problem(f"{shown(event.value)} is not a readable number{bounds if self.exact else ''}", event)
                return None
        if len(self.known) < _KNOWN_SCALARS:
            self.known[event.value] = value
        return value

    def problem(self, message: str, event: yaml.Event) -> None:
        """Adds a problem at the event's place."""
        self.problems.append(Problem(message, self.file, *_position(event)))


def _other_in_yaml_1_2(number: str) -> bool:
    """Whether YAML 1.2 reads the ``number`` of YAML 1.1 otherwise: octal without its o as decimal, base 60 as text."""
    digits = number.lstrip("-+").replace("_", "")
    return ":" in number or (digits.isdigit() and digits.startswith("0") and len(digits.lstrip("0")) > 1)


def _exactly(text: str, value: float) -> Fraction | float:
    """The number that ``text`` writes, which is ``value`` as an int or a float. Raises ValueError beyond the limits."""
    plain = text.replace("_", "").lower()
    decimal = _DECIMAL.fullmatch(plain)
    exact: Fraction | float = value
    if isinstance(value, float):
        if decimal is None:  # .inf and .nan
            return value
        # Twice the limit, since digits may make up for an exponent: 0.001e+102.
        if int(decimal["exponent"] or 0) > 2 * _EXPONENT_LIMIT:
            raise ValueError(f"{text}: an exponent beyond the limit")
        exact = Fraction(plain)
    limit = 10**_EXPONENT_LIMIT
    if exact and not (abs(exact) <= limit and abs(exact) * limit >= 1):
        raise ValueError(f"{text}: beyond the limits")
    return exact


def _position(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def locate_yaml(data: bytes, paths: Iterable[Path]) -> Wanted:
    """The places of ``paths`` in ``data``, a document that could be decoded."""
    root = Wanted.tree(paths)
    outer: list[tuple[bool, int, Wanted | None]] = []
    is_mapping, index, inside = False, 0, None
    key: str | int = 0
    key_at: tuple[int, int] | None = None
    expects_key = False
    for event in _values(data):
        if isinstance(event, yaml.CollectionEndEvent):
            is_mapping, index, inside = outer.pop()
            index, expects_key = index + 1, is_mapping
            continue
        if expects_key:
            key, key_at, expects_key = event.value, _position(event), False
            continue
        node = root if not outer else inside.children.get(key if is_mapping else index) if inside is not None else None
        if node is not None:
            node.place = Place(_position(event), key_at if is_mapping else None)
        if isinstance(event, yaml.ScalarEvent):
            index, expects_key = index + 1, is_mapping
        else:
            outer.append((is_mapping, index, inside))
            is_mapping, index, inside = isinstance(event, yaml.MappingStartEvent), 0, node
            expects_key = is_mapping
    return root


def _values(data: bytes) -> Iterator[Any]:
    kinds = (yaml.ScalarEvent, yaml.CollectionStartEvent, yaml.CollectionEndEvent)
    return (event for event in yaml.parse(data, Loader=_Loader) if isinstance(event, kinds))
