"""Who writes NKI's word for something is told the word of program files."""

from __future__ import annotations

import pytest

from simcore.errors import InputError
from simcore.program.dtypes import DType
from simcore.program.engines import Engine
from simcore.program.opcodes import Opcode
from simcore.program.other_names import OTHER_NAMES, meant_by
from simcore.program.vocabulary import Space
from tests.simcore.perfsim.blocks import block_of, loaded

WORDS = {member.name for words in (Engine, Space, Opcode, DType) for member in words}


def test_every_other_name_stands_for_a_word_and_is_none_itself():
    assert set(OTHER_NAMES.values()) <= WORDS
    assert not set(OTHER_NAMES) & WORDS
    assert meant_by("bf16", ["float32"]) is None


@pytest.mark.parametrize(
    ("wrong", "guess"),
    [
        ({"engine": "Vector"}, "DVE"),
        ({"engine": "GpSimd"}, "Pool"),
        ({"opcode": "Store"}, "Save"),
        ({"opcode": "Copy"}, "TensorCopy"),
        ({"opcode": "AllReduce"}, "CollectiveCompute"),
        ({"opcode": "Matmul"}, "Matmult"),
        ({"ins": [{"space": "HBM", "partitions": 1, "elements": 1, "dtype": "float32"}]}, "DRAM"),
        ({"ins": [{"space": "SB", "partitions": 1, "elements": 1, "dtype": "bf16"}]}, "bfloat16"),
    ],
)
def test_the_error_guesses_what_was_meant(wrong: dict, guess: str):
    with pytest.raises(InputError) as refused:
        loaded(block_of({"name": "x", "opcode": "Memset", "engine": "DVE"} | wrong))
    (problem,) = refused.value.problems
    assert f'did you mean "{guess}"?)' in problem.message
