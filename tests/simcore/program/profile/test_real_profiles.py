"""The four published profiles of a trn2 core: counts, window, busy times, and single instructions by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from simcore.program.build import program_from_loaded
from simcore.program.instruction import Instruction, Operand
from simcore.program.loaded import Loaded
from simcore.program.measured import Measurement

SCALAR_4810 = Operand(space="SB", partitions=128, elements=1, dtype="float32", addr=0x4810)


def _instructions(loaded: Loaded) -> list[Instruction]:
    return loaded.record.functions[0].blocks[0].instructions


def _one(loaded: Loaded, name: str) -> Instruction:
    (found,) = [i for i in _instructions(loaded) if i.name == name]
    return found


def _measured(loaded: Loaded) -> Measurement:
    assert loaded.measured is not None
    return loaded.measured


@pytest.mark.parametrize(
    ("name", "window_ns", "hardware", "program", "transfers", "edges", "packets"),
    [
        ("baseline_fp32_s1024", 101184, 629, 317, 38, 1089, 5344),
        ("baseline_fp32_s512", 43405, 172, 92, 13, 223, 2640),
        ("fused_bf16_s512", 20962, 148, 76, 6, 216, 960),
        ("fused_fp32_s512", 23119, 154, 74, 5, 216, 464),
    ],
)
def test_counts_and_window(
    profiles: dict[str, Loaded],
    name: str,
    window_ns: int,
    hardware: int,
    program: int,
    transfers: int,
    edges: int,
    packets: int,
) -> None:
    loaded = profiles[name]
    instructions = _instructions(loaded)
    assert (loaded.record.name, loaded.record.arch) == (name, "gen3")
    assert _measured(loaded).window_ns == window_ns
    assert len(_measured(loaded).instructions) == hardware
    assert len(instructions) == program
    assert len([i for i in instructions if i.transfer is not None]) == transfers
    assert sum(len(i.dependencies) for i in instructions) == edges
    assert len(_measured(loaded).packets) == packets
    others = 286 if name == "baseline_fp32_s512" else 288
    note = f"instructions without a compiler id (the run-time's start-up and tail): {others} left out"
    assert loaded.notes == [note]


@pytest.mark.parametrize(
    ("name", "busy"),
    [
        (
            "baseline_fp32_s1024",
            {"Pool": 272, "Activation": 34225, "PE": 43253, "DMA": 57637, "DVE": 33735, "SP": 11802},
        ),
        ("baseline_fp32_s512", {"Pool": 210, "Activation": 10264, "PE": 14761, "DMA": 18776, "DVE": 8914, "SP": 2845}),
        ("fused_bf16_s512", {"Pool": 209, "Activation": 6051, "PE": 10920, "DMA": 3809, "DVE": 7435, "SP": 1143}),
        ("fused_fp32_s512", {"Pool": 205, "Activation": 5735, "PE": 13131, "DMA": 4695, "DVE": 7707, "SP": 541}),
    ],
)
def test_busy_times_are_those_the_profiler_prints_for_the_kernel(
    profiles: dict[str, Loaded], documents: dict[str, Any], name: str, busy: dict[str, int]
) -> None:
    measured = _measured(profiles[name]).engine_busy_ns()
    assert measured == busy
    (layer,) = [row for row in documents[name]["layer_summary"] if row["name"] == "/sg00/Unknown"]
    columns = {"Pool": "gpsimd", "Activation": "scalar", "PE": "tensor", "DVE": "vector", "SP": "sync"}
    for lane, column in columns.items():
        # the profiler adds up fractions of nanoseconds, of which its table of instructions shows the whole part
        rows = [m for m in _measured(profiles[name]).instructions if m.engine == lane]
        assert 0 <= layer[f"{column}_engine_active_time"] - measured[lane] <= len(rows)


def test_every_packet_belongs_to_a_transfer_and_sixteen_engines_raise_its_semaphore(
    profiles: dict[str, Loaded],
) -> None:
    for loaded in profiles.values():
        packets = _measured(loaded).packets
        transfers = {i.transfer.name: i.transfer for i in _instructions(loaded) if i.transfer is not None}
        assert {p.transfer for p in packets} == set(transfers)
        assert Counter(p.transfer for p in packets if p.completion) == dict.fromkeys(transfers, 16)
        spans = _measured(loaded).transfer_spans_ns()
        for i in _instructions(loaded):
            if i.transfer is not None:
                starts = [m.start_ns for m in _measured(loaded).instructions if m.program_name == i.name]
                assert 600 < spans[i.transfer.name][0] - starts[0] < 7000


def test_transfers_of_gpsimd_are_software_generated_and_all_others_by_hardware(
    profiles: dict[str, Loaded], documents: dict[str, Any]
) -> None:
    expected = {"hardware_dynamic": "hwdge", "software_dynamic": "swdge"}
    for loaded in profiles.values():
        by_name = {i.transfer.name: i.transfer for i in _instructions(loaded) if i.transfer is not None}
        for packet in _measured(loaded).packets:
            assert packet.transfer is not None
            assert by_name[packet.transfer].dge_type == expected[packet.kind]


def test_opcodes_of_the_fused_kernel(profiles: dict[str, Loaded]) -> None:
    instructions = _instructions(profiles["fused_fp32_s512"])
    assert Counter(i.opcode for i in instructions) == {
        "Matmult": 40,
        "TensorReduce": 10,
        "DMATrigger": 5,
        "TensorCopy": 5,
        "Activation": 4,
        "TensorScalarPtr": 4,
        "EventSemaphore": 3,
        "LoadActFuncSet": 1,
        "Reciprocal": 1,
        "NoOp": 1,
    }
    assert len([i for i in instructions if i.is_transpose]) == 20
    assert len([i for i in instructions if i.accumulate]) == 12


def test_a_float32_matmul_of_two_passes_is_one_instruction(profiles: dict[str, Loaded]) -> None:
    assert _one(profiles["fused_fp32_s512"], "I-17-0") == Instruction(
        name="I-17-0",
        opcode="Matmult",
        engine="PE",
        ins=[
            Operand(space="SB", partitions=128, elements=512, dtype="float32", addr=0x36FF8),
            Operand(space="SB", partitions=128, elements=128, dtype="float32", addr=0x377F8),
        ],
        outs=[Operand(space="PSUM", partitions=128, elements=512, dtype="float32", addr=0x2000, bank=4)],
        dependencies=[("I-5-0.transfer", "Flow"), ("I-6-0.transfer", "Flow"), ("I-17-0-wait-0", "Flow")],
    )
    rows = [m for m in _measured(profiles["fused_fp32_s512"]).instructions if m.program_name == "I-17-0"]
    assert [m.opcode for m in rows] == ["LDWEIGHTS", "MATMUL", "LDWEIGHTS", "MATMUL"]
    assert [m.start_ns for m in rows] == [19054, 19084, 19219, 20068]
    assert [m.duration_ns for m in rows] == [285, 1190, 333, 1060]
    assert [m.waits for m in rows] == [((25, 16),), (), (), ()]
    assert [m.sets for m in rows] == [(), (), (), ((5, 1),)]
    assert rows[0].event_wait_ns == 0


def test_transposes_share_a_bank_and_the_copy_reads_it_whole(profiles: dict[str, Loaded]) -> None:
    loaded = profiles["fused_fp32_s512"]
    transposes = [_one(loaded, f"I-50-{k}") for k in range(4)]
    assert [(t.outs[0].bank, t.outs[0].addr) for t in transposes] == [(0, 0), (0, 512), (0, 1024), (0, 1536)]
    assert all(t.is_transpose and not t.accumulate for t in transposes)
    copy = _one(loaded, "I-42-0-tc-act")
    assert (copy.opcode, copy.engine) == ("TensorCopy", "Activation")
    assert copy.ins == [Operand(space="PSUM", partitions=128, elements=512, dtype="float32", addr=0, bank=0)]
    assert copy.dependencies == [(f"I-50-{k}", "Flow") for k in range(4)]


def test_all_eight_banks_are_written(profiles: dict[str, Loaded]) -> None:
    for loaded in profiles.values():
        assert {o.bank for i in _instructions(loaded) for o in i.outs if o.space == "PSUM"} == set(range(8))


def test_an_accumulation_group_starts_once_and_stays_in_order(profiles: dict[str, Loaded]) -> None:
    loaded = profiles["fused_fp32_s512"]
    group = [_one(loaded, f"I-37-{k}") for k in (0, 4, 8, 12)]
    assert [m.accumulate for m in group] == [False, True, True, True]
    assert all(("I-37-0", "Ordered") in m.dependencies for m in group[1:2])
    assert {m.outs[0].bank for m in group} == {4}


def test_an_activation_reads_its_bias_through_a_pointer(profiles: dict[str, Loaded]) -> None:
    found = _one(profiles["fused_fp32_s512"], "I-26-0")
    assert (found.opcode, found.engine, found.op, found.acc) == ("Activation", "Activation", "exp", False)
    assert found.ins == [
        Operand(space="PSUM", partitions=128, elements=512, dtype="float32", addr=0x2000, bank=4),
        SCALAR_4810,
    ]


def test_a_scaling_by_a_pointer_is_a_tensor_scalar_ptr(profiles: dict[str, Loaded]) -> None:
    found = _one(profiles["fused_fp32_s512"], "I-38-0")
    assert (found.opcode, found.op0, found.op1) == ("TensorScalarPtr", "multiply", "bypass")
    assert found.ins[1] == Operand(space="SB", partitions=128, elements=1, dtype="float32", addr=0x6840)


def test_a_load_is_typed_by_the_matmul_that_reads_it(profiles: dict[str, Loaded]) -> None:
    found = _one(profiles["fused_bf16_s512"], "I-7-0")
    assert (found.opcode, found.engine, found.ins, found.outs) == ("DMATrigger", "Pool", [], [])
    assert found.transfer == Instruction(
        name="I-7-0.transfer",
        opcode="Load",
        engine="DMA",
        ins=[Operand(space="DRAM", partitions=128, elements=512, dtype="bfloat16", tensor="io_table[0]")],
        outs=[Operand(space="SB", partitions=128, elements=512, dtype="bfloat16", addr=0x37200)],
        dge_type="swdge",
    )


def test_a_converting_store_has_two_types_and_short_runs_in_device_memory(profiles: dict[str, Loaded]) -> None:
    found = _one(profiles["fused_bf16_s512"], "I-41-0")
    assert found.transfer == Instruction(
        name="I-41-0.transfer",
        opcode="Save",
        engine="DMA",
        ins=[Operand(space="SB", partitions=128, elements=512, dtype="float32", addr=0x8850)],
        outs=[
            Operand(
                space="DRAM",
                partitions=128,
                elements=512,
                dtype="bfloat16",
                free=[(16384, 4), (1, 128)],
                tensor="io_table[3]",
            )
        ],
        dge_type="swdge",
    )


def test_a_weight_load_walked_in_blocks_backward_is_one_contiguous_access(profiles: dict[str, Loaded]) -> None:
    found = _one(profiles["fused_bf16_s512"], "I-50-0")
    assert found.ins[1] == Operand(space="SB", partitions=128, elements=128, dtype="bfloat16", addr=0x37200)
    assert found.outs == [Operand(space="PSUM", partitions=128, elements=128, dtype="bfloat16", addr=0, bank=0)]


def test_a_matmul_of_bfloat16_adds_up_in_float32_as_its_reader_says(profiles: dict[str, Loaded]) -> None:
    found = _one(profiles["fused_bf16_s512"], "I-17-0")
    assert [o.dtype for o in found.ins] == ["bfloat16", "bfloat16"]
    assert found.outs == [Operand(space="PSUM", partitions=128, elements=512, dtype="float32", addr=0x2000, bank=4)]


def test_the_last_instruction_waits_for_the_store_not_for_its_trigger(profiles: dict[str, Loaded]) -> None:
    found = _instructions(profiles["fused_fp32_s512"])[-1]
    assert (found.name, found.opcode) == ("Block1-final-DMA-NOP", "NoOp")
    assert found.dependencies == [("I-41-0.transfer", "Flow")]


def test_a_reload_depends_on_the_store_of_the_same_bytes(profiles: dict[str, Loaded]) -> None:
    store, reload = (_one(profiles["baseline_fp32_s512"], name) for name in ("I-17-0", "I-18-0"))
    assert store.transfer is not None and reload.transfer is not None
    assert store.transfer.outs[0].tensor == reload.transfer.ins[0].tensor == "dram@0x800001000000"
    assert reload.dependencies == [("I-17-0.transfer", "Flow")]


def test_edge_kinds_of_the_largest_profile(profiles: dict[str, Loaded]) -> None:
    kinds = Counter(d[1] for i in _instructions(profiles["baseline_fp32_s1024"]) for d in i.dependencies)
    assert kinds == {"Flow": 704, "Anti": 176, "Output": 153, "Ordered": 56}


def test_program_order_is_the_order_of_first_starts(profiles: dict[str, Loaded]) -> None:
    for loaded in profiles.values():
        starts: dict[str, int] = {}
        for m in _measured(loaded).instructions:
            starts.setdefault(m.program_name, m.start_ns)
        order = [starts[i.name] for i in _instructions(loaded)]
        assert order == sorted(order)


def test_throttle_and_semaphores_are_those_of_the_kernel_core(profiles: dict[str, Loaded]) -> None:
    measured = _measured(profiles["fused_fp32_s512"])
    assert [(t.start_ns, t.duration_ns, t.k, t.n) for t in measured.throttle] == [
        (23822, 13653, 8, 8),
        (37475, 614, 4, 8),
    ]
    assert (measured.window_start_ns, measured.window_end_ns) == (13289, 36408)
    full = [u.time_ns for u in measured.semaphores if u.semaphore == 24 and u.value == 16]
    assert full == [17046]
    (trigger,) = [m for m in measured.instructions if m.program_name == "I-7-0"]
    assert trigger.sets == ((24, 16),)


def test_the_programs_are_valid(profiles: dict[str, Loaded]) -> None:
    for name, loaded in profiles.items():
        program = program_from_loaded(loaded, file=name)
        assert program.measured is loaded.measured
        assert len(program.blocks) == 1
