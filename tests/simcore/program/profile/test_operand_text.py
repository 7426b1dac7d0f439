"""Taking operand text apart."""

from __future__ import annotations

import pytest

from simcore.program.profile.direct2d import parse_direct2d
from simcore.program.profile.operand_text import Access, Pointer, parse_operands


def test_a_copy_waits_reads_writes_and_raises_a_semaphore() -> None:
    found = parse_operands(
        "S[5] (Tensor)>=4 S[4] (Scalar)++@complete src=fp32@0x2000000[1,1,1,1][512,1,1,1] "
        "dst=fp32@0x4000[1,1,1,1][512,1,1,1] channels=128 "
    )
    assert found.waits == [(5, 4)]
    assert found.sets == [4]
    assert found.accesses == [
        Access("src", "fp32", 0x2000000, (1, 1, 1, 1), (512, 1, 1, 1)),
        Access("dst", "fp32", 0x4000, (1, 1, 1, 1), (512, 1, 1, 1)),
    ]
    assert found.attributes == {"channels": "128"}
    assert found.faults == []


def test_a_wait_instruction_may_wait_for_two_semaphores() -> None:
    found = parse_operands("S[25] (qSyncDynamicHW)>=16 setter=0 S[8] (qGpSimdDynamic)>=16  ")
    assert found.waits == [(25, 16), (8, 16)]
    assert found.attributes == {"setter": "0"}


def test_a_weight_load_has_a_tile_and_an_address_without_type_on_the_matmul_side() -> None:
    found = parse_operands("acc_flags=3 row_grp=q0 src=fp16@0x5600[1,0,0][3,1,1] dst=0x2000000[1,0,0][3,1,1] 3*128 ")
    assert found.tile == (3, 128)
    assert found.accesses[1] == Access("dst", None, 0x2000000, (1, 0, 0), (3, 1, 1))


def test_an_activation_names_its_function_as_a_word_and_its_bias_as_a_pointer() -> None:
    found = parse_operands("EXP bias_ptr=fp32@0x4810 src=fp32@0x2002000[1][512] dst=fp32@0x4820[1][512] channels=128")
    assert found.words == ["EXP"]
    assert found.pointers == [Pointer("bias_ptr", "fp32", 0x4810)]


def test_immediates_are_pointers_where_imm_src_says_so_or_where_they_stand_in_brackets() -> None:
    marked = parse_operands("ops=MULTIPLY,BYPASS imm=0x6840,0 imm_src=PTR,INSTRUCTION")
    assert marked.pointers == [Pointer("imm[0]", None, 0x6840)]
    bracketed = parse_operands("imm=[fp32@0xc000]")
    assert bracketed.pointers == [Pointer("imm[0]", "fp32", 0xC000)]
    assert parse_operands("imm=fp32@0.000000").pointers == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "src=fp32@0x40[1,1][4]",
            'operand "src=fp32@0x40[1,1][4]" not understood (allowed: src=dtype@0xADDRESS[steps][counts])',
        ),
        (
            "dst=fp32@0x40[1][0]",
            'operand "dst=fp32@0x40[1][0]" not understood (allowed: dst=dtype@0xADDRESS[steps][counts])',
        ),
        ("src1=R[5]", 'operand "src1=R[5]" not understood (allowed: src1=dtype@0xADDRESS[steps][counts])'),
        ("bias_ptr=12", 'operand "bias_ptr=12" not understood (allowed: bias_ptr=dtype@0xADDRESS)'),
        (
            "imm=12,0 imm_src=PTR,INSTRUCTION",
            'operand "imm=12" not understood (imm_src says PTR: expected an address 0x...)',
        ),
        ("imm=0x10 imm_src=PTR,PTR", '"imm_src" names 2 immediates, "imm" gives 1'),
        (
            "S[5] (Tensor)<3",
            'semaphore clause "S[5]" not understood (allowed: S[n] (owner)>=value, S[n] (owner)++@complete)',
        ),
    ],
)
def test_a_piece_that_is_not_understood_is_named(text: str, message: str) -> None:
    assert message in parse_operands(text).faults


def test_a_transfer_has_runs_at_two_patterns() -> None:
    faults: list[str] = []
    transfer = parse_direct2d(
        parse_operands(
            "S[6] (Vector)>=16 semaphore=27 sem_increment=16 src_elem_size=512 dst_elem_size=256 "
            "src_pattern=[512,262144][4,128] dst_pattern=[32768,256][4,128] src_addr_imm=0x802000008850 "
            "dst_table_offset_imm=0x40 dst_table_index=3 in_dtype=fp32 out_dtype=bfloat16"
        ),
        faults,
    )
    assert faults == []
    assert transfer is not None
    assert (transfer.semaphore, transfer.increment) == (27, 16)
    assert (transfer.src.nbytes, transfer.dst.nbytes) == (262144, 131072)
    assert transfer.src.partition_dims == {1}
    assert (transfer.src.address, transfer.src.table) == (0x802000008850, None)
    assert (transfer.dst.address, transfer.dst.table) == (None, (3, 64))
    assert (transfer.in_dtype, transfer.out_dtype) == ("fp32", "bfloat16")


def test_a_transfer_that_raises_no_semaphore_is_refused() -> None:
    faults: list[str] = []
    text = parse_operands("semaphore=27 sem_increment=0 src_elem_size=8 src_pattern=[8][4] dst_elem_size=8")
    assert parse_direct2d(text, faults) is None
    assert faults == [
        "operand dst_pattern is missing (allowed: [steps][counts])",
        'operand "sem_increment=0" raises no semaphore (allowed: 1 or more)',
    ]


def test_every_missing_piece_of_a_transfer_is_named() -> None:
    faults: list[str] = []
    text = parse_operands("semaphore=x src_elem_size=512 src_pattern=[512][4,128] dst_elem_size=0 dst_pattern=[1][4]")
    assert parse_direct2d(text, faults) is None
    assert faults == [
        "operand src_pattern [512][4,128] with runs of 512 bytes does not fit together",
        "operand dst_pattern [1][4] with runs of 0 bytes does not fit together",
        'operand "semaphore=x" is not a number (allowed: decimal or 0x...)',
        "operand sem_increment is missing",
    ]
