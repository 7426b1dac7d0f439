"""A damaged columns file is refused, or is a valid program all the same; it never reaches the models unchecked."""

from __future__ import annotations

import copy
import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.errors import InputError
from simcore.program.build import program_from_record
from simcore.program.columns import EDGE_DTYPES, EVENT_DTYPES, OPERAND_DTYPES
from simcore.program.instruction import ProgramRecord
from simcore.program.npz import program_from_npz
from tests.simcore.program.mutations import ODD_VALUES, places
from tests.simcore.program.sameness import assert_same, npz_bytes
from tests.simcore.program.strategies import program_records

EXTREMES = (
    -(2**63),
    -(2**31),
    -128,
    -2,
    -1,
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    16,
    67,
    105,
    110,
    127,
    128,
    255,
    2**16,
    2**31,
    2**63 - 1,
)


def refused_or_valid(data: bytes) -> None:
    """What may come of a damaged file."""
    try:
        program = program_from_npz(data, "p.npz")
    except InputError as error:
        assert error.problems
        return
    assert_same(program_from_record(program.record()), program)


def arrays_of(data: bytes) -> dict[str, Any]:
    """The members of a columns file."""
    with np.load(io.BytesIO(data)) as file:
        return {name: file[name] for name in file.files}


def rebuilt(arrays: dict[str, Any]) -> bytes:
    """A columns file of these members, as numpy itself writes it."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@given(program_records(instructions=5), st.data())
@settings(max_examples=100)
def test_a_changed_byte_is_found_or_harmless(record: ProgramRecord, data: st.DataObject) -> None:
    file = bytearray(npz_bytes(program_from_record(record)))
    for _ in range(data.draw(st.integers(1, 3))):
        file[data.draw(st.integers(0, len(file) - 1))] = data.draw(st.integers(0, 255))
    refused_or_valid(bytes(file))


@given(program_records(instructions=5), st.data())
@settings(max_examples=100)
def test_a_changed_element_is_found_or_harmless(record: ProgramRecord, data: st.DataObject) -> None:
    arrays = arrays_of(npz_bytes(program_from_record(record)))
    filled = [name for name in (*EVENT_DTYPES, *EDGE_DTYPES, *OPERAND_DTYPES) if len(arrays[name])]
    for _ in range(data.draw(st.integers(1, 3)) if filled else 0):
        array = arrays[data.draw(st.sampled_from(filled))]
        limits = np.iinfo(array.dtype)
        value = data.draw(st.sampled_from([v for v in EXTREMES if limits.min <= v <= limits.max]))
        array[data.draw(st.integers(0, len(array) - 1))] = value
    refused_or_valid(rebuilt(arrays))


@given(program_records(instructions=5), st.data())
@settings(max_examples=100)
def test_a_changed_head_is_found_or_harmless(record: ProgramRecord, data: st.DataObject) -> None:
    arrays = arrays_of(npz_bytes(program_from_record(record)))
    head = json.loads(arrays["head"].tobytes())
    for _ in range(data.draw(st.integers(1, 2))):
        where = list(places(head))
        container, step = where[data.draw(st.integers(0, len(where) - 1))]
        if data.draw(st.booleans()):
            container[step] = copy.deepcopy(data.draw(st.sampled_from(ODD_VALUES)))
        else:
            del container[step]
        if not head:
            break
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    refused_or_valid(rebuilt(arrays))


@given(program_records(instructions=5), st.integers(0, 2**30))
@settings(max_examples=25)
def test_a_truncated_file_is_refused(record: ProgramRecord, cut: int) -> None:
    file = npz_bytes(program_from_record(record))
    with pytest.raises(InputError):
        program_from_npz(file[: cut % len(file)], "p.npz")
