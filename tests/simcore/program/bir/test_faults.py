"""Whatever stands in a document: reading it gives a program or problems, never a Python error."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.errors import InputError
from simcore.program.bir import read_bir
from tests.simcore.program.bir.documents import stored

STRANGE = (
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    float("nan"),
    "",
    "x",
    [],
    [[]],
    [None],
    [1, 2],
    {},
    {"kind": []},
    {"name": 1},
)
DUMPS = ("before_lowering_v2", "operand_kinds_v2", "loops_v1", "after_lowering_v2", "faults_v2")


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key or position) of a document."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])


def read_or_refused(data: Any) -> None:
    try:
        read_bir(data, "f.json")
    except InputError as error:
        assert error.problems and all(p.file == "f.json" and p.message for p in error.problems)


@pytest.mark.parametrize("name", DUMPS)
@given(data=st.data())
def test_a_document_with_strange_values_is_read_or_refused(name: str, data: st.DataObject) -> None:
    document = copy.deepcopy(stored(name))
    for _ in range(data.draw(st.integers(1, 2))):
        container, key = data.draw(st.sampled_from(list(places(document))))
        container[key] = copy.deepcopy(data.draw(st.sampled_from(STRANGE)))
    read_or_refused(document)


@pytest.mark.parametrize("name", DUMPS)
def test_a_document_without_any_one_key_is_read_or_refused(name: str) -> None:
    count = len(list(places(stored(name))))
    for k in range(count):
        document = stored(name)
        container, key = list(places(document))[k]
        del container[key]
        read_or_refused(document)
