"""Chrome traces: the schema to the byte, on a hand-checked block; the given cases; what deps hold."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simcore import perfsim
from simcore.errors import InputError
from simcore.program.read import load_program
from simcore.trace.chrome import trace_records, write_traces
from simcore.trace.file_names import TracePrefix
from simcore.trace.records import TraceEvent
from tests.simcore.trace.estimates import document, estimate_of, read_trace

METADATA = """
{"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"0. Unassigned"}}
{"name":"thread_name","ph":"M","pid":0,"tid":1,"args":{"name":"4. POOL"}}
{"name":"thread_name","ph":"M","pid":0,"tid":2,"args":{"name":"7. ACT"}}
{"name":"thread_name","ph":"M","pid":0,"tid":3,"args":{"name":"5. PE"}}
{"name":"thread_name","ph":"M","pid":0,"tid":4,"args":{"name":"1. DMA"}}
{"name":"thread_name","ph":"M","pid":0,"tid":5,"args":{"name":"6. DVE"}}
{"name":"thread_name","ph":"M","pid":0,"tid":6,"args":{"name":"3. SP"}}
{"name":"thread_name","ph":"M","pid":0,"tid":7,"args":{"name":"2.0 CCStream0"}}
{"name":"thread_name","ph":"M","pid":0,"tid":8,"args":{"name":"2.1 CCStream1"}}
{"name":"thread_name","ph":"M","pid":0,"tid":9,"args":{"name":"2.2 CCStream2"}}
{"name":"thread_name","ph":"M","pid":0,"tid":10,"args":{"name":"2.3 CCStream3"}}
""".splitlines()[1:]

X_BF16 = {"space": "DRAM", "partitions": 128, "elements": 256, "dtype": "bfloat16", "tensor": "x"}
SB_BF16 = {"space": "SB", "partitions": 128, "elements": 256, "dtype": "bfloat16", "addr": 1024}
SB_STRIDED = {**SB_BF16, "free": [[128, 4], [1, 64]]}
PSUM_0 = {"space": "PSUM", "partitions": 128, "elements": 512, "dtype": "float32", "bank": 0}
PSUM_1 = {**PSUM_0, "bank": 1}

SMALL = document(
    [
        {
            "name": "ld",
            "opcode": "Load",
            "engine": "SP",
            "cost": 2000,
            "ins": [X_BF16],
            "outs": [SB_BF16],
            "source": "attention.py:31",
        },
        {
            "name": "mm",
            "opcode": "Matmult",
            "engine": "PE",
            "cost": 300,
            "ins": [SB_STRIDED, SB_BF16],
            "outs": [PSUM_0],
            "dependencies": [["ld", "Flow"]],
        },
        {
            "name": "cp",
            "opcode": "TensorCopy",
            "engine": "DVE",
            "cost": 250,
            "ins": [PSUM_0],
            "outs": [{**SB_BF16, "symbolic": True}],
            "dependencies": [["mm", "Flow"], ["ld", "Ordered"]],
        },
        {
            "name": "mm2",
            "opcode": "Matmult",
            "engine": "PE",
            "cost": 150,
            "outs": [PSUM_1],
            "dependencies": [["cp", "Anti"], ["mm", "Ordered"]],
        },
    ]
)

# By hand: mm waits for ld's end (2000), cp for mm's (2300), mm2 for cp's (2550).
SMALL_EVENTS = [
    {
        "name": "mm",
        "ph": "X",
        "ts": 2000,
        "dur": 300,
        "pid": 0,
        "tid": 3,
        "args": {
            "bir_id": 1,
            "bir_name": "mm",
            "opcode": "Matmult",
            "nki_source_location": "",
            "input_shapes": "bfloat16[128, 4, 64]; bfloat16[128, 256]",
            "output_shapes": "float32[128, 512]",
            "input_access_patterns": "SB @1024 128 x [[128, 4], [1, 64]]; SB @1024 128 x [[1, 256]]",
            "output_access_patterns": "PSUM bank 0 128 x [[1, 512]]",
            "inst_dump": '{"name":"mm","opcode":"Matmult","engine":"PE",'
            '"ins":[{"space":"SB","partitions":128,"elements":256,"dtype":"bfloat16","addr":1024,'
            '"free":[[128,4],[1,64]]},'
            '{"space":"SB","partitions":128,"elements":256,"dtype":"bfloat16","addr":1024}],'
            '"outs":[{"space":"PSUM","partitions":128,"elements":512,"dtype":"float32","bank":0}],'
            '"dependencies":[["ld","Flow"]],"cost":300}',
            "deps": [{"name": "ld", "edge_type": "Flow", "end_time": 2000, "engine": "DMA"}],
        },
    },
    {
        "name": "mm2",
        "ph": "X",
        "ts": 2550,
        "dur": 150,
        "pid": 0,
        "tid": 3,
        "args": {
            "bir_id": 3,
            "bir_name": "mm2",
            "opcode": "Matmult",
            "nki_source_location": "",
            "input_shapes": "",
            "output_shapes": "float32[128, 512]",
            "input_access_patterns": "",
            "output_access_patterns": "PSUM bank 1 128 x [[1, 512]]",
            "inst_dump": '{"name":"mm2","opcode":"Matmult","engine":"PE",'
            '"outs":[{"space":"PSUM","partitions":128,"elements":512,"dtype":"float32","bank":1}],'
            '"dependencies":[["cp","Anti"],["mm","Ordered"]],"cost":150}',
            "deps": [
                {"name": "mm", "edge_type": "Ordered", "end_time": 2300},
                {"name": "cp", "edge_type": "Anti", "end_time": 2550, "engine": "DVE"},
            ],
        },
    },
    {
        "name": "ld",
        "ph": "X",
        "ts": 0,
        "dur": 2000,
        "pid": 0,
        "tid": 4,
        "args": {
            "bir_id": 0,
            "bir_name": "ld",
            "opcode": "Load",
            "nki_source_location": "attention.py:31",
            "input_shapes": "bfloat16[128, 256]",
            "output_shapes": "bfloat16[128, 256]",
            "input_access_patterns": "DRAM:x 128 x [[1, 256]]",
            "output_access_patterns": "SB @1024 128 x [[1, 256]]",
            "inst_dump": '{"name":"ld","opcode":"Load","engine":"SP",'
            '"ins":[{"space":"DRAM","partitions":128,"elements":256,"dtype":"bfloat16","tensor":"x"}],'
            '"outs":[{"space":"SB","partitions":128,"elements":256,"dtype":"bfloat16","addr":1024}],'
            '"cost":2000,"source":"attention.py:31"}',
            "deps": [],
        },
    },
    {
        "name": "cp",
        "ph": "X",
        "ts": 2300,
        "dur": 250,
        "pid": 0,
        "tid": 5,
        "args": {
            "bir_id": 2,
            "bir_name": "cp",
            "opcode": "TensorCopy",
            "nki_source_location": "",
            "input_shapes": "float32[128, 512]",
            "output_shapes": "bfloat16[128, 256]",
            "input_access_patterns": "PSUM bank 0 128 x [[1, 512]]",
            "output_access_patterns": "SB @1024 128 x [[1, 256]] symbolic",
            "inst_dump": '{"name":"cp","opcode":"TensorCopy","engine":"DVE",'
            '"ins":[{"space":"PSUM","partitions":128,"elements":512,"dtype":"float32","bank":0}],'
            '"outs":[{"space":"SB","partitions":128,"elements":256,"dtype":"bfloat16","addr":1024,"symbolic":true}],'
            '"dependencies":[["mm","Flow"],["ld","Ordered"]],"cost":250}',
            "deps": [
                {"name": "ld", "edge_type": "Ordered", "end_time": 2000, "engine": "DMA"},
                {"name": "mm", "edge_type": "Flow", "end_time": 2300, "engine": "PE"},
            ],
        },
    },
]


def compact(record: dict) -> str:
    """A record as the writer spells it: no spaces, keys in the given order."""
    return json.dumps(record, separators=(",", ":"))


def test_a_small_block_gives_exactly_this_file(tmp_path: Path):
    (path,) = write_traces(estimate_of(SMALL), tmp_path)
    lines = [*METADATA, *map(compact, SMALL_EVENTS)]
    assert path.read_text() == "[\n" + ",\n".join(lines) + "\n]\n"
    assert path.name == "perf_sim.p.main.bb0.json"


def test_an_empty_block_has_the_thread_names_alone(tmp_path: Path):
    (path,) = write_traces(estimate_of(document([])), tmp_path)
    assert path.read_text() == "[\n" + ",\n".join(METADATA) + "\n]\n"


def test_a_program_without_blocks_writes_nothing(tmp_path: Path):
    assert write_traces(estimate_of(document()), tmp_path / "new") == []
    assert list((tmp_path / "new").iterdir()) == []


def case_names() -> list[str]:
    hand_made = [
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
    ]
    return [*hand_made, "random-101", "random-102", "random-103"]


def test_every_given_case_is_traced(shared: Path):
    given = {p.name.removesuffix(".expected.json") for p in (shared / "cases" / "perfsim").glob("*.expected.json")}
    assert given == set(case_names())


TID_OF_LANE = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 0, 8: 7, 9: 8, 10: 9, 11: 10}


@pytest.mark.parametrize("case", case_names())
def test_a_given_case_is_traced_lane_by_lane_with_the_expected_times(case: str, shared: Path, tmp_path: Path):
    folder = shared / "cases" / "perfsim"
    expected = json.loads((folder / f"{case}.expected.json").read_text())["events"]
    (path,) = write_traces(perfsim.estimate(load_program(folder / f"{case}.json")), tmp_path)
    metadata, events = read_trace(path)
    assert [compact(m) for m in metadata] == METADATA
    by_lane = sorted(expected, key=lambda e: e["lane"])
    assert [(e["name"], e["tid"], e["ts"], e["dur"]) for e in events] == [
        (e["name"], TID_OF_LANE[e["lane"]], e["start"], e["duration"]) for e in by_lane
    ]
    place = {e["name"]: k for k, e in enumerate(expected)}
    ends = {e["name"]: e["start"] + e["duration"] for e in expected}
    lanes = {e["name"]: e["lane"] for e in expected}
    for event in events:
        args = event["args"]
        assert args["bir_id"] == place[event["name"]]
        assert args["bir_name"] == event["name"] == json.loads(args["inst_dump"])["name"]
        producers = [place[d["name"]] for d in args["deps"]]
        assert producers == sorted(set(producers))
        for dependency in args["deps"]:
            assert dependency["end_time"] == ends[dependency["name"]]
            assert ("engine" in dependency) == (lanes[dependency["name"]] != lanes[event["name"]])


def deps_by_name(path: Path) -> dict[str, list[dict]]:
    return {e["name"]: e["args"]["deps"] for e in read_trace(path)[1]}


def trigger(name: str, transfer: str, **more: object) -> dict:
    inline = {"name": transfer, "opcode": "DMACopy", "engine": "DMA", "cost": 2500, "dependencies": [["a", "Flow"]]}
    return {"name": name, "opcode": "DMATrigger", "engine": "SP", "cost": 0, "transfer": inline, **more}


def test_a_trigger_and_its_transfer_are_events_with_predecessors_of_their_own(tmp_path: Path):
    a = {"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 300}
    use = {"name": "use", "opcode": "Matmult", "engine": "PE", "cost": 300}
    depends = [["x", "Flow"], ["t", "Flow"]]
    (path,) = write_traces(
        estimate_of(document([a, trigger("t", "x", dependencies=[["a", "Anti"]]), {**use, "dependencies": depends}])),
        tmp_path,
    )
    deps = deps_by_name(path)
    assert deps["t"] == [{"name": "a", "edge_type": "Anti", "end_time": 300, "engine": "PE"}]
    assert deps["x"] == [{"name": "a", "edge_type": "Flow", "end_time": 300, "engine": "PE"}]
    # The trigger starts and ends at 300, its transfer takes 300 to 2800.
    assert deps["use"] == [
        {"name": "t", "edge_type": "Flow", "end_time": 300, "engine": "SP"},
        {"name": "x", "edge_type": "Flow", "end_time": 2800, "engine": "DMA"},
    ]


def test_the_dump_of_a_trigger_holds_its_transfer_and_that_of_the_transfer_stands_alone(tmp_path: Path):
    a = {"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 300}
    (path,) = write_traces(estimate_of(document([a, trigger("t", "x", queue=3)])), tmp_path)
    dumps = {e["name"]: json.loads(e["args"]["inst_dump"]) for e in read_trace(path)[1]}
    alone = {"name": "x", "opcode": "DMACopy", "engine": "DMA", "dependencies": [["a", "Flow"]], "cost": 2500}
    assert dumps["x"] == alone
    assert dumps["t"] == {
        "name": "t",
        "opcode": "DMATrigger",
        "engine": "SP",
        "cost": 0,
        "queue": 3,
        "transfer": alone,
    }


def test_the_barrier_is_drawn_on_thread_0_and_names_its_lane_to_others(tmp_path: Path):
    barrier = {"name": "b", "opcode": "AllEngineBarrier", "engine": "ALL", "cost": 10}
    unassigned = {"name": "u", "opcode": "NoOp", "engine": "Unassigned", "cost": 5, "dependencies": [["b", "Flow"]]}
    (path,) = write_traces(estimate_of(document([barrier, unassigned])), tmp_path)
    events = read_trace(path)[1]
    assert [(e["name"], e["tid"]) for e in events] == [("u", 0), ("b", 0)]
    assert deps_by_name(path)["u"] == [{"name": "b", "edge_type": "Flow", "end_time": 10, "engine": "ALL"}]


def test_collective_streams_are_the_threads_7_to_10(tmp_path: Path):
    collectives = [
        {"name": f"c{s}", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 100, "stream_id": s}
        for s in (3, 2, 1, 0)
    ]
    (path,) = write_traces(estimate_of(document(collectives, arch="sunda")), tmp_path)
    assert [(e["name"], e["tid"]) for e in read_trace(path)[1]] == [("c0", 7), ("c1", 8), ("c2", 9), ("c3", 10)]


def test_a_dependency_on_a_loop_has_no_entry_because_a_loop_has_no_event(tmp_path: Path):
    inner = {"name": "i", "opcode": "Matmult", "engine": "PE", "cost": 50}
    loop = {"name": "lp", "opcode": "Loop", "engine": "Unassigned", "trip_count": 4, "body": [inner]}
    after = {
        "name": "z",
        "opcode": "Matmult",
        "engine": "PE",
        "cost": 50,
        "dependencies": [["lp", "Flow"], ["i", "Flow"]],
    }
    (path,) = write_traces(estimate_of(document([loop, after])), tmp_path)
    assert deps_by_name(path) == {"i": [], "z": [{"name": "i", "edge_type": "Flow", "end_time": 50}]}


def test_a_predecessor_of_another_region_has_an_entry_like_any_other(tmp_path: Path):
    a = {"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 900}
    b = {**a, "name": "b", "engine": "DVE", "opcode": "Iota", "region": 1, "dependencies": [["a", "Flow"]]}
    (path,) = write_traces(estimate_of(document([a, b])), tmp_path)
    assert deps_by_name(path)["b"] == [{"name": "a", "edge_type": "Flow", "end_time": 900, "engine": "PE"}]


def test_several_edges_to_one_predecessor_are_one_entry_of_the_strongest_kind():
    block = estimate_of(SMALL).blocks[0]
    columns, n = block.columns, len(block.columns.dep_on)
    # Arrays made by others may hold a pair twice: here every edge again, first as Invalid.
    twice = replace(
        columns,
        dep_count=columns.dep_count * 2,
        dep_on=np.repeat(columns.dep_on, 2),
        dep_kind=np.column_stack([np.zeros(n, dtype=np.uint8), columns.dep_kind]).ravel(),
    )
    deps = [
        [e.args.deps for e in trace_records(c, block.schedule) if isinstance(e, TraceEvent)] for c in (columns, twice)
    ]
    assert deps[0] == deps[1]


def test_names_with_slashes_and_of_any_script_are_kept_in_the_trace_and_made_safe_in_the_file_name(tmp_path: Path):
    content = document([{"name": 'ядро/"q"\\0', "opcode": "Matmult", "engine": "PE", "cost": 5}], name="a/b:c é")
    (path,) = write_traces(estimate_of(content), tmp_path)
    assert path.name == "perf_sim.a_b_c é.main.bb0.json"
    assert [e["name"] for e in read_trace(path)[1]] == ['ядро/"q"\\0']
    assert list(tmp_path.iterdir()) == [path]


def test_every_block_has_a_file_and_the_prefix_says_who_wrote_it(tmp_path: Path):
    one = [{"name": "a", "opcode": "Matmult", "engine": "PE", "cost": 5}]
    estimate = estimate_of(document(one, [], one))
    names = [p.name for p in write_traces(estimate, tmp_path, TracePrefix.SCHEDULER)]
    assert names == ["ps_trace.p.main.bb0.json", "ps_trace.p.main.bb1.json", "ps_trace.p.main.bb2.json"]
    assert sorted(p.name for p in tmp_path.iterdir()) == names


def test_two_runs_write_the_same_bytes_over_each_other(tmp_path: Path):
    (path,) = write_traces(estimate_of(SMALL), tmp_path)
    first = path.read_bytes()
    write_traces(estimate_of(SMALL), tmp_path)
    assert path.read_bytes() == first


def test_the_folder_is_made_and_a_file_in_its_place_is_refused(tmp_path: Path):
    assert write_traces(estimate_of(SMALL), tmp_path / "a" / "b")[0].is_file()
    (tmp_path / "f").write_text("mine")
    with pytest.raises(InputError, match="is not a folder"):
        write_traces(estimate_of(SMALL), tmp_path / "f")
    assert (tmp_path / "f").read_text() == "mine"


def test_the_memory_for_writing_does_not_grow_with_the_records(tmp_path: Path):
    def peak_bytes(events: int) -> int:
        instructions = [
            {"name": f"i{k}", "opcode": "Matmult", "engine": "PE", "cost": 5, "outs": [PSUM_0]} for k in range(events)
        ]
        estimate = estimate_of(document(instructions))
        tracemalloc.start()
        write_traces(estimate, tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_bytes(1)  # fills the caches of the libraries
    small, large = peak_bytes(1000), peak_bytes(3000)
    # A few integers per event; its record is above 400 bytes as text and above 1000 as objects.
    assert large - small < 2000 * 150
