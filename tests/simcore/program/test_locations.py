"""The place of a fault is found by scanning; a slow finder that knows where it wrote each value agrees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.program.faults import Fault, Path
from simcore.program.stream.json_text import locate_json
from simcore.program.stream.yaml_text import locate_yaml

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=25
)
documents = st.dictionaries(texts, values, min_size=1, max_size=4)
spaces = st.sampled_from(("", " ", "\n", "\r\n ", "\t", "  \n\n  "))


class Written:
    """JSON text as it grows, and where each value and key in it began."""

    def __init__(self, draw: Any) -> None:
        self.text = ""
        self.places: dict[Path, tuple[tuple[int, int], tuple[int, int] | None]] = {}
        self._draw = draw

    def here(self) -> tuple[int, int]:
        """Line and column of what comes next."""
        return self.text.count("\n") + 1, len(self.text) - self.text.rfind("\n")

    def space(self) -> None:
        """White space, or none."""
        self.text += self._draw(spaces)

    def put(self, value: Any, path: Path, key_at: tuple[int, int] | None) -> None:
        """Writes a value and everything in it."""
        self.places[path] = (self.here(), key_at)
        if isinstance(value, (dict, list)):
            opened, closed = "{}" if isinstance(value, dict) else "[]"
            self.text += opened
            self.space()
            for k, (step, inner) in enumerate(value.items() if isinstance(value, dict) else enumerate(value)):
                self.text += "," if k else ""
                self.space()
                begins = None
                if isinstance(value, dict):
                    begins = self.here()
                    self.text += json.dumps(step, ensure_ascii=self._draw(st.booleans()))
                    self.space()
                    self.text += ":"
                    self.space()
                self.put(inner, (*path, step), begins)
                self.space()
            self.text += closed
        else:
            self.text += json.dumps(value, ensure_ascii=self._draw(st.booleans()))


@given(documents, st.data())
@settings(max_examples=100)
def test_every_value_of_a_json_text_is_found_where_it_was_written(document: Any, data: st.DataObject) -> None:
    written = Written(data.draw)
    written.space()
    written.put(document, (), None)
    written.space()
    assert json.loads(written.text) == document
    paths = list(written.places)
    sought = data.draw(st.lists(st.sampled_from(paths), min_size=1, max_size=6))
    found = locate_json(written.text, sought)
    for path in sought:
        place = found.nearest_place(path)
        assert place is not None
        assert (place.value, place.key) == written.places[path]


def nodes(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """(path, value's node, key's node) of everything in PyYAML's own tree of a document."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield (*path, key.value), value, key
            yield from nodes(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for k, value in enumerate(node.value):
            yield (*path, k), value, None
            yield from nodes(value, (*path, k))


@given(documents, st.booleans(), st.data())
@settings(max_examples=100)
def test_every_value_of_a_yaml_text_is_found_where_the_parsers_tree_has_it(
    document: Any, flow: bool, data: st.DataObject
) -> None:
    text = yaml.dump(document, Dumper=yaml.CSafeDumper, allow_unicode=True, default_flow_style=flow, width=40)
    tree = {path: (value, key) for path, value, key in nodes(yaml.compose(text, Loader=yaml.CSafeLoader))}
    sought = data.draw(st.lists(st.sampled_from(list(tree)), min_size=1, max_size=6))
    found = locate_yaml(text.encode(), sought)
    for path in sought:
        value, key = tree[path]
        place = found.nearest_place(path)
        assert place is not None
        assert place.value == (value.start_mark.line + 1, value.start_mark.column + 1)
        assert place.key == (None if key is None else (key.start_mark.line + 1, key.start_mark.column + 1))


def test_what_is_not_there_is_placed_at_the_nearest_thing_around_it() -> None:
    text = '{"a": [1,\n  {"b": 2}]}'
    paths: list[Path] = [("a", 1, "c"), ("a", 7, "x"), ("z",), ("a", 1, "b", 3)]
    expected = [(2, 3), (1, 7), (1, 1), (2, 9)]
    for found in (locate_json(text, paths), locate_yaml(text.encode(), paths)):
        places = [found.nearest_place(path) for path in paths]
        assert [None if p is None else p.value for p in places] == expected


def test_problems_come_in_the_order_of_the_file() -> None:
    text = '{"b": 1, "a": 2}'
    faults = [Fault(("a",), "second"), Fault(("b",), "first", at_key=True), Fault(("a",), "third", "instruction x")]
    problems = locate_json(text, [f.path for f in faults]).problems(faults, "f")
    assert list(map(str, problems)) == ["f:1:2: first", "f:1:15: second", "f:1:15: instruction x: third"]
