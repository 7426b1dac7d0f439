"""What the reader makes of small profiles: order, repeated runs, edges, pairing, and what it cannot know."""

from __future__ import annotations

from typing import Any

import pytest

from simcore.errors import InputError
from simcore.program.instruction import Instruction
from simcore.program.loaded import Loaded
from simcore.program.profile import read_profile
from tests.simcore.program.profile.small import LOAD_512_BYTES, after, load_row, packet, profile, row


def _read(*rows: Any, **tables: Any) -> Loaded:
    return read_profile(profile(*rows, **tables), "small.json")


def _names(loaded: Loaded) -> list[str]:
    return [i.name for i in _instructions(loaded)]


def _instructions(loaded: Loaded) -> list[Instruction]:
    return loaded.record.functions[0].blocks[0].instructions


def test_order_is_by_start_then_program_counter() -> None:
    assert _names(_read(row(3, "c", 20), row(2, "b", 10), row(1, "a", 10))) == ["a", "b", "c"]


def test_a_producer_that_started_later_still_comes_first() -> None:
    loaded = _read(row(1, "early", 10, predecessors=after(2)), row(2, "late", 50), row(3, "between", 20))
    assert _names(loaded) == ["between", "late", "early"]
    assert _instructions(loaded)[2].dependencies == [("late", "Flow")]


def test_several_reasons_merge_to_the_strongest_kind() -> None:
    both = [*after(1, "ANTI_DEPENDENCE"), *after(1, "FLOW_DEPENDENCE"), *after(1, "ORDERED")]
    assert _instructions(_read(row(1, "a", 0), row(2, "b", 10, predecessors=both)))[1].dependencies == [("a", "Flow")]


def test_an_instruction_that_runs_again_is_a_new_one_with_a_number() -> None:
    first = row(1, "loop", 0)
    again = {**row(2, "loop", 500, predecessors=after(1, "OUTPUT_DEPENDENCE")), "pc": 1}
    loaded = _read(first, again)
    assert _names(loaded) == ["loop", "loop#2"]
    assert _instructions(loaded)[1].dependencies == [("loop", "Output")]
    assert loaded.measured is not None
    assert [m.program_name for m in loaded.measured.instructions] == ["loop", "loop#2"]


def test_two_compiler_ids_with_one_name_are_told_apart() -> None:
    assert _names(_read(row(1, "same", 0), row(2, "same", 10, bir_id="sg0000:other"))) == ["same", "same#2"]


def test_dependencies_inside_one_instruction_vanish() -> None:
    tile = "src=bfloat16@0x100[1,0,0][128,1,1] dst=0x2000000[1,0,0][128,1,1] 64*128 acc_flags=3"
    load = row(1, "mm", 0, opcode="LDWEIGHTS", label="Tensor", operands="src=bfloat16@0x2fe[-1,0,0][128,1,1] 64*128")
    multiply = row(2, "mm", 20, opcode="MATMUL", label="TensorMatrix", operands=tile, predecessors=after(1))
    (found,) = _instructions(_read(load, multiply))
    assert found.dependencies == []
    assert [(o.partitions, o.elements, o.dtype, o.addr) for o in found.ins] == [
        (64, 128, "bfloat16", 0x100),
        (64, 128, "bfloat16", 0x200),
    ]
    assert [(o.partitions, o.elements, o.dtype) for o in found.outs] == [(128, 128, "float32")]


def test_a_matmul_may_use_weights_that_another_one_loaded() -> None:
    tile = "src=bfloat16@0x100[1,0,0][512,1,1] dst=0x2000000[1,0,0][512,1,1] 128*128 acc_flags=1"
    (found,) = _instructions(_read(row(1, "mm", 0, opcode="MATMUL", label="TensorMatrix", operands=tile)))
    assert [o.elements for o in found.ins] == [512]


def test_data_edges_go_to_the_transfer_and_order_edges_to_the_trigger() -> None:
    loaded = _read(
        load_row(1, "ld", 0),
        row(2, "use", 900, predecessors=after(1)),
        row(3, "next", 950, predecessors=after(1, "ORDERED")),
    )
    assert [i.dependencies for i in _instructions(loaded)[1:]] == [[("ld.transfer", "Flow")], [("ld", "Ordered")]]


def test_producers_outside_the_kernel_are_counted() -> None:
    loaded = _read(
        {**row(9, "x", 0), "bir_instruction_name": "", "bir_id": ""},
        row(1, "a", 10, predecessors=[*after(9), *after(77)]),
    )
    assert "dependencies on instructions outside the kernel: 2 left out" in loaded.notes
    assert "instructions without a compiler id (the run-time's start-up and tail): 1 left out" in loaded.notes


def test_bytes_that_nothing_types_stay_bytes_and_that_is_said() -> None:
    loaded = _read(load_row(1, "ld", 0))
    transfer = _instructions(loaded)[0].transfer
    assert transfer is not None
    assert [(o.space, o.partitions, o.elements, o.dtype) for o in (*transfer.ins, *transfer.outs)] == [
        ("DRAM", 128, 512, "uint8"),
        ("SB", 128, 512, "uint8"),
    ]
    assert "the profile does not tell the element type of what these move or read: ld" in loaded.notes


def test_a_copy_inside_device_memory_is_cut_into_rows() -> None:
    trigger = row(
        1,
        "dd",
        0,
        opcode="DMA_DIRECT2D",
        label="Sync",
        operands=LOAD_512_BYTES,
        hbm_read_bytes=65536,
        hbm_write_bytes=65536,
    )
    transfer = _instructions(_read(trigger))[0].transfer
    assert transfer is not None
    assert (transfer.opcode, transfer.dge_type) == ("DMACopy", "hwdge")
    assert [(o.space, o.partitions, o.elements) for o in (*transfer.ins, *transfer.outs)] == [("DRAM", 128, 512)] * 2


