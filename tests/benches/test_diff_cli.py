"""``kernbench diff``: aligned by name, attributed to the tick, plain about what it cannot compare."""

from __future__ import annotations

import copy
import gzip
import json
import random
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from benches.cli.main import run
from benches.diff_report.align import align
from benches.diff_report.attribution import contributions, start_change
from benches.diff_report.build import diff_of
from benches.diff_report.read import read_side
from benches.diff_report.side import Side, estimated
from simcore.perfsim.costs import CostChange
from simcore.perfsim.estimate import prepare
from simcore.perfsim.estimate import run as estimate
from simcore.perfsim.options import PerfSimOptions
from tests.reference.random_programs import random_program
from tests.simcore.perfsim.blocks import block_of, loaded


@pytest.fixture
def kernbench(monkeypatch, capfd, tmp_path):
    """Runs a command line in an empty folder and gives ``(exit code, standard output, standard error)``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kernbench", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            run()
        out, err = capfd.readouterr()
        return left.value.code or 0, out, err

    return call


def program(*costs: int, names: str = "abcdefgh", **head: object) -> dict:
    """A load, then multiplications one after another, the first of which needs it."""
    instructions: list[dict] = [{"name": "ld", "opcode": "Load", "engine": "DMA", "cost": costs[0]}]
    for name, cost in zip(names, costs[1:], strict=False):
        instructions.append({"name": name, "opcode": "Matmult", "engine": "PE", "cost": cost})
    if len(instructions) > 1:
        instructions[1]["dependencies"] = ["ld"]
    return block_of(*instructions, **head)


def save(name: str, document: object) -> str:
    Path(name).write_text(json.dumps(document))
    return name


def diff_json(kernbench, *arguments: str) -> dict:
    code, out, err = kernbench("diff", *arguments, "--json", "-")
    assert (code, err) == (0, "")
    return json.loads(out)


def side_of(document: dict, **knobs: object) -> Side:
    changes = knobs.pop("changes", ())
    anti = knobs.pop("anti", True)
    options = PerfSimOptions.model_validate(knobs)
    found = estimate(prepare(loaded(document)), options, include_anti_deps=anti, changes=changes)  # type: ignore[arg-type]
    return estimated(found, "document")


# --- what a difference is made of -----------------------------------------------------------------------------------


def test_a_longer_producer_is_the_whole_difference_and_the_others_move_along(kernbench):
    found = diff_json(kernbench, save("a.json", program(1000, 90, 80)), save("b.json", program(1500, 90, 80)))
    (block,) = found["blocks"]
    assert (found["equal"], found["difference_ns"]) == (False, 500)
    assert block["makespan_ns"] == [1170, 1670]
    assert block["contributions"] == [
        {"instruction": "ld", "change": "runs", "cause": "execution", "on": None, "ns": 500}
    ]
    assert block["by_cause_ns"] == {"execution": 500}
    assert [(e["name"], e["start_ns"], e["inherited_ns"], e["own_ns"]) for e in block["changed"]] == [
        ("ld", [0, 0], 0, 0),
        ("a", [1000, 1500], 500, 0),
        ("b", [1090, 1590], 500, 0),
    ]


def test_a_shorter_producer_shows_what_limits_the_faster_side(kernbench):
    slow, fast = program(1000, 190), program(300, 190)
    for document in (slow, fast):
        first = {"name": "first", "opcode": "Matmult", "engine": "PE", "cost": 500}
        document["functions"][0]["blocks"][0]["instructions"].insert(1, first)
    (block,) = diff_json(kernbench, save("a.json", slow), save("b.json", fast))["blocks"]
    # The load is 700 ns shorter, but 100 ns of that are now spent on waiting for the engine.
    assert block["difference_ns"] == -600
    assert [(p["instruction"], p["change"], p["cause"], p["on"], p["ns"]) for p in block["contributions"]] == [
        ("ld", "runs", "execution", None, -700),
        ("a", "waits", "engine", "first", 100),
    ]
    (changed,) = [e for e in block["changed"] if e["name"] == "a"]
    assert (changed["bound_by"], changed["cause"], changed["on"]) == (
        [{"cause": "dependency", "on": "ld"}, {"cause": "engine", "on": "first"}],
        "dependency",
        "ld",
    )
    assert (changed["inherited_ns"], changed["own_ns"]) == (-700, 100)


def test_a_new_dependency_is_a_longer_wait(kernbench):
    document = program(1000, 90, 80)
    fewer = copy.deepcopy(document)
    del fewer["functions"][0]["blocks"][0]["instructions"][1]["dependencies"]
    (block,) = diff_json(kernbench, save("a.json", fewer), save("b.json", document))["blocks"]
    assert block["makespan_ns"] == [1000, 1170]
    assert [(p["instruction"], p["change"], p["cause"], p["on"], p["ns"]) for p in block["contributions"]] == [
        ("a", "waits", "dependency", "ld", 1000),
        ("ld", "ends_last", "ends_last", None, -830),
    ]


def test_an_issue_port_that_is_free_sooner_is_no_shorter_wait(kernbench):
    def document(first: int) -> dict:
        return block_of(
            {"name": "a", "opcode": "TensorCopy", "engine": "DVE", "cost": first},
            {"name": "b", "opcode": "TensorCopy", "engine": "Pool", "cost": 500},
            arch="sunda",
        )

    (block,) = diff_json(kernbench, save("a.json", document(90)), save("b.json", document(150)))["blocks"]
    assert block["makespan_ns"] == [590, 550]
    assert [(p["instruction"], p["change"], p["ns"]) for p in block["contributions"]] == [("a", "runs", -40)]


def test_instructions_of_one_side_only_are_listed_and_counted_where_they_are_on_the_path(kernbench):
    a, b = program(1000, 90, 80, names="ab"), program(1000, 90, 60, 80, names="axb")
    one, other = save("a.json", a), save("b.json", b)
    (block,) = diff_json(kernbench, one, other)["blocks"]
    assert (block["only_in_a"], block["only_in_b"], block["reordered"]) == ([], ["x"], [])
    assert [(p["instruction"], p["change"], p["ns"]) for p in block["contributions"]] == [("x", "added", 60)]
    (block,) = diff_json(kernbench, other, one)["blocks"]
    assert (block["only_in_a"], block["only_in_b"]) == (["x"], [])
    assert [(p["instruction"], p["change"], p["ns"]) for p in block["contributions"]] == [("x", "removed", -60)]


def test_instructions_in_another_order_are_noticed(kernbench):
    a, b = program(10, 90, 90, 90, 90, names="abcd"), program(10, 90, 90, 90, 90, names="abcd")
    rows = b["functions"][0]["blocks"][0]["instructions"]
    rows.insert(1, rows.pop(4))
    rows[1]["dependencies"] = ["ld"]
    (block,) = diff_json(kernbench, save("a.json", a), save("b.json", b))["blocks"]
    assert block["reordered"] == ["d"]
    assert (block["equal"], block["difference_ns"], block["only_in_a"], block["only_in_b"]) == (False, 0, [], [])


def test_blocks_of_one_side_only_are_part_of_the_difference(kernbench):
    a, b = program(100), program(100)
    extra = {"name": "bb1", "instructions": [{"name": "x", "opcode": "NoOp", "engine": "PE", "cost": 70}]}
    b["functions"][0]["blocks"].append(extra)
    found = diff_json(kernbench, save("a.json", a), save("b.json", b))
    assert (found["equal"], found["difference_ns"]) == (False, 70)
    assert [block["equal"] for block in found["blocks"]] == [True]
    assert found["blocks_only_in_b"] == [{"function": "main", "block": "bb1", "makespan_ns": 70}]
    assert "block main/bb1 is only in B: +70 ns" in kernbench("diff", "a.json", "b.json")[1]


# --- exactness ------------------------------------------------------------------------------------------------------


def variants(seed: int) -> list[Side]:
    """A random program as it is, with other costs and rules, and with some instructions left out."""
    rng = random.Random(seed)
    document = random_program(rng, instructions=rng.randint(1, 45))
    shorter = copy.deepcopy(document)
    for function in shorter["functions"]:
        for block in function["blocks"]:
            kept = [row for row in block["instructions"] if rng.random() < 0.8]
            names = {name for row in kept for name in _names_in(row)}
            for row in kept:
                _keep_edges(row, names)
            block["instructions"] = kept
    return [
        side_of(document),
        side_of(document, anti=False),
        side_of(document, changes=[CostChange("engine", "PE", factor=Fraction(1, 3))]),
        side_of(document, changes=[CostChange("engine", "DMA", factor=Fraction(3))]),
        side_of(document, psum_banks=False, barriers=False, dma_overlap_ns=0),
        side_of(shorter),
    ]


def _names_in(row: dict) -> list[str]:
    inner = [row["transfer"]] if "transfer" in row else row.get("body", [])
    return [row["name"], *(name for part in inner for name in _names_in(part))]


def _keep_edges(row: dict, names: set[str]) -> None:
    edges = row.get("dependencies", [])
    row["dependencies"] = [e for e in edges if (e if isinstance(e, str) else e[0]) in names]
    for part in [row["transfer"]] if "transfer" in row else row.get("body", []):
        _keep_edges(part, names)


def test_contributions_sum_to_the_difference_and_starts_to_their_changes():
    compared = 0
    for seed in range(60):
        sides = variants(70_000 + seed)
        for a in sides[:2]:
            for b in sides:
                for one, other in zip(a.blocks, b.blocks, strict=True):
                    alignment = align(one, other)
                    pieces = contributions(alignment)
                    assert all(piece.ticks for piece in pieces)
                    assert sum(p.ticks for p in pieces) == other.schedule.makespan - one.schedule.makespan
                    for event, partner in enumerate(alignment.in_a):
                        if partner >= 0:
                            why = start_change(alignment, event)
                            moved = other.schedule.start[event] - one.schedule.start[partner]
                            assert why.inherited + why.own == moved
                    compared += bool(pieces)
    assert compared > 300


def test_a_result_equals_itself_and_has_no_contributions():
    for seed in range(20):
        side = variants(71_000 + seed)[0]
        report = diff_of(side, side)
        assert report.equal
        assert all(not block.contributions and not block.changed for block in report.blocks)


def test_the_other_way_round_the_difference_has_the_other_sign():
    for seed in range(20):
        a, *others = variants(72_000 + seed)
        for b in others:
            there, back = diff_of(a, b), diff_of(b, a)
            assert there.difference_ns == -back.difference_ns
            for one, other in zip(there.blocks, back.blocks, strict=True):
                if one.difference_ns:
                    assert {c: -ns for c, ns in one.by_cause_ns.items() if c not in ("added", "removed")} == {
                        c: ns for c, ns in other.by_cause_ns.items() if c not in ("added", "removed")
                    }


# --- where sides come from ------------------------------------------------------------------------------------------


def test_a_written_result_compares_as_the_estimate_it_was_written_from(kernbench):
    for seed in range(25):
        rng = random.Random(73_000 + seed)
        save("p.json", random_program(rng, instructions=40))
        assert kernbench("perfsim", "p.json", "--events", "--json", "r.json")[0] == 0
        found = diff_json(kernbench, "r.json", "p.json")
        assert (found["equal"], found["difference_ns"]) == (True, 0)
        assert (found["a"]["what"], found["b"]["what"]) == ("kernbench.perfsim/1", "estimate")
        save("q.json", random_program(random.Random(73_000 + seed), instructions=40, arch="core_v4"))
        written = diff_of(*(read_side(f, timing="hwm", arch=None) for f in ("r.json", "q.json")))
        direct = diff_of(*(read_side(f, timing="hwm", arch=None) for f in ("p.json", "q.json")))
        assert written.blocks == direct.blocks


def test_a_machines_result_with_fractions_compares_with_perfsims(kernbench):
    event = {"name": "ld", "lane": 4, "start": 0, "duration": 1000, "next_dispatch": 1000}
    event["bound_by"] = {"cause": "none", "on": None}
    after = {"name": "mm", "lane": 3, "start": 1000.25, "duration": 90, "next_dispatch": 1090.25}
    after["bound_by"] = {"cause": "hbm", "on": "controller 2"}
    block = {"function": "main", "block": "bb0", "events": [event, after]}
    save("m.json", {"schema": "kernbench.run/1", "program": "p", "arch": "gen3", "timing": "hwm", "blocks": [block]})
    found = diff_json(kernbench, save("p.json", program(1000, 90, names=["mm"])), "m.json")
    assert found["difference_ns"] == 0.25
    assert found["blocks"][0]["contributions"] == [
        {"instruction": "mm", "change": "waits", "cause": "hbm", "on": "controller 2", "ns": 0.25}
    ]


def test_programs_are_estimated_where_and_as_asked(kernbench):
    save("p.json", {**program(10), "arch": "gen3"})
    found = diff_json(kernbench, "p.json", "p.json", "--arch", "trn3", "--timing", "public")
    assert [(s["arch"], s["timing"], s["what"]) for s in (found["a"], found["b"])] == [
        ("core_v4", "public", "estimate")
    ] * 2


def test_three_real_kernels_differ_by_what_is_said(kernbench, shared: Path):
    kernels = [shared / "data" / "trn2-profiles" / f"{k}_s512.json.gz" for k in ("baseline_fp32", "fused_fp32")]
    found = diff_json(kernbench, *map(str, kernels))
    (block,) = found["blocks"]
    assert found["difference_ns"] == 15544 - 33292
    assert sum(p["ns"] for p in block["contributions"]) == found["difference_ns"]
    assert sum(block["by_cause_ns"].values()) == found["difference_ns"]


# --- exit codes and messages ----------------------------------------------------------------------------------------


def test_a_difference_is_no_failure_unless_it_is_asked_to_be(kernbench):
    a, b = save("a.json", program(1000)), save("b.json", program(1001))
    assert kernbench("diff", a, b)[0] == 0
    assert kernbench("diff", a, b, "--strict")[0] == 1
    assert kernbench("diff", a, a, "--strict")[0] == 0


def test_the_text_names_the_largest_contributions_and_what_moved(kernbench):
    code, out, err = kernbench("diff", save("a.json", program(1000, 90, 80)), save("b.json", program(1500, 90, 80)))
    assert (code, err) == (0, "")
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[:4] == [
        "A: a.json (estimate, gen3, hwm): p, 1170 ns",
        "B: b.json (estimate, gen3, hwm): p, 1670 ns",
        "B less A: +500 ns (+42.7%)",
        "makespan 1170 -> 1670 ns: +500 ns",
    ]
    assert "by cause: execution +500 ns" in lines
    assert "+500  ld           longer until the next one can go" in lines
    assert any(line.startswith("3 instructions changed: 1 of themselves, 0 only in what bound them") for line in lines)


def test_equal_results_say_so(kernbench):
    a = save("a.json", program(1000, 90))
    assert kernbench("diff", a, a)[1].splitlines()[-1] == "equal: every instruction, its times and what bound it"


@pytest.fixture
def result(kernbench) -> dict:
    """A written result with two events."""
    save("p.json", program(1000, 90))
    kernbench("perfsim", "p.json", "--events", "--json", "r.json")
    found: dict = json.loads(Path("r.json").read_text())
    return found


def assert_refused(kernbench, bad: object, *messages: str) -> None:
    save("bad.json", bad)
    assert kernbench("diff", "p.json", "bad.json") == (2, "", "".join(f"{message}\n" for message in messages))


def test_a_result_without_events_says_how_to_get_them(kernbench, result):
    kernbench("perfsim", "p.json", "--json", "bare.json")
    message = "block main/bb0: no events in it (make it with kernbench perfsim --events --json)"
    assert kernbench("diff", "bare.json", "p.json") == (2, "", f"bare.json: {message}\n")


def test_another_schema_is_refused(kernbench, result):
    allowed = "(allowed: kernbench.perfsim/1, kernbench.run/1, or a program)"
    assert_refused(
        kernbench,
        {**result, "schema": "kernbench.whatif/1"},
        f"bad.json: kernbench.whatif/1 has no events to compare {allowed}",
    )


def test_what_is_no_json_is_refused_with_its_place(kernbench, result):
    Path("bad.json").write_text('{"schema": "kernbench.perfsim/1", ')
    code, out, err = kernbench("diff", "bad.json", "p.json")
    assert (code, out) == (2, "")
    assert err.startswith("bad.json:1:")


def test_every_bad_side_is_named(kernbench, result):
    code, out, err = kernbench("diff", "no.json", "neither.json")
    assert (code, out) == (2, "")
    assert err == "no.json: cannot be read: No such file or directory\n" + (
        "neither.json: cannot be read: No such file or directory\n"
    )


def test_wrong_fields_are_refused_with_their_place(kernbench, result):
    events = result["blocks"][0]["events"]
    events[1]["start"] = "soon"
    assert_refused(kernbench, result, "bad.json: $.blocks[0].events[1].start: Invalid decimal string")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": -1}, "a time that is no whole number of picoseconds from 0 to 4611686018427387 ns"),
        ({"start": 0.0001}, "a time that is no whole number of picoseconds from 0 to 4611686018427387 ns"),
        ({"duration": 10**18}, "a time that is no whole number of picoseconds from 0 to 4611686018427387 ns"),
        ({"next_dispatch": 5000}, "next_dispatch 5000 lies outside of its start and end"),
        ({"lane": 12}, "no lane 12 (allowed: 0 to 11)"),
        ({"bound_by": {"cause": "engine", "on": "a"}}, 'waits for "a", which does not come before it'),
    ],
)
def test_impossible_events_are_refused(kernbench, result, change, message):
    result["blocks"][0]["events"][1].update(change)
    assert_refused(kernbench, result, f'bad.json: block main/bb0: event "a": {message}')


def test_two_events_of_one_name_are_refused(kernbench, result):
    events = result["blocks"][0]["events"]
    events[1]["name"] = "ld"
    events[1]["bound_by"] = {"cause": "none", "on": None}
    assert_refused(kernbench, result, 'bad.json: block main/bb0: two events are named "ld"')


def test_an_estimate_that_lasts_too_long_to_compare_is_refused(kernbench):
    rows = [{"name": f"i{k}", "opcode": "Matmult", "engine": "PE", "cost": 10**12} for k in range(4700)]
    code, out, err = kernbench("diff", save("a.json", block_of(*rows)), "a.json")
    assert (code, out) == (2, "")
    assert err.startswith("a.json: block main/bb0: ends at 4699")
    assert err.endswith("(allowed in a comparison: 4611686018427387 ns)\n")


def test_a_compressed_result_is_read(kernbench, result):
    Path("r.json.gz").write_bytes(gzip.compress(Path("r.json").read_bytes()))
    assert diff_json(kernbench, "r.json.gz", "p.json")["equal"]
    Path("cut.json.gz").write_bytes(gzip.compress(Path("r.json").read_bytes())[:-9])
    code, out, err = kernbench("diff", "cut.json.gz", "p.json")
    assert (code, out) == (2, "")
    assert err.startswith("cut.json.gz: damaged gzip data: ")


def test_a_collective_that_was_ready_early_hands_the_walk_to_its_producer(kernbench):
    def document(load: int) -> dict:
        return block_of(
            {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": load},
            {"name": "busy", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 3000, "stream_id": 0},
            {"name": "c0", "opcode": "CollectiveCompute", "engine": "Pool", "cost": 30, "dependencies": ["ld"]},
            {
                "name": "c1",
                "opcode": "CollectiveCompute",
                "engine": "Pool",
                "cost": 9000,
                "stream_id": 1,
                "dependencies": [["c0", "Ordered"]],
            },
            arch="core_v4",
        )

    for name, load in (("a", 1000), ("b", 1700)):
        save(f"{name}.json", document(load))
        kernbench("perfsim", f"{name}.json", "--events", "--json", f"{name}.result.json")
    (block,) = diff_json(kernbench, "a.result.json", "b.result.json")["blocks"]
    assert block["difference_ns"] == 700
    assert [(p["instruction"], p["change"], p["ns"]) for p in block["contributions"]] == [("ld", "runs", 700)]
    c1 = block["changed"][-1]
    assert (c1["name"], c1["on"], c1["inherited_ns"], c1["own_ns"]) == ("c1", "c0", 700, 0)


# --- runs of several devices, and on platforms ------------------------------------------------------------------------

LOAD = {
    "name": "ld",
    "opcode": "Load",
    "engine": "DMA",
    "ins": [{"space": "DRAM", "partitions": 128, "elements": 512, "dtype": "float32", "tensor": "A"}],
    "outs": [{"space": "SB", "partitions": 128, "elements": 512, "dtype": "float32", "addr": 0}],
}


def run_json(kernbench, file: str, *arguments: str) -> str:
    code, _, err = kernbench("run", save("load.json", block_of(LOAD)), "--events", "--json", file, *arguments)
    assert code == 0, err
    return file


def on_fabric(kernbench, file: str, device: str) -> str:
    return run_json(kernbench, file, "--memory", "fabric", "--topology", "trn2", "--device", device)


def test_one_of_several_devices_is_compared_by_name_and_both_sides_say_what_they_ran_on(kernbench):
    alone, both = on_fabric(kernbench, "alone.json", "nc0"), on_fabric(kernbench, "both.json", "nc0,nc1")
    found = diff_json(kernbench, alone, both, "--device", "nc1")
    several = json.loads(Path(both).read_text())
    assert found["a"]["place"] == "nc0 of trn2" and found["b"]["place"] == "nc1 of trn2"
    assert found["b"]["memory"] == "fabric"
    assert found["b"]["makespan_ns"] == several["devices"][1]["makespan_ns"] > found["a"]["makespan_ns"]
    code, out, _ = kernbench("diff", alone, both, "--device", "nc1")
    assert code == 0 and "hwm, fabric memory, nc1 of trn2): " in out


def test_a_run_of_several_devices_asks_which_one(kernbench):
    both = on_fabric(kernbench, "both.json", "nc0,nc1")
    asked = "both.json: the result of 2 devices (say with --device which one to compare)\n"
    assert kernbench("diff", both, both) == (2, "", asked)
    code, _, err = kernbench("diff", both, both, "--device", "nc2")
    assert code == 2 and err.startswith('both.json: --device: no device "nc2" in it (allowed: nc0, nc1')
    ideal = run_json(kernbench, "ideal.json")
    code, _, err = kernbench("diff", ideal, ideal, "--device", "nc0")
    assert (code, err) == (2, '--device: neither result is of several devices, one of them "nc0"\n')


def test_a_run_on_a_platform_is_refused_in_words(kernbench):
    ideal = run_json(kernbench, "ideal.json")
    shipped = Path(__file__).parents[2] / "benches/kernels/fused_attention_fp32_s512.yaml"
    assert kernbench("run", shipped, "--timing", "platform:trn2", "--phase-ns", "0", "--json", "p.json")[0] == 0
    code, _, err = kernbench("diff", ideal, "p.json")
    assert code == 2 and err.startswith("p.json: a run on a platform (kernbench.device-run/1) has no events to compare")
