"""YAML text, decoded straight from parser events: no node tree, so memory stays small and nesting is bounded.

Scalars mean what YAML 1.1's safe schema says. Anchors, aliases, merge keys and tags are refused: a program file says
each thing where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from simcore.errors import InputError, Problem
from simcore.program.faults import Path, shown
from simcore.program.stream.json_text import NESTING_LIMIT
from simcore.program.stream.wanted import Place, Wanted

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CONSTRUCTED = ("null", "bool", "int", "float")


def decode_yaml(data: bytes, file: str) -> Any:
    """The document in ``data``. Raises InputError for syntax errors, repeated keys, aliases and too deep nesting."""
    problems: list[Problem] = []
    builder = _Builder(file, problems)
    try:
        document = builder.document(data)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (None, None)
        raise InputError([*problems, Problem(f"not valid YAML: {error.problem}", file, *place)]) from error
    except yaml.YAMLError as error:
        raise InputError([*problems, Problem(f"not valid YAML: {' '.join(str(error).split())}", file)]) from error
    if problems:
        raise InputError(problems)
    return document


class _Builder:
    """Builds plain values from parser events."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self.file = file
        self.problems = problems
        self.resolver = Resolver()
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
            if isinstance(event, yaml.AliasEvent):
                self.problem(f"alias *{event.anchor} (not allowed in program files: write the value out)", event)
                value: Any = None
            elif isinstance(event, yaml.ScalarEvent):
                value = self.scalar(event)
            elif isinstance(event, yaml.MappingStartEvent):
                value = {}
            elif isinstance(event, yaml.SequenceStartEvent):
                value = []
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                stack.pop()
                keys.pop()
                continue
            else:
                continue
            if not stack:
                result = value
            elif isinstance(stack[-1], list):
                stack[-1].append(value)
            elif keys[-1] is _NO_KEY:
                keys[-1] = self.key(value, stack[-1], event)
                if isinstance(value, (dict, list)):
                    return result
                continue
            else:
                stack[-1][keys[-1]] = value
                keys[-1] = _NO_KEY
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                if len(stack) >= NESTING_LIMIT:
                    self.problem(f"nested deeper than {NESTING_LIMIT} levels", event)
                    return result
                stack.append(value)
                keys.append(_NO_KEY)
        return result

    def key(self, value: Any, mapping: dict[Any, Any], event: yaml.Event) -> Any:
        """``value`` as a key of ``mapping``: text, and not there yet."""
        if isinstance(value, (dict, list)):
            self.problem("a key that is not a word", event)
            return _NO_KEY
        if value in mapping:
            self.problem(f"the key {value!r} stands twice in one mapping", event)
        elif value == "<<":
            self.problem("merge key << (not allowed in program files: write the values out)", event)
        return value

    def scalar(self, event: yaml.ScalarEvent) -> Any:
        """The value of a scalar: null, boolean, number or text."""
        if event.tag is not None and event.tag != "!":
            self.problem(f"tag {event.tag} (not allowed in program files)", event)
        if not event.implicit[0] or event.style:
            return event.value
        if event.value in self.known:
            return self.known[event.value]
        tag = self.resolver.resolve(yaml.ScalarNode, event.value, (True, False)).rpartition(":")[2]
        value: Any = event.value
        if tag in _CONSTRUCTED:
            node = yaml.ScalarNode(f"tag:yaml.org,2002:{tag}", event.value)
            try:
                value = getattr(self.constructor, f"construct_yaml_{tag}")(node)
            except ValueError:
                self.problem(f"{shown(event.value)} is not a readable number", event)
        if len(self.known) < 100_000:
            self.known[event.value] = value
        return value

    def problem(self, message: str, event: yaml.Event) -> None:
        """Adds a problem at the event's place."""
        self.problems.append(Problem(message, self.file, event.start_mark.line + 1, event.start_mark.column + 1))


_NO_KEY = object()


def locate_yaml(data: bytes, paths: Iterable[Path]) -> tuple[Wanted, list[tuple[int, int]]]:
    """Places of ``paths`` as indices into the returned list of (line, column), both from 1."""
    root = Wanted.tree(paths)
    marks: list[tuple[int, int]] = []
    outer: list[tuple[bool, int, Wanted | None]] = []
    is_mapping, index, inside = False, 0, None
    key: str | None = None
    key_at: int | None = None
    expects_key = False
    for event in _values(data):
        if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            is_mapping, index, inside = outer.pop()
            index, expects_key = index + 1, is_mapping
            continue
        marks.append((event.start_mark.line + 1, event.start_mark.column + 1))
        if expects_key:
            key, key_at, expects_key = event.value, len(marks) - 1, False
            continue
        node = root if not outer else inside.child(key if is_mapping else index) if inside is not None else None
        if node is not None:
            node.place = Place(len(marks) - 1, key_at if is_mapping else None)
        if isinstance(event, yaml.ScalarEvent):
            index, expects_key = index + 1, is_mapping
        else:
            outer.append((is_mapping, index, inside))
            is_mapping, index, inside = isinstance(event, yaml.MappingStartEvent), 0, node
            expects_key = is_mapping
    return root, marks


def _values(data: bytes) -> Iterator[Any]:
    kinds = (yaml.ScalarEvent, yaml.CollectionStartEvent, yaml.CollectionEndEvent)
    return (event for event in yaml.parse(data, Loader=_Loader) if isinstance(event, kinds))
