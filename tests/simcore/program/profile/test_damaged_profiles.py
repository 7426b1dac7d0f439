"""Whatever is done to a profile, the reader reads it or refuses it; it never fails in another way."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.errors import InputError
from simcore.program.build import program_from_loaded
from simcore.program.profile import read_profile
from tests.simcore.program.profile.small import after, load_row, packet, profile, row

MATMUL = "S[5] (Tensor)++@complete acc_flags=1 src=fp32@0x100[1,0][64,1] dst=0x2000000[1,0][64,1] 128*128"
WEIGHTS = "S[8] (qGpSimdDynamic)>=16 src=fp32@0x4ffc[-1,0][128,1] 128*128"
WHOLE = profile(
    load_row(1, "ld", 0),
    row(2, "mm", 900, opcode="LDWEIGHTS", label="Tensor", operands=WEIGHTS, predecessors=after(1)),
    row(3, "mm", 950, opcode="MATMUL", label="TensorMatrix", operands=MATMUL, predecessors=after(1)),
    row(4, "cp", 1200, operands="S[5] (Tensor)>=1 src=fp32@0x2000000[1][64] dst=fp32@0x5000[1][64] channels=128"),
    dma=[packet(700, 65536), packet(720, 4)],
    semaphore_update=[{"id": "S[5] (Tensor)", "timestamp": 1100, "value": 1, "subgraph": "sg00"}],
)
JSON_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**25), 10**25),
    st.floats(),
    st.text(max_size=12),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path] if path else []
    for key, child in children:
        found += _paths(child, (*path, key))
    return found


PATHS = _paths(WHOLE)
TEXTS = [("instruction", k, "operands") for k in range(4)]


def _reads_or_refuses(document: Any) -> None:
    try:
        program_from_loaded(read_profile(document, "damaged.json"), file="damaged.json")
    except InputError as error:
        assert error.problems


def test_the_whole_profile_is_valid() -> None:
    program = program_from_loaded(read_profile(WHOLE, "whole.json"), file="whole.json")
    assert [i.name for i in program.blocks[0][1].instructions] == ["ld", "mm", "cp"]


@given(path=st.sampled_from(PATHS), value=JSON_VALUES, drop=st.booleans())
@settings(max_examples=600)
def test_a_changed_or_missing_value(path: tuple[Any, ...], value: Any, drop: bool) -> None:
    document = copy.deepcopy(WHOLE)
    owner: Any = document
    for step in path[:-1]:
        owner = owner[step]
    if drop and isinstance(owner, dict):
        del owner[path[-1]]
    else:
        owner[path[-1]] = value
    _reads_or_refuses(document)


@given(
    path=st.sampled_from(TEXTS),
    cut=st.integers(0, 200),
    length=st.integers(0, 8),
    text=st.text(alphabet="0123456789abcdefx@[],=*S()>+ -_", max_size=8),
)
@settings(max_examples=600)
def test_a_damaged_operand_text(path: tuple[str, int, str], cut: int, length: int, text: str) -> None:
    document = copy.deepcopy(WHOLE)
    owner = document[path[0]][path[1]]
    owner["operands"] = owner["operands"][:cut] + text + owner["operands"][cut + length :]
    _reads_or_refuses(document)
