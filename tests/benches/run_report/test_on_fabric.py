"""What single instructions take on real memory, to the picosecond."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from benches.run_report.execute import MachineBlock
from simcore.errors import InputError
from simcore.explain.why import Why
from tests.benches.run_report.fabric_runs import estimate_of, free_site_of, ran, ran_document, site_of
from tests.simcore.perfsim.blocks import block_of, loaded
from tests.topology.infinite import with_parameters, without_limits
from topology.loader import load_system
from topology.machine.site import Site

TILE = "sip0.cube0.pe0"


def access(space: str, nbytes: int, **more: Any) -> dict[str, Any]:
    return {"space": space, "partitions": 1, "elements": nbytes, "dtype": "uint8", **more}


def move(name: str, source: dict[str, Any] | None, target: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    """A DMACopy that costs nothing unless it says so."""
    ins, outs = ([operand] if operand is not None else [] for operand in (source, target))
    return {"name": name, "opcode": "DMACopy", "engine": "DMA", "cost": 0, "ins": ins, "outs": outs, **more}


def engine(name: str, reads: list[int], writes: list[int], **more: Any) -> dict[str, Any]:
    operands = {"ins": [access("SB", n) for n in reads], "outs": [access("SB", n) for n in writes]}
    return {"name": name, "opcode": "TensorTensor", "engine": "DVE", **operands, **more}


def free_with(kind: str, **parameters: object) -> Site:
    """The large system without limits but for some parts."""
    return Site(with_parameters(without_limits(load_system("kernbench_2x4x4")), kind, **parameters))


def only(site: Site, word: str, *instructions: dict[str, Any]) -> MachineBlock:
    (block,) = ran_document(site, word, block_of(*instructions))
    return block


def split(block: MachineBlock, event: int = 0) -> dict[str, int]:
    attribution = block.attribution()
    assert attribution is not None
    return {why.label: ticks for why, ticks in attribution.split(event).items()}


def test_a_copy_inside_dram_is_one_stream_through_the_engine() -> None:
    site = free_with("hbm_controller", pc_bw_gbs=Fraction(32))
    block = only(site, TILE, move("c", access("DRAM", 4096, tensor="a"), access("DRAM", 4096, tensor="b")))
    # 16 bursts of 8 ns over 8 channels, read and then written: the writes of the first half queue behind the reads.
    assert block.schedule.duration.tolist() == [32_000]
    assert split(block) == {"hbm sip0.cube0.hbm_ctrl.pe0": 32_000}


def test_a_copy_inside_a_tile_takes_both_channels_of_its_tcm() -> None:
    site = free_with("tcm", read_bw_gbs=Fraction(512), write_bw_gbs=Fraction(256))
    block = only(site, TILE, move("c", access("SB", 5120), access("SB", 5120)))
    assert block.schedule.duration.tolist() == [20_000]
    assert split(block) == {"tcm_read": 10_000, "tcm_write": 10_000}


def test_every_page_of_a_transfer_is_looked_up() -> None:
    site = free_with("pe_mmu", tlb_hit_ns=Fraction(1), tlb_miss_ns=Fraction(5))
    tensor = access("DRAM", 3 * 4096, tensor="t")
    block = only(site, TILE, move("a", tensor, access("SB", 1)), move("b", access("SB", 1), tensor))
    assert block.schedule.duration.tolist() == [15_000, 3_000]
    assert split(block, 1) == {"mmu": 18_000}


def test_transfers_of_one_direction_take_turns_at_a_pe_dma() -> None:
    """The second of two loads that start together waits, the store beside them does not."""
    site = free_with("pe_mmu", tlb_hit_ns=Fraction(10), tlb_miss_ns=Fraction(10))
    load = move("l", access("DRAM", 4096), access("SB", 4096), dependencies=[])
    trigger = {"opcode": "DMATrigger", "engine": "SP", "cost": 0}
    block = only(
        site,
        TILE,
        {**trigger, "name": "t0", "queue": 1, "transfer": {**load, "name": "x0", "cost": 0}},
        {**trigger, "name": "t1", "queue": 1, "transfer": {**load, "name": "x1", "cost": 0}},
    )
    # The lane issues the second when the first has arrived.
    assert block.schedule.start.tolist() == [0, 0, 0, 10_000]


@pytest.mark.parametrize(("cost", "overhead"), [({}, 0), ({"cost": 2000}, 1_300_000)])
def test_the_start_of_an_engine_is_paid_by_the_fixed_part_of_a_cost(cost: dict[str, int], overhead: int) -> None:
    load = {"name": "ld", "opcode": "Load", "engine": "DMA", "ins": [access("DRAM", 512)], "outs": [access("SB", 512)]}
    block = only(site_of("trn2"), "nc0", {**load, **cost})
    engine_pieces = {label: ticks for label, ticks in split(block).items() if label.startswith("overhead")}
    assert sum(engine_pieces.values()) == overhead


def test_a_transfer_ends_its_fixed_part_after_its_last_byte_and_issues_the_next_by_then() -> None:
    load = {"opcode": "Load", "engine": "DMA", "ins": [access("DRAM", 1 << 20)], "outs": [access("SB", 1 << 20)]}
    block = only(site_of("trn2"), "nc0", {**load, "name": "a"}, {**load, "name": "b", "cost": 2000})
    first, given = (int(block.schedule.end[k] - block.schedule.next_dispatch[k]) for k in (0, 1))
    assert first == 1_300_000
    assert 0 <= given < 1_300_000


def test_an_engine_streams_by_the_slower_of_its_work_and_its_channels() -> None:
    site = free_with("tcm", read_bw_gbs=Fraction(100), write_bw_gbs=Fraction(50))
    block = only(
        site,
        TILE,
        engine("work", [1000, 1000], [500], cost=200),
        engine("read", [30_000], [500], cost=200),
        engine("write", [1000], [20_000], cost=200),
        engine("free", [], [], cost=200),
    )
    assert block.schedule.duration.tolist() == [200_000, 300_000, 500_000, 200_000]
    assert block.schedule.next_dispatch.tolist() == [100_000, 300_000, 700_000, 800_000]
    assert [split(block, k) for k in range(3)] == [
        {},
        {"tcm_read": 100_000},
        {"tcm_read": 200_000, "tcm_write": 200_000},  # half of the first is inherited
    ]


def test_engines_take_turns_at_one_channel() -> None:
    site = free_with("tcm", read_bw_gbs=Fraction(100), write_bw_gbs=Fraction(0))
    block = only(
        site,
        TILE,
        engine("a", [10_000], [], cost=50),
        {**engine("b", [10_000], [], cost=150), "engine": "Pool"},
        {**engine("c", [1_000], [], cost=10), "engine": "Activation", "opcode": "Activation"},
    )
    # At one instant in the order of the lanes: Pool, Activation, DVE.
    assert block.schedule.duration.tolist() == [210_000, 150_000, 110_000]


def test_blocks_follow_each_other_and_count_from_their_own_start() -> None:
    document = block_of(move("a", access("DRAM", 8192), access("SB", 8192)))
    (function,) = document["functions"]
    second = {"name": "bb1", "instructions": [move("b", access("DRAM", 4096), access("SB", 4096))]}
    function["blocks"].append(second)
    (device,) = ran(site_of("trn2"), ["nc0"], estimate_of(loaded(document))).devices
    first, then = device.blocks
    assert device.starts == [0, first.schedule.makespan]
    assert then.schedule.start.tolist() == [0]
    assert device.ended_at == first.schedule.makespan + then.schedule.makespan


def test_a_shallower_ring_is_named() -> None:
    system = with_parameters(without_limits(load_system("trn2")), "neuron_core", ring_depths={"1": 1})
    transfer = {"opcode": "DMACopy", "engine": "DMA", "cost": 2000}
    triggers = [
        {"name": f"t{k}", "opcode": "DMATrigger", "engine": "SP", "cost": 0, "queue": 1}
        | {"transfer": {**transfer, "name": f"x{k}"}}
        for k in range(2)
    ]
    follower = {"name": "n", "opcode": "NoOp", "engine": "SP", "cost": 10}
    block = only(Site(system), "nc0", *triggers, follower)
    attribution = block.attribution()
    assert attribution is not None
    assert attribution.split(4) == {Why("ring"): 700_000}


def test_a_core_of_another_generation_is_refused() -> None:
    program = estimate_of(loaded(block_of(move("a", access("DRAM", 1), None), arch="sunda")))
    with pytest.raises(
        InputError, match=r"the program is for sunda, but nc0 is a core of gen3 \(allowed: --arch gen3\)"
    ):
        ran(site_of("trn2"), ["nc0"], program)
    assert ran(free_site_of("kernbench_2x4x4"), [TILE], program).ticks == 0
