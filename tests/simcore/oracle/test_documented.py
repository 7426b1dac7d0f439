"""What the source publishes, through the whole oracle: matmult, memset, transfers, activation."""

from __future__ import annotations

import pytest

from simcore.oracle import OracleOptions
from tests.simcore.oracle.blocks import cost_of, costs_of, dram, inst, psum, sb

ARCHES = ("sunda", "gen3", "core_v4")


def matmult(stationary: int, moving: int, dtype: str = "bfloat16", **more):
    return inst("Matmult", "PE", [sb(stationary, dtype), sb(moving, dtype)], [psum(moving)], **more)


@pytest.mark.parametrize(
    ("arch", "fixed", "totals"),
    [("sunda", 142, (142, 165, 188, 325)), ("gen3", 166, (166, 193, 220, 380)), ("core_v4", 166, (166, 193, 220, 380))],
)
def test_matmult_has_the_published_total_and_its_fixed_part_as_read_init(arch, fixed, totals):
    for k, total in zip((1, 64, 128, 512), totals, strict=True):
        assert cost_of(matmult(128, k), arch) == (fixed, total - fixed, "documented")


def test_matmult_counts_the_moving_operand_wherever_it_stands():
    moving, stationary = sb(64, "bfloat16"), sb(128, "bfloat16")
    for ins in ([stationary, moving], [moving, stationary]):
        assert sum(cost_of(inst("Matmult", "PE", ins, [psum(64)]), "gen3")[:2]) == 193
    assert sum(cost_of(inst("Matmult", "PE", [moving, stationary], []), "gen3")[:2]) == 193
    assert sum(cost_of(inst("Matmult", "PE", [], [psum(64)]), "gen3")[:2]) == 193


@pytest.mark.parametrize("dtype", ["float32", "float8e4", "bfloat16"])
@pytest.mark.parametrize("more", [{}, {"perf_mode": "DoubleRow"}, {"is_transpose": True}])
def test_the_published_matmult_knows_neither_types_nor_modes(dtype, more):
    assert cost_of(matmult(128, 512, dtype, **more), "gen3") == (166, 214, "documented")


@pytest.mark.parametrize("engine", ["DVE", "Pool", "SP"])
@pytest.mark.parametrize(
    ("arch", "fixed", "totals"),
    [
        ("sunda", 44, (45, 101, 158, 501, 1873)),
        ("gen3", 52, (53, 118, 185, 585, 2185)),
        ("core_v4", 41, (42, 95, 148, 468, 1748)),
    ],
)
def test_memset_has_the_published_total_on_every_engine(arch, fixed, totals, engine):
    for n, total in zip((1, 64, 128, 512, 2048), totals, strict=True):
        assert cost_of(inst("Memset", engine, [], [sb(n)]), arch) == (fixed, total - fixed, "documented")


@pytest.mark.parametrize(
    ("arch", "times"),
    [("sunda", (963, 1927, 120, 120)), ("gen3", (712, 1424, 89, 89)), ("core_v4", (712, 1424, 89, 89))],
)
def test_a_transfer_has_the_published_exec(arch, times):
    shapes = ((128, 512, "float32"), (128, 2048, "bfloat16"), (1, 512, "float32"), (17, 512, "bfloat16"))
    known = "assumed" if arch == "core_v4" else "documented"
    for (partitions, elements, dtype), ns in zip(shapes, times, strict=True):
        copy = inst("DMACopy", "DMA", [dram(elements, dtype, partitions)], [sb(elements, dtype, partitions)])
        assert cost_of(copy, arch) == (1300, ns, known)


@pytest.mark.parametrize(("arch", "ns"), [("sunda", 240), ("gen3", 178), ("core_v4", 178)])
def test_elements_of_one_byte_take_the_flat_formula(arch, ns):
    copy = inst("DMACopy", "DMA", [dram(512, "uint8")], [sb(512, "uint8")])
    assert cost_of(copy, arch)[:2] == (1300, ns)


def test_seventeen_partitions_of_one_byte_are_not_rounded_to_rows_of_sixteen():
    assert cost_of(inst("DMACopy", "DMA", [], [sb(4096, "int8", 17)]), "gen3")[1] == 17 * 4096 // 368
    assert cost_of(inst("DMACopy", "DMA", [], [sb(2048, "int16", 17)]), "gen3")[1] == 2 * 4096 // 23


@pytest.mark.parametrize(
    ("arch", "dge", "read_init", "known"),
    [
        ("sunda", None, 1300, "documented"),
        ("sunda", "none", 1300, "documented"),
        ("sunda", "swdge", 1800, "documented"),
        ("gen3", None, 1300, "documented"),
        ("gen3", "none", 1300, "documented"),
        ("gen3", "swdge", 1883, "assumed"),
        ("gen3", "hwdge", 1716, "assumed"),
        ("core_v4", None, 1300, "assumed"),
        ("core_v4", "swdge", 1883, "assumed"),
        ("core_v4", "hwdge", 1716, "assumed"),
    ],
)
def test_descriptor_generation_adds_to_the_start(arch, dge, read_init, known):
    copy = inst("DMACopy", "DMA", [dram(512)], [sb(512)], dge_type=dge)
    got = cost_of(copy, arch)
    assert (got[0], got[2]) == (read_init, known)


