"""DMA after lowering: which transfer a trigger gets, and what is said when it cannot be found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.errors import InputError
from simcore.program.bir import read_bir
from simcore.program.bir.access import Access
from simcore.program.bir.transfer import merged_operands
from simcore.program.dtypes import DType
from simcore.program.instruction import Instruction, Operand
from tests.simcore.program.bir.documents import document, instruction, loaded, only, stored


def trigger(*blocks: str, **keys: Any) -> dict[str, Any]:
    return instruction("DMATrigger", dma_blocks=list(blocks), **keys)


def queue(name: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "blocks": [{"instructions": list(blocks)}]}


def block(name: str, *descriptors: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {"name": name, "opcode": "DMABlock", "blocks": [{"instructions": list(descriptors)}], **keys}


def descriptor(kind: str = "Copy", **keys: Any) -> dict[str, Any]:
    return {"opcode": f"DMADescriptor{kind}", "ins": [], "outs": [], **keys}


def transfer_of(read: Instruction) -> Instruction:
    assert read.transfer is not None
    return read.transfer


def test_every_trigger_of_a_lowered_dump_gets_its_transfer() -> None:
    result = read_bir(stored("after_lowering_v2"), "after.json")
    t0, t1, t2, t3, t4 = result.record.functions[0].blocks[0].instructions
    tile = {"space": "SB", "dtype": "bfloat16", "addr": 2048, "tensor": "tile"}
    dram = {"space": "DRAM", "dtype": "bfloat16", "addr": 0, "tensor": "a"}
    assert t0.transfer == Instruction(
        name="t0.transfer",
        opcode="DMACopy",
        engine="DMA",
        ins=[Operand(partitions=128, elements=512, **dram)],
        outs=[Operand(partitions=128, elements=512, **tile)],
        dge_type="swdge",
        source="kernel.py:7",
    )
    assert t1.transfer == Instruction(
        name="t1.transfer",
        opcode="DMACopy",
        engine="DMA",
        ins=[Operand(partitions=16, elements=128, **tile)],
        outs=[Operand(partitions=2, elements=1024, **dram)],
        mode="Transpose",
    )
    nothing = {"opcode": "DMACopy", "engine": "DMA", "cost": 0}
    assert (t2.transfer, t3.transfer) == (
        Instruction(name="t2.transfer", **nothing),
        Instruction(name="t3.transfer", **nothing),
    )
    combined = transfer_of(t4)
    assert (t4.queue, combined.mode, combined.source) == (10, "CCE", "kernel.py:99")
    assert [len(combined.ins), len(combined.outs)] == [2, 1]
    assert result.notes == [
        'instruction t1: DMA block "dma_block_9" is not in queue "qAct"; its bytes are not timed',
        'instruction t2: DMA block "dma_block_5" is not in queue "qSP"; its bytes are not timed',
        'instruction t3: DMA block "dma_block_1" of queue "qSP" has no descriptors; it adds no time',
        'DMA block dma_block_3: no DMATrigger names this block of queue "qAct"; its transfer is not timed',
    ]


@pytest.mark.parametrize("keys", [{}, {"dma_blocks": []}])
def test_a_trigger_that_names_no_block_is_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        loaded(instruction("DMATrigger", **keys))
    assert str(caught.value) == (
        "test.json: instruction i: DMATrigger without a transfer: dma_blocks names no DMA block"
    )


def test_a_block_name_that_several_queues_have_needs_the_trigger_s_queue() -> None:
    queues = [queue("q0", block("b", descriptor("CCE"))), queue("q1", block("b", descriptor("Transpose")))]
    result = loaded(trigger("b"), queues=queues)
    assert transfer_of(only(result)).cost == 0
    assert result.notes[0] == (
        'instruction i: DMA block "b" is in several queues and the trigger names no queue; its bytes are not timed'
    )
    assert transfer_of(only(loaded(trigger("b", queue="q1"), queues=queues))).mode == "Transpose"


@pytest.mark.parametrize(
    ("kinds", "mode"),
    [(["Copy"], None), ([""], None), (["Replicate"], "Replicate"), (["Copy", "Transpose", "Transpose"], "Transpose")],
)
def test_the_descriptors_say_the_mode(kinds: list[str], mode: str | None) -> None:
    result = loaded(trigger("b"), queues=[queue("q", block("b", *map(descriptor, kinds)))])
    assert (transfer_of(only(result)).mode, transfer_of(only(result)).cost, result.notes) == (mode, None, [])


def test_descriptors_of_several_kinds_are_noted() -> None:
    blocks = block("b", descriptor("CCE"), descriptor("Transpose"))
    result = loaded(trigger("b"), queues=[queue("q", blocks)])
    assert transfer_of(only(result)).mode == "CCE"
    assert result.notes == [
        "instruction i: descriptors of several kinds (CCE, Transpose); the transfer is timed as CCE"
    ]


def test_faults_in_queues_are_reported_once_each() -> None:
    faulty = block("b", descriptor("Copi", outs=[{"kind": "ap"}]))
    data = document(
        trigger("b", "b"),
        queues=[queue("q", faulty, {"opcode": "DMABlock"}), {"blocks": []}, queue("r", block("c"), block("c"))],
    )
    with pytest.raises(InputError) as caught:
        read_bir(data, "f.json")
    place = "f.json: DMA block b.blocks[0].instructions[0]: "
    assert [str(p).partition(" (allowed")[0] for p in caught.value.problems] == [
        "f.json: queues[0].blocks[0].instructions[1]: name: missing (expected text)",
        "f.json: queues[1]: name: missing (expected text)",
        'f.json: queues[2].blocks[0].instructions[1]: DMA block "c" is declared twice in queue "r"',
        place + 'outs[0]: unknown operand kind "ap"',
        place + 'unknown descriptor "DMADescriptorCopi"',
    ]


def test_a_kernbench_object_in_a_block_gives_the_transfer_s_own_fields() -> None:
    own = {"name": "x", "opcode": "Load", "engine": "SP", "cost": 5, "dependencies": [["a", "Anti"], "b"]}
    with_own = block("b", descriptor(), kernbench=own)
    read = transfer_of(only(loaded(trigger("b"), queues=[queue("q", with_own)])))
    assert (read.name, read.opcode, read.engine, read.cost) == ("x", "Load", "SP", 5)
    assert read.dependencies == [("a", "Anti"), "b"]
    with pytest.raises(InputError) as caught:
        loaded(trigger("b", "c"), queues=[queue("q", with_own, block("c", descriptor()))])
    assert [p.message for p in caught.value.problems] == [
        '"kernbench" describes a whole transfer: a block that has it is the only one of its trigger'
    ]


def access(partitions: int, elements: int, row: int | None = None, **keys: Any) -> Access:
    base = {"space": "DRAM" if row is None else "SB", "dtype": "float32", "tensor": "t", "addr": 0}
    return Access(Operand(partitions=partitions, elements=elements, **{**base, **keys}), row)


@pytest.mark.parametrize(
    ("slices", "shape"),
    [
        # the same column in other partitions: partitions add up
        ([access(8, 512, row) for row in range(0, 128, 8)], (128, 512)),
        # other columns of the same partitions: elements add up
        ([access(128, 64, 0, addr=256 * k) for k in range(4)], (128, 256)),
        # two columns, each in two halves
        ([access(64, 32, row, addr=addr) for addr in (0, 128) for row in (0, 64)], (128, 64)),
        # the same bytes twice are two moves
        ([access(16, 32, 0), access(16, 32, 0)], (16, 64)),
        # more rows than there are partitions
        ([access(100, 2, 0), access(100, 2, 0)], (100, 4)),
        # unequal rows, unequal columns: 3 * 10 + 4 * 7 = 58 elements on 2 of at most 4 partitions
        ([access(3, 10, 0), access(4, 7, 0, addr=40)], (2, 29)),
        # off chip, equal rows
        ([access(1, 1024, addr=4096 * k) for k in range(3)], (3, 1024)),
        # off chip, more rows than 128
        ([access(100, 8), access(100, 8)], (100, 16)),
    ],
)
def test_slices_become_one_shape(slices: list[Access], shape: tuple[int, int]) -> None:
    [merged] = merged_operands([[s] for s in slices])
    assert (merged.partitions, merged.elements, merged.addr, merged.tensor) == (*shape, 0, "t")


def test_slices_of_several_dtypes_are_counted_in_bytes() -> None:
    [merged] = merged_operands([[access(4, 8)], [access(4, 8, dtype="bfloat16")]])
    assert (merged.dtype, merged.partitions, merged.elements) == ("uint8", 4, 48)


def test_operands_of_other_positions_spaces_or_banks_stay_apart() -> None:
    first = [access(1, 2), access(1, 4)]
    second = [access(1, 2, 0), access(1, 4, 0, space="PSUM", bank=2)]
    third = [access(1, 2), access(1, 4, 0, space="PSUM", bank=3)]
    merged = merged_operands([first, second, third])
    assert [(o.space, o.bank, o.partitions, o.elements) for o in merged] == [
        ("DRAM", None, 2, 2),
        ("DRAM", None, 1, 4),
        ("SB", None, 1, 2),
        ("PSUM", 2, 1, 4),
        ("PSUM", 3, 1, 4),
    ]


def test_a_merged_operand_names_a_tensor_and_a_place_only_if_all_slices_share_them() -> None:
    [merged] = merged_operands([[access(1, 2, addr=64)], [access(1, 2, addr=32)]])
    assert (merged.tensor, merged.addr) == ("t", 32)
    [merged] = merged_operands([[access(1, 2, addr=64)], [access(1, 2, addr=None)]])
    assert (merged.tensor, merged.addr) == ("t", None)
    [merged] = merged_operands([[access(1, 2)], [access(1, 2, tensor="u")]])
    assert (merged.tensor, merged.addr) == (None, None)


_slices = st.builds(
    lambda partitions, elements, row, dtype, addr, on_chip: access(
        partitions, elements, row if on_chip else None, dtype=dtype, addr=addr
    ),
    st.integers(1, 128),
    st.integers(0, 2000),
    st.integers(0, 127),
    st.sampled_from(["uint8", "bfloat16", "float32"]),
    st.sampled_from([0, 64]),
    st.booleans(),
)


def _nbytes(operand: Operand) -> int:
    return operand.partitions * operand.elements * DType[operand.dtype].nbytes


@given(st.lists(st.lists(_slices, max_size=2), min_size=1, max_size=6))
def test_merging_keeps_every_byte(descriptors: list[list[Access]]) -> None:
    merged = merged_operands(descriptors)
    total = sum(_nbytes(a.operand) for accesses in descriptors for a in accesses)
    assert sum(map(_nbytes, merged)) == total
    assert all(1 <= o.partitions <= 128 for o in merged)
