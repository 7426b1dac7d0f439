"""``kernbench run --memory fabric``: its JSON for one device and for several, its tables, its trace, its refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.benches.cli.conftest import Call
from tests.benches.run_report.trace_checker import checked
from tests.simcore.perfsim.blocks import block_of

Write = Callable[..., Path]

CAUSES = {"link", "router_buffer", "hbm", "tcm_read", "tcm_write", "mmu", "semaphore", "ring"}


def operand(space: str, elements: int = 512, **more: Any) -> dict[str, Any]:
    return {"space": space, "partitions": 128, "elements": elements, "dtype": "bfloat16", **more}


def kernel(times: int = 1) -> list[dict[str, Any]]:
    """``times`` rounds of two loads, a matmul, a copy out of PSUM and a store."""
    found: list[dict[str, Any]] = []
    for k in range(times):
        sb, psum = operand("SB", addr=0), {**operand("PSUM", bank=k % 8), "dtype": "float32"}
        dram = {"ins": [operand("DRAM")], "outs": [sb]}
        found += [
            {"name": f"la{k}", "opcode": "Load", "engine": "DMA", **dram},
            {"name": f"lb{k}", "opcode": "Load", "engine": "DMA", **dram},
            {
                "name": f"mm{k}",
                "opcode": "Matmult",
                "engine": "PE",
                "ins": [sb, operand("SB", 128, addr=0)],
                "outs": [psum],
                "dependencies": [f"la{k}", f"lb{k}"],
            },
            {
                "name": f"cp{k}",
                "opcode": "TensorCopy",
                "engine": "DVE",
                "ins": [psum],
                "outs": [sb],
                "dependencies": [f"mm{k}"],
                "source": "k.py:4",
            },
            {
                "name": f"st{k}",
                "opcode": "Save",
                "engine": "DMA",
                "ins": [sb],
                "outs": [operand("DRAM")],
                "dependencies": [f"cp{k}"],
            },
        ]
    return found


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(*instructions: dict[str, Any], name: str = "p.json", arch: str = "gen3") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(block_of(*instructions, arch=arch)))
        return path

    return written


@pytest.fixture
def run(kernbench: Call) -> Callable[..., Any]:
    """Runs on a topology and gives the JSON, numbers exact."""

    def called(topology: str, device: str, *words: object) -> Any:
        given = ("--memory", "fabric", "--topology", topology, "--device", device, "--json", "-")
        code, out, err = kernbench("run", *words, *given)
        assert (code, err) == (0, ""), err
        return json.loads(out, parse_float=Decimal)

    return called


def assert_sums(report: Any) -> None:
    for part in (report, *report.get("blocks", [])):
        assert part["difference_ns"] == part["makespan_ns"] - part["perfsim_ns"] > 0
        assert sum(part["attribution"].values()) == part["difference_ns"]


def test_one_device_has_the_shape_of_a_run_and_says_where_it_ran(run: Any, write: Write) -> None:
    report = run("trn2", "nc3", write(*kernel()), "--events", "--explain")
    assert report["schema"] == "kernbench.run/1"
    assert (report["memory"], report["device"], report["topology"]) == ("fabric", "nc3", "trn2")
    assert_sums(report)
    (block,) = report["blocks"]
    bounds = {event["name"]: event["bound_by"] for event in block["events"]}
    assert bounds["la0"] == {"cause": "hbm", "on": "hbm"}
    assert bounds["mm0"] == {"cause": "dependency", "on": "lb0"}
    starts = {event["name"]: event.get("started_by") for event in block["events"]}
    assert starts["lb0"] == {"cause": "engine", "on": "la0"}
    assert starts["mm0"] is None
    for delay, event in zip(block["delays"], block["events"], strict=True):
        inherited = delay.get("inherited", {"ns": 0})["ns"]
        assert sum(delay["own"].values()) + sum(delay["start"].values()) + inherited == delay["delay_ns"]
        assert sum(delay["total"].values()) == delay["delay_ns"]
        assert delay["name"] == event["name"]
    parts = report["parts"]
    nbytes = 128 * 512 * 2
    assert parts["hbm>noc"]["bytes"] == 2 * nbytes
    assert parts["noc>hbm"]["bytes"] == nbytes
    assert parts["hbm"]["bytes"] == 3 * nbytes
    assert (
        sum(part["bytes"] for name, part in parts.items() if name.startswith("nc3.dma") and ">" not in name)
        == 3 * nbytes
    )
    assert all(0 <= part["utilisation"] <= 1 for part in parts.values())
    assert report["notes"] == ["nc3: trn2 gives no rate of its SBUF, which takes no time here"]


def test_a_pe_tile_pays_for_its_tcm(run: Any, write: Write) -> None:
    report = run("kernbench_2x4x4", "sip1.cube3.pe7", write(*kernel()), "--events")
    assert_sums(report)
    bounds = {event["name"]: event["bound_by"] for event in report["blocks"][0]["events"]}
    # 160 KiB at 512 GB/s take 320 ns, the matmul's stream 214 ns.
    assert bounds["mm0"] == {"cause": "tcm_read", "on": None}
    assert report["attribution"]["tcm_read"] > 100
    assert report["parts"]["sip1.cube3.pe7.sbuf.write"]["bytes"] == 3 * 128 * 512 * 2
    assert report["notes"] == []


def test_several_devices_are_slower_together_and_each_says_why(run: Any, write: Write) -> None:
    program = write(*kernel(4))
    alone = run("trn2", "nc0", program)
    together = run("trn2", "all", program)
    assert [device["device"] for device in together["devices"]] == [f"nc{k}" for k in range(8)]
    assert_sums(together)
    for device in together["devices"]:
        assert_sums(device)
        assert device["perfsim_ns"] == alone["perfsim_ns"]
        assert device["makespan_ns"] >= alone["makespan_ns"]
    assert together["makespan_ns"] == max(device["makespan_ns"] for device in together["devices"])
    assert together["makespan_ns"] > alone["makespan_ns"]
    assert together["parts"]["hbm>noc"]["bytes"] == 8 * alone["parts"]["hbm>noc"]["bytes"]


def test_programs_and_devices_pair_up(run: Any, write: Write) -> None:
    short, long = write(*kernel(), name="s.json"), write(*kernel(3), name="l.json")
    report = run("trn2", "nc1,nc6", short, long)
    sizes = [(d["device"], d["blocks"][0]["instructions"]) for d in report["devices"]]
    assert sizes == [("nc1", 5), ("nc6", 15)]
    assert_sums(report)


def test_the_same_call_gives_the_same_bytes(kernbench: Call, write: Write) -> None:
    words = ("run", write(*kernel(3)), "--memory", "fabric", "--topology", "trn2", "--device", "nc0,nc4", "--json", "-")
    assert kernbench(*words, "--events", "--explain") == kernbench(*words, "--events", "--explain")


def test_the_table_names_causes_and_what_is_left_out(kernbench: Call, write: Write) -> None:
    program = write(*kernel(), {**kernel()[3], "name": "far", "ins": [operand("DRAM")], "dependencies": []})
    words = ("--memory", "fabric", "--topology", "trn2", "--device", "nc0", "--explain")
    code, out, err = kernbench("run", program, *words)
    assert (code, err) == (0, "")
    assert "nc0 of trn2" in out
    assert "hbm hbm +" in out
    assert "memory makes 3 of 6 instructions last longer" in out
    assert "1 instructions that are no DMA have operands in DRAM, which move nothing" in out


def collective(name: str = "cc", **more: Any) -> dict[str, Any]:
    operands = {"ins": [operand("DRAM")], "outs": [operand("DRAM")]}
    return {"name": name, "opcode": "CollectiveCompute", "engine": "Pool", "kind": "AllReduce", **operands, **more}


TILES = "sip0.cube0.pe0,sip0.cube1.pe0,sip0.cube4.pe0,sip0.cube5.pe0"


def test_collectives_of_devices_that_run_together_go_over_the_fabric(run: Any, write: Write) -> None:
    slow = {"name": "w", "opcode": "Iota", "engine": "Pool", "cost": 20_000}
    early = write(collective(), name="early.json")
    late = write(slow, collective(dependencies=["w"]), name="late.json")
    report = run("kernbench_2x4x4", TILES, early, early, early, late, "--events", "--collective", "torus")
    assert_sums(report)
    first, *_, last = report["devices"]
    assert_sums(first)
    # It has begun with its neighbours meanwhile, so a part of its own cost passes under the wait.
    assert 17_000 < first["attribution"]["collective_peers"] < 20_000
    assert first["blocks"][0]["events"][0]["bound_by"] == {"cause": "collective_peers", "on": None}
    assert "collective_peers" not in last["attribution"]
    assert first["notes"] == [
        "sip0.cube0.pe0: 1 collectives over 4 devices by torus; reductions are free, and no memory is read or written "
        "at their ends"
    ]
    assert first["parts"]["sip0.cube0.pe0.pe_dma"]["bytes"] == 2 * 3 * 128 * 512 * 2 // 4


def test_a_collective_of_one_device_moves_nothing_and_others_are_counted(run: Any, write: Write) -> None:
    alone = run("trn2", "nc0", write(collective(), collective("send", opcode="CollectiveSend", kind=None)))
    assert alone["difference_ns"] == 0
    assert alone["notes"][1:] == [
        "nc0: 1 collectives that stay in their core, or are no CollectiveCompute, move nothing over the fabric",
        "nc0: 1 collectives of one rank move nothing",
    ]
    several = run("trn2", "nc0,nc1", write(collective(kind="Permute")))
    assert several["difference_ns"] == 0
    assert several["devices"][1]["notes"][1:] == [
        "nc1: 1 collectives of kind Permute move nothing over the fabric "
        "(planned: AllReduce, ReduceScatter, AllGather, AllToAll)"
    ]


def test_programs_whose_collectives_do_not_fit_are_refused_with_both_places(kernbench: Call, write: Write) -> None:
    one, other = write(collective("a"), name="one.json"), write(collective("b", kind="AllGather"), name="other.json")
    words = ("--memory", "fabric", "--topology", "trn2", "--device", "nc0,nc1")
    code, out, err = kernbench("run", one, other, *words)
    assert (code, out) == (2, "")
    assert f"{other}: instruction b: collective 0 of stream 0 in block 0 is AllGather of 131072 bytes" in err
    assert f"but AllReduce of 131072 bytes in elements of 2 on nc0 ({one}, instruction a)" in err


def test_the_parts_of_a_core_are_printed_once(kernbench: Call, write: Write) -> None:
    words = ("--memory", "fabric", "--topology", "trn2", "--device", "nc0")
    code, out, _ = kernbench("run", write(*kernel()), *words)
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()].count(["part", "requests"]) == 1


def test_the_smaller_of_many_causes_are_added_up(kernbench: Call, write: Write) -> None:
    words = ("--memory", "fabric", "--topology", "kernbench_2x4x4", "--device", "sip0.cube0.pe0,sip1.cube0.pe0")
    code, out, _ = kernbench("run", write(collective()), *words)
    line = next(line for line in reversed(out.splitlines()) if line.startswith("machine "))
    assert code == 0
    total, _, causes = line.partition(" ns (link ")
    pieces = [piece.rpartition(" +")[2].removesuffix(")").removesuffix(" ns") for piece in causes.split(", ")]
    assert len(pieces) == 13 and " smaller causes +" in causes
    assert sum(map(Decimal, pieces)) == Decimal(total.rpartition("+")[2])


def test_the_trace_shows_what_collectives_send(kernbench: Call, write: Write, tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    words = ("--memory", "fabric", "--topology", "trn2", "--device", "nc0,nc1", "--trace", target)
    assert kernbench("run", write(collective()), *words)[0] == 0
    carried = [s for s in checked(target).slices if s["pid"] == 3]
    assert {s["name"].split(".")[0] for s in carried} == {"cc"}


def test_the_trace_has_a_process_for_each_device_and_one_for_the_links(
    kernbench: Call, write: Write, tmp_path: Path
) -> None:
    target = tmp_path / "t.json"
    words = ("--memory", "fabric", "--topology", "trn2", "--device", "nc0,nc1", "--trace", target)
    assert kernbench("run", write(*kernel(2)), *words)[0] == 0
    trace = checked(target)
    assert trace.processes == {1: "nc0 main/bb0", 2: "nc1 main/bb0", 3: "links"}
    carried = [s for s in trace.slices if s["pid"] == 3]
    assert (
        sum(s["args"]["bytes"] for s in carried if s["name"].startswith("nc0.") and s["tid"] == carried[0]["tid"]) > 0
    )
    assert {s["cat"] for s in carried} == {"transfer"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            [],
            "--topology: --memory fabric needs a system to run on (allowed: a topology file, or one of kernbench_2x4x4",
        ),
        (["--topology", "trn2"], "--device: trn2 has 8 devices: name one (allowed: nc0, nc1, nc2, nc3, .. (8 in all)"),
        (["--topology", "trn2", "--device", "nc9"], '--device: no device "nc9" in topology/systems/trn2.yaml'),
        (["--topology", "trn2", "--device", "nc1,nc1"], "--device: nc1 is named twice"),
        (["--topology", "mesh_4x4_small", "--device", "all"], "no device in this system"),
        (["--topology", "trn2", "--collective", "tree"], '--collective: no algorithm "tree" (allowed: ring, torus, hi'),
        (["--topology", "trn1", "--device", "nc0"], "the program is for gen3, but nc0 is a core of sunda"),
    ],
)
def test_a_wrong_call_says_what_is_allowed(kernbench: Call, write: Write, words: list[str], message: str) -> None:
    code, out, err = kernbench("run", write(*kernel()), "--memory", "fabric", *words)
    assert (code, out) == (2, "")
    assert message in err


def test_two_programs_do_not_share_one_device(kernbench: Call, write: Write) -> None:
    program = write(*kernel())
    code, _, err = kernbench("run", program, program, "--memory", "fabric", "--topology", "trn2", "--device", "nc0")
    assert code == 2
    assert "2 programs for 1 devices (allowed: one program, or one for each device)" in err


def test_a_system_and_devices_belong_to_real_memory(kernbench: Call, write: Write) -> None:
    program = write(*kernel())
    words = ("--topology", "trn2", "--device", "nc0", "--collective", "ring")
    code, _, err = kernbench("run", program, program, *words)
    assert code == 2
    assert err.splitlines() == [
        "--topology: goes with --memory fabric",
        "--device: goes with --memory fabric",
        "--collective: goes with --memory fabric",
        "PROGRAM: goes with --memory fabric",
    ]


def test_a_result_can_be_compared_with_that_of_ideal_memory(kernbench: Call, write: Write, tmp_path: Path) -> None:
    program = write(*kernel(2))
    ideal, real = tmp_path / "ideal.json", tmp_path / "real.json"
    assert kernbench("run", program, "--events", "--json", ideal)[0] == 0
    words = ("--memory", "fabric", "--topology", "trn2", "--device", "nc0", "--events", "--json", real)
    assert kernbench("run", program, *words)[0] == 0
    code, out, err = kernbench("diff", ideal, real, "--json", "-")
    assert (code, err) == (0, "")
    difference = json.loads(out, parse_float=Decimal)
    assert difference["difference_ns"] == json.loads(real.read_text(), parse_float=Decimal)["difference_ns"]


def test_of_many_devices_the_longest_is_shown_in_full_and_each_has_a_row(kernbench: Call, write: Write):
    arguments = ("run", write(*kernel()), "--memory", "fabric", "--topology", "trn2", "--device", "all")
    code, out, err = kernbench(*arguments)
    assert (code, err) == (0, "")
    devices = json.loads(kernbench(*arguments, "--json", "-")[1])["devices"]
    assert len(devices) == 8
    longest = max(devices, key=lambda device: device["makespan_ns"])["device"]
    assert re.findall(r"fabric memory, (\w+) of trn2", out) == [longest]
    rows = re.findall(r"^(nc\d) +p +(\S+) ", out, re.MULTILINE)
    assert [(name, float(ns)) for name, ns in rows] == [(d["device"], d["makespan_ns"]) for d in devices]
    code, out, _ = kernbench(*arguments[:-1], "nc0,nc1,nc2,nc3")
    assert re.findall(r"fabric memory, (\w+) of trn2", out) == ["nc0", "nc1", "nc2", "nc3"]
