"""The reference against the given cases and against stories that were worked out by hand, one per rule."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.reference.plain_perfsim import PlainEvent, critical_path, makespan, simulate_block
from tests.reference.plain_program import lane_of, operand_banks, queue_of

GIVEN_CASES = (
    "01-same-engine-overlaps-by-100",
    "02-dma-overlaps-by-1300",
    "03-edge-kinds",
    "04-psum-bank-hand-over",
    "05-pool-dve-coupling-sunda",
    "06-pool-dve-free-on-gen3",
    "07-activation-clamp-sunda",
    "08-barrier",
    "09-collective-shares",
    "10-ring-depth-4-and-1",
    "11-regions-and-loop",
    "random-101",
    "random-102",
    "random-103",
)

Instruction = dict[str, Any]


def one(name: str, engine: str, cost: int, *deps: Any, opcode: str = "NoOp", **fields: Any) -> Instruction:
    return {"name": name, "opcode": opcode, "engine": engine, "cost": cost, "dependencies": list(deps), **fields}


def dma(name: str, cost: int, *deps: Any, **fields: Any) -> Instruction:
    return one(name, "DMA", cost, *deps, opcode="DMACopy", **fields)


def cc(name: str, cost: int, stream: int, *deps: Any, **fields: Any) -> Instruction:
    return one(name, "Pool", cost, *deps, opcode="CollectiveCompute", stream_id=stream, **fields)


def trigger(
    name: str, transfer: Instruction, *deps: Any, engine: str = "SP", cost: int = 0, **fields: Any
) -> Instruction:
    return one(name, engine, cost, *deps, opcode="DMATrigger", transfer=transfer, **fields)


def loop(name: str, *body: Instruction) -> Instruction:
    return {"name": name, "opcode": "Loop", "engine": "Unassigned", "trip_count": 3, "body": list(body)}


def events(*instructions: Instruction, arch: str = "gen3", **options: Any) -> dict[str, PlainEvent]:
    doc = {
        "schema": "kernbench.stream/1",
        "name": "story",
        "arch": arch,
        "functions": [{"name": "main", "blocks": [{"name": "bb0", "instructions": list(instructions)}]}],
    }
    if "arch_version" in options:
        doc["arch_version"] = options.pop("arch_version")
    return {event.name: event for event in simulate_block(doc, 0, 0, **options)}


def starts(*instructions: Instruction, **options: Any) -> dict[str, int]:
    return {name: event.start for name, event in events(*instructions, **options).items()}


@pytest.mark.parametrize("case", GIVEN_CASES)
def test_a_given_case_comes_out_event_by_event(shared: Path, case: str) -> None:
    doc = json.loads((shared / "cases" / "perfsim" / f"{case}.json").read_text())
    expected = json.loads((shared / "cases" / "perfsim" / f"{case}.expected.json").read_text())
    placed = simulate_block(doc, 0, 0)
    assert [asdict(event) for event in placed] == expected["events"]
    assert critical_path(placed) == expected["critical_path_ns"]
    assert critical_path(simulate_block(doc, 0, 0, include_anti=False)) == expected["critical_path_no_anti_ns"]


# Overlap windows


@pytest.mark.parametrize(
    ("engine", "cost", "next_dispatch"),
    [
        ("PE", 100, 100),
        ("PE", 101, 1),
        ("Unassigned", 101, 1),
        ("ALL", 101, 1),
        ("DMA", 100, 100),
        ("DMA", 101, 101),
        ("DMA", 1299, 1299),
        ("DMA", 1300, 0),
        ("DMA", 1301, 1),
    ],
)
def test_the_next_instruction_is_issued_100_ns_early_and_1300_ns_early_on_dma(
    engine: str, cost: int, next_dispatch: int
) -> None:
    assert events(one("a", engine, cost))["a"].next_dispatch == next_dispatch


def test_a_trigger_is_never_overlapped_except_on_the_dma_lane() -> None:
    placed = events(
        trigger("t", dma("x", 0), cost=2000),
        trigger("u", dma("y", 0), engine="DMA", cost=2000),
    )
    assert placed["t"].next_dispatch == placed["t"].end == 2000
    assert placed["u"].next_dispatch == placed["u"].end - 1300


def test_the_overlap_windows_are_parameters() -> None:
    placed = events(one("a", "PE", 60), dma("d", 60), dma("e", 70), overlap_windows=(50, 65))
    assert [placed[name].next_dispatch for name in "ade"] == [10, 60, 60 + 70 - 65]


def test_the_critical_path_looks_at_the_last_event_of_a_lane_only() -> None:
    placed = list(events(dma("long", 1400), dma("short", 10)).values())
    assert [event.end for event in placed] == [1400, 110]
    assert critical_path(placed) == 110
    assert makespan(placed) == 1400


# Dependencies


@pytest.mark.parametrize(
    ("dependency", "start", "start_without_anti"),
    [
        (["a", "Flow"], 300, 300),
        (["a", 4], 300, 300),
        ("a", 300, 300),
        (["a", "Output"], 300, 300),
        (["a", 3], 300, 300),
        (["a", "Anti"], 300, 0),
        (["a", 2], 300, 0),
        (["a", "Ordered"], 200, 200),
        (["a", 1], 200, 200),
        (["a", "Invalid"], 300, 300),
        (["a", 0], 300, 300),
    ],
)
def test_an_edge_waits_as_its_kind_says(dependency: Any, start: int, start_without_anti: int) -> None:
    story = one("a", "PE", 300), one("b", "DVE", 50, dependency)
    assert starts(*story)["b"] == start
    assert starts(*story, include_anti=False)["b"] == start_without_anti


@pytest.mark.parametrize(
    ("kinds", "start", "start_without_anti"),
    [
        (("Anti", "Ordered"), 300, 0),
        (("Ordered", "Anti"), 300, 0),
        (("Anti", "Flow"), 300, 300),
        (("Flow", "Ordered"), 300, 300),
        (("Ordered", "Invalid"), 200, 200),
    ],
)
def test_two_edges_on_one_pair_count_as_the_higher_kind(
    kinds: tuple[str, str], start: int, start_without_anti: int
) -> None:
    story = one("a", "PE", 300), one("b", "DVE", 50, *(["a", kind] for kind in kinds))
    assert starts(*story)["b"] == start
    assert starts(*story, include_anti=False)["b"] == start_without_anti


def test_a_trigger_is_waited_for_until_its_start_but_its_end_when_ordered() -> None:
    placed = starts(
        one("a", "SP", 70),
        trigger("t", dma("x", 500), cost=40),
        one("flow", "PE", 1, ["t", "Flow"]),
        one("ordered", "DVE", 1, ["t", "Ordered"]),
        one("data", "Activation", 1, ["x", "Flow"]),
    )
    assert placed == {"a": 0, "t": 70, "x": 70, "flow": 70, "ordered": 110, "data": 570}


def test_an_ordered_collective_is_ready_when_the_collective_before_it_became_ready() -> None:
    placed = starts(
        one("a", "PE", 500),
        cc("c0", 1000, 0, "a"),
        cc("c1", 1000, 1, ["c0", "Ordered"]),
        cc("c2", 1000, 2, ["c1", "Ordered"]),
        one("pool", "Pool", 10, ["c2", "Ordered"]),
        one("dve", "DVE", 10, ["c0", "Ordered"]),
        cc("flow", 10, 3, ["c0", "Flow"]),
        arch="sunda",
        arch_version=30,
    )
    assert placed == {"a": 0, "c0": 500, "c1": 500, "c2": 500, "pool": 500, "dve": 1500, "flow": 1500}


def test_the_early_readiness_is_for_producers_that_are_collective_compute_only() -> None:
    send = one("s", "SP", 300, "a", opcode="CollectiveSend")
    placed = starts(one("a", "PE", 500), send, one("p", "Pool", 10, ["a", "Ordered"]), cc("c", 10, 1, ["s", "Ordered"]))
    assert placed == {"a": 0, "s": 500, "p": 400, "c": 800}


def test_an_edge_into_another_region_does_not_wait() -> None:
    placed = starts(one("a", "PE", 300), one("b", "DVE", 50, "a", region=1), one("c", "SP", 50, "b", region=1))
    assert placed == {"a": 0, "b": 0, "c": 50}


def test_a_loop_body_is_placed_once_and_the_loop_itself_is_never_waited_for() -> None:
    placed = starts(
        one("a", "PE", 300),
        loop("outer", one("b", "DVE", 200, "a"), loop("inner", one("c", "PE", 100, "b", "outer"))),
        one("d", "SP", 10, "outer", "inner"),
        one("e", "SP", 10, "c"),
    )
    assert placed == {"a": 0, "b": 300, "c": 500, "d": 0, "e": 600}


# PSUM


def test_a_reader_of_a_bank_does_not_wait_but_the_next_writer_waits_for_it() -> None:
    placed = starts(
        one("w", "PE", 400, psum_writes=[1]),
        one("r", "DVE", 900, psum_reads=[1]),
        one("w2", "Activation", 10, psum_writes=[1]),
        one("other", "SP", 10, psum_writes=[2]),
    )
    assert placed == {"w": 0, "r": 0, "w2": 800, "other": 0}


def test_a_banks_time_is_that_of_its_last_user_even_when_it_is_earlier() -> None:
    story = one("w", "PE", 2000, psum_writes=[1]), one("r", "DVE", 300, psum_reads=[1])
    assert starts(*story, one("w2", "SP", 10, psum_writes=[1]))["w2"] == 200


def test_an_instruction_without_cost_waits_for_a_bank_but_does_not_set_it() -> None:
    placed = starts(
        one("w", "PE", 400, psum_writes=[1]),
        one("gap", "DVE", 1000),
        one("free", "DVE", 0, psum_writes=[1]),
        one("w2", "SP", 10, psum_writes=[1]),
    )
    assert placed == {"w": 0, "gap": 0, "free": 900, "w2": 300}


def test_a_writer_of_an_unknown_bank_waits_for_all_banks_and_sets_only_those_it_reads() -> None:
    placed = starts(
        one("w0", "PE", 400, psum_writes=[0]),
        one("w1", "DVE", 700, psum_writes=[1]),
        one("any", "SP", 500, psum_writer=True, psum_reads=[2]),
        one("again1", "Activation", 10, psum_writes=[1]),
        one("again2", "Pool", 10, psum_writes=[2]),
    )
    assert placed == {"w0": 0, "w1": 0, "any": 600, "again1": 600, "again2": 1000}


def test_psum_writer_adds_nothing_when_the_banks_are_known() -> None:
    placed = starts(one("w0", "PE", 400, psum_writes=[0]), one("w", "SP", 500, psum_writes=[1], psum_writer=True))
    assert placed["w"] == 0


@pytest.mark.parametrize(
    ("operand", "banks"),
    [
        ({"elements": 512, "dtype": "float32", "bank": 3}, [3]),
        ({"elements": 513, "dtype": "float32", "bank": 3}, [3, 4]),
        ({"elements": 1024, "dtype": "float32", "bank": 3, "addr": 3 * 2048 + 4}, [3, 4, 5]),
        ({"elements": 512, "dtype": "bfloat16", "bank": 3, "addr": 3 * 2048 + 1024}, [3]),
        ({"elements": 513, "dtype": "bfloat16", "addr": 3 * 2048 + 1024}, [3, 4]),
        ({"elements": 1, "dtype": "int64", "addr": 2040}, [0]),
        ({"elements": 8, "dtype": "float32", "bank": 0, "free": [[510, 2], [1, 4]]}, [0, 1]),
        ({"elements": 8, "dtype": "float32", "bank": 0, "free": [[508, 2], [1, 4]]}, [0]),
        ({"elements": 1, "dtype": "float32", "addr": 2046, "free": [[1, 1]]}, [0, 1]),
        ({"elements": 512, "dtype": "float32"}, None),
    ],
)
def test_an_operand_touches_the_banks_from_its_first_to_its_last_byte(
    operand: dict[str, Any], banks: list[int] | None
) -> None:
    assert operand_banks({"space": "PSUM", "partitions": 128, **operand}) == banks


def test_banks_come_from_the_operands_unless_a_list_replaces_them() -> None:
    in_psum: dict[str, Any] = {"space": "PSUM", "partitions": 128, "elements": 512, "dtype": "float32"}
    first = one("w", "PE", 900, psum_writes=[0])
    assert starts(first, one("b", "SP", 10, outs=[{**in_psum, "bank": 0}]))["b"] == 800
    assert starts(first, one("b", "SP", 10, outs=[{**in_psum, "bank": 1}]))["b"] == 0
    assert starts(first, one("b", "SP", 10, outs=[in_psum]))["b"] == 800  # bank unknown
    assert starts(first, one("b", "SP", 10, ins=[in_psum]))["b"] == 0  # a reader
    assert starts(first, one("b", "SP", 10, outs=[in_psum], psum_writes=[1]))["b"] == 0
    assert starts(first, one("b", "SP", 10, outs=[in_psum], psum_writes=[]))["b"] == 0


# Engines that wait for each other


def test_pool_and_dve_share_an_issue_port_up_to_version_29() -> None:
    story = one("v", "DVE", 500), one("p", "Pool", 400), one("v2", "DVE", 10)
    coupled, free = {"v": 0, "p": 400, "v2": 700}, {"v": 0, "p": 0, "v2": 400}
    assert starts(*story, arch="trn1") == starts(*story, arch="inferentia") == coupled
    assert starts(*story, arch_version=29) == coupled
    assert starts(*story, arch="sunda", arch_version=30) == free
    assert starts(*story, pool_dve_coupling=True) == coupled
    assert starts(*story, arch="sunda", pool_dve_coupling=False) == free


def test_activation_waits_for_the_last_psum_writer_on_pool_and_dve_up_to_version_29() -> None:
    story = (
        one("v", "DVE", 500, psum_writes=[0]),
        one("v2", "DVE", 0, ["v", "Flow"], psum_writes=[0]),
        one("p", "Pool", 50, psum_reads=[1]),
        one("a", "Activation", 10),
    )
    assert starts(*story, arch="sunda") == {"v": 0, "v2": 500, "p": 500, "a": 500}
    assert starts(*story, arch="gen3") == {"v": 0, "v2": 500, "p": 0, "a": 0}
    pool = one("p", "Pool", 300, psum_writer=True), one("a", "Activation", 10)
    assert starts(*pool, arch="sunda")["a"] == 300
    assert starts(*pool, arch="sunda", activation_clamp=False)["a"] == 0


@pytest.mark.parametrize("engine", ["Activation", "DVE", "PE", "Pool", "SP"])
def test_a_barrier_waits_until_each_datapath_engine_can_issue(engine: str) -> None:
    assert starts(one("a", engine, 500), one("bar", "ALL", 0))["bar"] == 400


def test_a_barrier_waits_for_the_five_datapath_engines_and_not_for_dma_streams_or_barriers() -> None:
    placed = starts(
        dma("d", 5000),
        cc("c", 3000, 0),
        one("u", "Unassigned", 4000),
        one("sp", "SP", 600),
        one("bar", "ALL", 900),
        one("bar2", "ALL", 0),
        one("late", "ALL", 0, "d"),
        one("pe", "PE", 10),
    )
    assert placed == {"d": 0, "c": 0, "u": 0, "sp": 0, "bar": 500, "bar2": 500, "late": 5000, "pe": 0}


# Collectives


@pytest.mark.parametrize(
    ("arch", "stream", "duration"),
    [
        ("sunda", 3, 1001),
        ("gen3", 0, 1334),  # 1001 / 0.75 = 1334.67
        ("gen3", 1, 4004),
        ("core_v4", 0, 2002),
        ("core_v4", 2, 4004),
    ],
)
def test_a_collective_takes_its_cost_over_its_streams_share(arch: str, stream: int, duration: int) -> None:
    placed = events(cc("c", 1001, stream), arch=arch)["c"]
    assert (placed.lane, placed.duration, placed.next_dispatch) == (8 + stream, duration, duration)


def test_only_collective_compute_on_a_stream_is_divided() -> None:
    placed = events(
        cc("local", 1001, 0, is_local=True),
        one("send", "Pool", 1001, opcode="CollectiveSend", stream_id=1),
        one("base", "SP", 1001, opcode="Collective", is_local=True),
    )
    assert {n: (e.lane, e.duration) for n, e in placed.items()} == {
        "local": (4, 1001),
        "send": (9, 1001),
        "base": (8, 1001),
    }


@pytest.mark.parametrize(
    ("streams", "durations"), [((0, 0), (600, 600)), ((0, 1), (800, 2400)), ((0, 1, 2), (1200, 2400, 2400))]
)
def test_shares_can_go_by_the_highest_stream_of_the_block(streams: tuple[int, ...], durations: tuple[int, ...]) -> None:
    placed = events(*(cc(f"c{k}", 600, s) for k, s in enumerate(streams)), collective_share="max_stream")
    assert tuple(event.duration for event in placed.values()) == durations


@pytest.mark.parametrize(
    ("arch", "stream", "share"),
    [("gen3", 2, "arch"), ("core_v4", 3, "arch"), ("inferentia", 0, "arch"), ("sunda", 3, "max_stream")],
)
def test_a_stream_without_a_share_is_an_error(arch: str, stream: int, share: str) -> None:
    with pytest.raises(ValueError, match=f"c: the share of stream {stream} is not modelled"):
        events(cc("c", 10, stream), arch=arch, collective_share=share)


def test_a_stream_above_3_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"stream_id 4 \(0\.\.3\)"):
        events(cc("c", 10, 4))


def test_reflow_lengthens_overlapping_collectives_on_other_streams() -> None:
    story = (
        cc("c0", 1000, 0),
        cc("same", 10, 0, "c0"),
        one("sp", "SP", 1100),
        cc("c2", 200, 2, "sp"),  # [1100, 1300)
        one("pe", "PE", 399),
        cc("c1", 801, 1, "pe"),  # [399, 1200): 601 ns with c0, 10 with `same`, 100 with c2
        one("after", "DVE", 1, "c0"),
        cc("tail", 50, 0),  # [1012, 1062): 50 ns with c1, none with c2, and c0 is on its own stream
    )
    plain = starts(*story, arch="sunda", arch_version=30)
    assert plain == {"c0": 0, "same": 1000, "sp": 0, "c2": 1100, "pe": 0, "c1": 399, "after": 1000, "tail": 1010}
    placed = events(*story, arch="sunda", arch_version=30, reflow=(0.5, 0.25))
    assert {n: (e.start, e.duration) for n, e in placed.items() if e.lane >= 8} == {
        "c0": (0, 1000 + 150),
        "same": (1000, 10 + 2),
        "c2": (1100, 200 + 25),
        "c1": (399, 801 + 300 + 5 + 50 + 12),
        "tail": (1012, 50 + 25),
    }
    assert placed["c0"].next_dispatch == placed["after"].start == 1150


# DMA rings


def test_a_transfer_follows_its_trigger_on_the_dma_lane_and_not_before_it() -> None:
    placed = events(
        one("a", "SP", 300),
        one("v", "DVE", 700),
        trigger("t", one("x", "DMA", 50, opcode="DMADescriptorCopy")),
        trigger("u", dma("y", 50, "v")),
        trigger("w", cc("z", 50, 1)),
    )
    assert list(placed) == ["a", "v", "t", "x", "u", "y", "w", "z"]
    assert [placed[name].lane for name in "xyz"] == [4, 4, 4]
    assert {name: placed[name].start for name in "txuywz"} == {
        "t": 200,
        "x": 200,
        "u": 200,
        "y": 700,
        "w": 200,
        "z": 750,
    }


def test_a_full_ring_holds_its_trigger_until_the_oldest_transfer_lets_go() -> None:
    ring = [trigger(f"t{k}", dma(f"x{k}", 2000), queue=12) for k in range(3)]
    assert [starts(*ring)[f"t{k}"] for k in range(3)] == [0, 700, 1400]
    assert [starts(*ring, ring_depths={12: 2})[f"t{k}"] for k in range(3)] == [0, 0, 700]
    assert [starts(*ring, ring_depths={12: 0})[f"t{k}"] for k in range(3)] == [0, 0, 0]
    assert [starts(*ring, ring_depths={10: 1})[f"t{k}"] for k in range(3)] == [0, 0, 0]


def test_rings_do_not_hold_each_other() -> None:
    story = [trigger(f"t{k}", dma(f"x{k}", 2000), queue=queue) for k, queue in enumerate((12, 10, 12))]
    assert [starts(*story)[f"t{k}"] for k in range(3)] == [0, 0, 700]


@pytest.mark.parametrize(
    ("engine", "transfer", "fields", "queue"),
    [
        ("Pool", {"opcode": "Load"}, {}, 0),
        ("Pool", {"opcode": "Save"}, {}, 1),
        ("Activation", {"opcode": "DMACopy"}, {}, 2),
        ("Activation", {"opcode": "DMACopy", "outs": [{"space": "DRAM"}]}, {}, 3),
        ("PE", {"opcode": "DMACopy", "outs": [{"space": "SB"}, {"space": "DRAM"}]}, {}, 4),
        ("PE", {"opcode": "Save", "outs": [{"space": "SB"}]}, {}, 5),
        ("DVE", {"opcode": "Load", "dge_type": "hwdge"}, {"dge_type": "swdge"}, 6),
        ("DVE", {"opcode": "Load", "outs": [{"space": "DRAM"}], "dge_type": "none"}, {}, 7),
        ("SP", {"opcode": "DMADescriptorCopy"}, {}, 8),
        ("SP", {"opcode": "Save"}, {}, 9),
        ("SP", {"opcode": "Load", "dge_type": "swdge"}, {}, 10),
        ("DMA", {"opcode": "Load"}, {"dge_type": "swdge"}, 10),
        ("SP", {"opcode": "CollectiveSend", "dge_type": "swdge"}, {}, 11),
        ("DMA", {"opcode": "Load"}, {}, 11),
        ("ALL", {"opcode": "Save"}, {}, 11),
        ("Unassigned", {"opcode": "Load"}, {}, 11),
        ("SP", {"opcode": "IndirectSaveAccumulate"}, {}, 12),
        ("Pool", {"opcode": "IndirectLoad", "dge_type": "swdge"}, {}, 12),
        ("DMA", {"opcode": "GenericIndirectSave"}, {}, 12),
        ("SP", {"opcode": "IndirectLoad"}, {"queue": 3}, 3),
        ("SP", {"opcode": "IndirectLoad"}, {"queue": 0}, 0),
    ],
)
def test_a_triggers_ring_is_its_queue_or_follows_from_transfer_and_engine(
    engine: str, transfer: dict[str, Any], fields: dict[str, Any], queue: int
) -> None:
    assert queue_of({"name": "t", "opcode": "DMATrigger", "engine": engine, "transfer": transfer, **fields}) == queue


# Lanes and errors


@pytest.mark.parametrize(
    ("opcode", "engine", "lane"),
    [
        ("Load", "SP", 4),
        ("ReadVarAddr", "Pool", 4),
        ("IndirectSaveAccumulate", "ALL", 4),
        ("TensorLoad", "SP", 6),
        ("DMATrigger", "Pool", 1),
        ("Matmult", "PE", 3),
        ("NoOp", "Unassigned", 0),
        ("AllEngineBarrier", "ALL", 7),
        ("Collective", "Pool", 8),
        ("CollectiveRecv", "Pool", 8),
    ],
)
def test_an_opcode_has_its_lane(opcode: str, engine: str, lane: int) -> None:
    assert lane_of({"name": "i", "opcode": opcode, "engine": engine}) == lane


def test_a_producer_that_comes_later_has_no_event_yet_and_is_not_waited_for() -> None:
    assert starts(one("a", "SP", 1, "b"), one("b", "PE", 300), one("c", "SP", 1, "b")) == {"a": 0, "b": 0, "c": 300}


def test_a_missing_cost_an_unknown_producer_and_a_repeated_name_are_errors() -> None:
    with pytest.raises(ValueError, match="a: no cost"):
        events({"name": "a", "opcode": "NoOp", "engine": "SP"})
    with pytest.raises(ValueError, match="a: no instruction b in this block"):
        events(one("a", "SP", 1, "b"))
    with pytest.raises(ValueError, match="a: the name is taken"):
        events(one("a", "SP", 1), one("a", "SP", 1))


def test_every_block_starts_on_fresh_lanes() -> None:
    block = {"name": "bb", "instructions": [one("a", "PE", 300)]}
    doc = {"arch": "gen3", "functions": [{"name": "main", "blocks": [block, block]}]}
    assert simulate_block(doc, 0, 1) == simulate_block(doc, 0, 0)