def test_the_clock_of_descriptor_generation_can_be_chosen_where_it_is_not_stated():
    options = OracleOptions(dge_clock=100)
    assert [
        cost_of(inst("DMACopy", "DMA", [], [sb(1)], dge_type=d), "gen3", options=options)[0] for d in ("swdge", "hwdge")
    ] == [2000, 1800]
    assert cost_of(inst("DMACopy", "DMA", [], [sb(1)], dge_type="swdge"), "sunda", options=options)[0] == 1800
    with pytest.raises(ValueError, match="at least 1"):
        OracleOptions(dge_clock=0)


def test_the_dram_reading_of_the_flat_formula_looks_at_the_place_and_not_at_the_type():
    options = OracleOptions(dram_path=True)
    inside = inst("DMACopy", "DMA", [dram(512, "float32", 17)], [dram(512, "float32", 17)])
    assert cost_of(inside, "gen3")[1] == 2 * 2048 // 23
    assert cost_of(inside, "gen3", options=options)[1] == 17 * 2048 // 368
    load = inst("DMACopy", "DMA", [dram(512, "uint8", 17)], [sb(512, "uint8", 17)])
    assert cost_of(load, "gen3")[1] == 17 * 512 // 368
    assert cost_of(load, "gen3", options=options)[1] == 2 * 512 // 23


def test_a_transfer_is_sized_by_its_on_chip_side_and_typed_by_its_destination():
    store = inst("DMACopy", "DMA", [sb(512, "bfloat16")], [dram(65536, "float32", 1)])
    assert cost_of(store, "gen3")[1] == 8 * 4 * 512 // 23
    outside = inst("DMACopy", "DMA", [dram(65536, "bfloat16", 1)], [dram(64, "bfloat16", 128)])
    assert cost_of(outside, "gen3")[1] == 8 * 2 * 64 // 23
    source_only = inst("DMACopy", "DMA", [dram(64, "bfloat16", 128)], [])
    assert cost_of(source_only, "gen3")[1] == 8 * 2 * 64 // 23


def test_the_largest_on_chip_access_sizes_an_indirect_transfer():
    index, data = sb(1, "int32"), sb(512, "bfloat16")
    for ins in ([index, data], [data, index]):
        assert cost_of(inst("IndirectSave", "DMA", ins, [dram(512, "bfloat16")]), "gen3")[1] == 8 * 2 * 512 // 23
    to_chip = inst("IndirectLoad", "DMA", [dram(512, "bfloat16"), sb(512, "int32")], [sb(512, "bfloat16", 16)])
    assert cost_of(to_chip, "gen3")[1] == 8 * 2 * 512 // 23
    even = inst("DMACopy", "DMA", [sb(512, "bfloat16", 128)], [sb(1024, "bfloat16", 64)])
    assert cost_of(even, "gen3")[1] == 4 * 2 * 1024 // 23


def test_a_transfer_without_physical_addresses_takes_the_schedulers_rate():
    copy = inst("DMACopy", "DMA", [dram(512, symbolic=True)], [sb(512, symbolic=True)], dge_type="swdge")
    assert cost_of(copy, "gen3") == (1883, 873, "assumed")
    assert cost_of(inst("DMACopy", "DMA"), "gen3") == (1300, 0, "assumed")
    half = inst("DMACopy", "DMA", [dram(64, symbolic=True)], [sb(512)])
    assert cost_of(half, "gen3") == (1300, 712, "documented")


@pytest.mark.parametrize(
    "opcode",
    ["DMA", "Load", "Save", "ReadVarAddr", "GenericIndirectLoad", "IndirectSaveAccumulate", "DMADescriptorCopy"],
)
def test_other_transfers_are_assumed_to_cost_as_a_dma_copy(opcode):
    assert cost_of(inst(opcode, "DMA", [dram(512)], [sb(512)]), "gen3") == (1300, 712, "assumed")


def test_a_trigger_costs_nothing_and_its_transfer_all():
    trigger = inst("DMATrigger", "SP", transfer=inst("DMACopy", "DMA", [dram(512)], [sb(512)], name="t"))
    costs = costs_of([trigger], "gen3")
    assert costs.total_ns.tolist() == [0, 2012]
    assert costs.provenance.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("dtype", "read_init"), [("bfloat16", 185), ("float32", 143), ("float8e4", 83), ("uint64", 83)]
)
def test_activation_starts_by_the_width_of_its_operands_on_core_v4(dtype, read_init):
    assert cost_of(inst("Activation", "Activation", [sb(512, dtype)], [sb(512, dtype)]), "core_v4") == (
        read_init,
        426,
        "documented",
    )


def test_a_16_bit_operand_of_an_activation_is_looked_for_first():
    mixed = inst("Activation", "Activation", [psum(512)], [sb(512, "bfloat16")])
    assert cost_of(mixed, "core_v4")[0] == 185
    unplaced = inst("Activation", "Activation", [psum(512), sb(512, "bfloat16", symbolic=True)], [sb(512)])
    assert cost_of(unplaced, "core_v4")[0] == 143


@pytest.mark.parametrize(("arch", "starts", "run"), [("sunda", (158, 122, 71), 365), ("gen3", (185, 143, 83), 426)])
def test_activation_of_the_older_generations_is_assumed_to_follow_core_v4(arch, starts, run):
    for dtype, read_init in zip(("float16", "int32", "int8"), starts, strict=True):
        got = cost_of(inst("Activation", "Activation", [sb(512, dtype)], [sb(512, dtype)]), arch)
        assert got == (read_init, run, "assumed")