def test_packets_are_paired_by_their_place_in_the_queue_when_all_bytes_agree() -> None:
    packets = [packet(1000, 65536), packet(1010, 4), packet(2000, 65536), packet(2010, 4)]
    loaded = _read(load_row(1, "a", 0), load_row(2, "b", 100), dma=packets)
    assert loaded.measured is not None
    assert [p.transfer for p in loaded.measured.packets] == ["a.transfer", "a.transfer", "b.transfer", "b.transfer"]
    assert [p.completion for p in loaded.measured.packets] == [False, True, False, True]
    assert loaded.measured.transfer_spans_ns() == {"a.transfer": (1000, 1020), "b.transfer": (2000, 2020)}


@pytest.mark.parametrize(
    "packets",
    [
        [packet(1000, 65536)],
        [packet(1000, 65536), packet(1010, 4), packet(2000, 65536)],
        [packet(1000, 32768), packet(1010, 4)],
        [packet(1000, 65536), packet(1010, 4), packet(1020, 4)],
        [packet(499, 65536), packet(1010, 4)],
        [],
    ],
)
def test_packets_that_do_not_fit_their_trigger_are_left_unpaired(packets: list[dict[str, Any]]) -> None:
    loaded = _read(load_row(1, "a", 500), dma=packets)
    assert loaded.measured is not None
    assert [p.transfer for p in loaded.measured.packets] == [None] * len(packets)
    assert (
        "DMA packets of the transfers that Pool triggers could not be told apart: "
        "their number, bytes or times do not match the triggers" in loaded.notes
    )


def test_without_a_queue_table_the_packets_are_unknown_and_the_descriptor_writer_follows_the_engine() -> None:
    loaded = _read(load_row(1, "a", 0), dma=[packet(1000, 65536), packet(1010, 4)], dma_queues_info=[])
    assert loaded.measured is not None
    assert loaded.measured.packets == ()
    transfer = _instructions(loaded)[0].transfer
    assert transfer is not None and transfer.dge_type == "swdge"
    assert any("does not say which queue" in note for note in loaded.notes)


def test_trn1_has_no_hardware_descriptors_and_no_throttle() -> None:
    tables = profile()
    metadata = [{**tables["metadata"][0], "pe_clock_freq": 2.8}]
    trigger = {**load_row(1, "a", 0), "label": "Sync"}
    document = profile(trigger, metadata=metadata, summary=[])
    del document["ham"]
    loaded = read_profile(document, "<memory>")
    assert loaded.record.arch == "sunda"
    transfer = _instructions(loaded)[0].transfer
    assert transfer is not None and transfer.dge_type == "swdge"
    assert "the profile has no throttle record: the PE clock of the run is not known" in loaded.notes


@pytest.mark.parametrize(
    ("instance", "arch"),
    [("trn1.2xlarge", "sunda"), ("inf2.8xlarge", "sunda"), ("trn2u.48xlarge", "gen3"), ("trn3.3xlarge", "core_v4")],
)
def test_the_instance_type_names_the_generation(instance: str, arch: str) -> None:
    assert _read(row(1, "a", 0), summary=[{"instance_type": instance}]).record.arch == arch


def test_the_program_is_named_after_the_file_or_the_profile() -> None:
    document = profile(row(1, "a", 0), profile_info=[{"profile_name": "fused_exec_2"}])
    assert read_profile(document, "some/where/kernel.v2.json.gz").record.name == "kernel.v2"
    assert read_profile(document, "<memory>").record.name == "fused_exec_2"


def test_an_access_to_psum_past_partition_0_has_no_bank() -> None:
    loaded = _read(row(1, "a", 0, operands="src=fp32@0x2010000[1][64] dst=fp32@0x5000[1][64] channels=32"))
    (operand,) = _instructions(loaded)[0].ins
    assert (operand.space, operand.addr, operand.bank, operand.partitions) == ("PSUM", None, None, 32)
    assert "these enter PSUM past partition 0, so their banks are not known: a" in loaded.notes


def test_flags_of_two_input_instructions() -> None:
    scan = row(
        1,
        "scan",
        0,
        opcode="TENSOR_TENSOR_SCAN",
        operands="src0=fp32@0x0[1,1][256,1] src1=fp32@0x4000[1,1][256,1] dst=fp32@0x8000[1,1][256,1] "
        "ops=MULTIPLY,ADD channels=128 imm=[fp32@0xc000]",
    )
    (found,) = _instructions(_read(scan))
    assert (found.opcode, found.is_tensor_tensor_scan, found.op0, found.op1) == (
        "TensorScalarPtr",
        True,
        "multiply",
        "add",
    )
    assert [o.addr for o in found.ins] == [0, 0x4000, 0xC000]


def test_the_same_profile_gives_the_same_record_whatever_the_order_of_its_rows() -> None:
    rows = [load_row(1, "a", 0), row(2, "b", 10, predecessors=after(1)), row(3, "c", 10)]
    packets = [packet(1000, 65536), packet(1010, 4)]
    forward, backward = _read(*rows, dma=packets), _read(*reversed(rows), dma=packets[::-1])
    assert forward == backward


def test_a_document_that_is_no_profile_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        read_profile([], "list.json")
    assert str(caught.value) == "list.json: expected a mapping of tables, got a list"
