"""``kernbench oracle show`` and ``cost``: what people read, what programs read, and what is refused."""

from __future__ import annotations

import json
import sys

import pytest

from benches.cli.commands import Command
from benches.cli.main import run
from simcore.oracle import TIMINGS
from simcore.program.opcodes import Opcode

ROW = (Command("oracle", "benches.cli.oracle", "Costs."),)
PROGRAM = """\
schema: kernbench.stream/1
name: tiny
arch: gen3
functions:
- name: main
  blocks:
  - name: bb0
    instructions:
    - {name: ld, opcode: Load, engine: DMA, dge_type: hwdge,
       outs: [{space: SB, partitions: 128, elements: 512, dtype: bfloat16, addr: 0}]}
    - {name: mm, opcode: Matmult, engine: PE, dependencies: [ld],
       ins:  [{space: SB, partitions: 128, elements: 512, dtype: bfloat16, addr: 0}],
       outs: [{space: PSUM, partitions: 128, elements: 512, dtype: float32, bank: 0}]}
    - {name: given, opcode: Activation, engine: Activation, cost: 77}
    - {name: stop, opcode: Halt, engine: SP}
  - name: empty
"""


@pytest.fixture
def kernbench(monkeypatch, capfd):
    """Runs a command line and gives (exit code, standard output, standard error)."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", "120")
        monkeypatch.setattr(sys, "argv", ["kernbench", "oracle", *arguments])
        with pytest.raises(SystemExit) as left:
            run(ROW)
        out, err = capfd.readouterr()
        return left.value.code, out, err

    return call


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(PROGRAM)
    return str(path)


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_show_lists_every_opcode_with_its_formula_or_the_reason_for_none(kernbench):
    code, out, err = kernbench("show", "--arch", "gen3")
    assert (code, err) == (0, "")
    first_words = {r[0] for r in rows(out) if r}
    assert {o.name for o in Opcode} <= first_words
    assert ["Matmult", "(K>>1", "+", "200)*100/120", "documented"] in [r[:5] for r in rows(out)]
    assert ["Memset", "(NEP", "+", "50)*100/96", "documented"] in [r[:5] for r in rows(out)]
    assert "f, in 10 MHz: Pool 120, Activation 120, PE 120, DVE 96" in out
    assert "DGE, in ns: none 0, swdge 583, hwdge 416" in out


def test_show_says_which_engine_clocks_and_generators_another_generation_has(kernbench):
    _, out, _ = kernbench("show", "--arch", "trn1", "--timing", "public")
    assert "Trainium (sunda), timing public" in out
    assert "Pool 140, Activation 140, PE 280, DVE 112" in out
    assert "DGE, in ns: none 0, swdge 0." in out


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize("arch", ["sunda", "gen3", "core_v4"])
def test_the_table_as_json_covers_all_opcodes_and_says_where_numbers_come_from(kernbench, arch, timing):
    code, out, _ = kernbench("show", "--arch", arch, "--timing", timing, "--json", "-")
    table = json.loads(out)
    assert (code, table["schema"], table["arch"], table["timing"]) == (0, "kernbench.oracle/1", arch, timing)
    opcodes = {r["opcode"] for r in table["rules"]} | {n["opcode"] for n in table["not_costed"]}
    assert opcodes == {o.name for o in Opcode}
    assert all(r["formula"] and r["source"] and r["provenance"] for r in table["rules"])
    assert all(n["reason"] for n in table["not_costed"])


def test_a_row_of_the_json_table_holds_the_constants_of_its_formula(kernbench):
    table = json.loads(kernbench("show", "--arch", "gen3", "--json", "-")[1])
    row = next(r for r in table["rules"] if r["opcode"] == "BNStatsAggregate")
    assert (row["form"], row["base"], row["mult"], row["minimum"]) == ("helper", 50, "13/3", 0)
    assert (row["formula"], row["condition"], row["provenance"]) == ("50*100/f + 13/3*NEP*100/f", "", "assumed")
    assert table["clocks_10mhz"] == {"Pool": 120, "Activation": 120, "PE": 120, "DVE": 96}
    assert (table["dma_engine_gbs"], table["dge_ns"]) == (23, {"none": 0, "swdge": 583, "hwdge": 416})


def test_options_show_in_the_formulas(kernbench):
    table = json.loads(kernbench("show", "--arch", "gen3", "--dge-clock", "100", "--dram-path", "--json", "-")[1])
    assert table["dge_ns"] == {"none": 0, "swdge": 700, "hwdge": 500}
    row = [r for r in table["rules"] if r["opcode"] == "DMACopy"][-1]
    assert (
        row["formula"]
        == "1300 + DGE(swdge 700, hwdge 500) + ceil(P/16)*dt*NEP/23; the access lies in DRAM: dt*NEP*P/368"
    )


def test_cost_prints_the_phases_of_every_instruction_and_the_sums(kernbench, program):
    code, out, err = kernbench("cost", program)
    assert (code, err) == (0, "")
    table = rows(out)
    assert ["ld", "Load", "DMA", "1716", "356", "0", "2072", "assumed"] in [r[:8] for r in table]
    assert ["mm", "Matmult", "PE", "166", "214", "0", "380", "documented", "0"] in table
    assert ["given", "Activation", "Activation", "0", "77", "0", "77", "given"] in table
    assert ["stop", "Halt", "SP", "0", "0", "0", "0", "not_costed"] in table
    assert table[-6:-2] == [
        ["documented", "1", "380"],
        ["assumed", "1", "2072"],
        ["given", "1", "77"],
        ["not_costed", "1", "0"],
    ]
    assert table[-1] == ["Not", "costed:", "Halt", "1"]
    assert "main/empty: 0 instructions" in out


def test_cost_as_json(kernbench, program):
    result = json.loads(kernbench("cost", program, "--json", "-")[1])
    assert {k: result[k] for k in ("schema", "program", "arch", "oracle", "timing", "not_costed")} == {
        "schema": "kernbench.oracle-cost/1",
        "program": "tiny",
        "arch": "gen3",
        "oracle": "Gen3",
        "timing": "hwm",
        "not_costed": {"Halt": 1},
    }
    blocks = result["blocks"]
    assert [(b["function"], b["block"], len(b["instructions"])) for b in blocks] == [
        ("main", "bb0", 4),
        ("main", "empty", 0),
    ]
    assert blocks[0]["instructions"][1] == {
        "name": "mm",
        "opcode": "Matmult",
        "engine": "PE",
        "read_init_ns": 166,
        "exec_ns": 214,
        "write_drain_ns": 0,
        "total_ns": 380,
        "provenance": "documented",
        "rule": 0,
    }
    assert blocks[0]["instructions"][2]["rule"] is None
    rules = {r["rule"]: r for r in result["rules"]}
    assert rules[0]["formula"] == "(K>>1 + 200)*100/120"
    assert rules[blocks[0]["instructions"][0]["rule"]]["source"] == "taken as DMACopy"
    assert result["provenance"]["assumed"] == {"instructions": 1, "total_ns": 2072}
    assert result["provenance"]["fitted"] == {"instructions": 0, "total_ns": 0}


def test_cost_on_another_generation_and_by_the_public_cycles(kernbench, program):
    result = json.loads(kernbench("cost", program, "--arch", "trn3", "--timing", "public", "--json", "-")[1])
    assert (result["arch"], result["oracle"]) == ("core_v4", "CoreV4")
    assert [i["total_ns"] for i in result["blocks"][0]["instructions"]] == [1900 + 131072 // 528, 213, 77, 0]


def test_cost_lists_as_many_instructions_as_asked_and_says_how_many_more(kernbench, program):
    out = kernbench("cost", program, "--limit", "1")[1]
    assert "ld " in out
    assert "mm " not in out
    assert "... and 3 more (--limit 0 lists all)" in out
    assert "more" not in kernbench("cost", program, "--limit", "0")[1]


def test_names_longer_than_the_terminal_are_folded_not_cut(kernbench, program, tmp_path, monkeypatch):
    long_name = "x" * 150
    path = tmp_path / "long.yaml"
    path.write_text(PROGRAM.replace("name: mm", f"name: {long_name}"))
    out = kernbench("cost", str(path))[1]
    assert max(map(len, out.splitlines())) <= 120
    assert out.count("x") >= 150


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["show", "--arch", "inferentia"],
            "--arch: inferentia has no latency oracle (allowed: sunda, gen3, core_v4)\n",
        ),
        (
            ["show", "--arch", "gen3", "--timing", "hmw"],
            '--timing: unknown timing "hmw" (allowed: hwm, public, learned:DIR; '
            'run and validate also take platform:NAME; did you mean "hwm"?)\n',
        ),
        (["cost", "no/such.yaml"], "no/such.yaml: cannot be read: No such file or directory\n"),
    ],
)
def test_what_is_refused_is_said_on_standard_error_with_exit_code_2(kernbench, arguments, message):
    assert kernbench(*arguments) == (2, "", message)


def test_a_program_that_the_generation_cannot_run_names_its_instruction_and_writes_nothing(
    kernbench, program, tmp_path
):
    target = tmp_path / "out.json"
    code, out, err = kernbench("cost", program, "--arch", "sunda", "--json", str(target))
    assert (code, out) == (2, "")
    assert err.startswith(f"{program}: instruction ld: dge_type hwdge: sunda")
    assert not target.exists()


def test_json_into_a_file_leaves_standard_output_empty(kernbench, program, tmp_path):
    target = tmp_path / "out.json"
    assert kernbench("cost", program, "--json", str(target)) == (0, "", "")
    assert target.read_text() == kernbench("cost", program, "--json", "-")[1]
