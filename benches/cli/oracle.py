"""``kernbench oracle``: the cost table of a generation, and the phases of each instruction of a program."""

from __future__ import annotations

import typer

from benches.cli.oracle_records import oracle_table, program_costs
from benches.cli.oracle_text import print_costs, print_table
from benches.cli.output import emit_json
from simcore.oracle import TIMINGS, OracleOptions
from simcore.program.read import load_program

app = typer.Typer(help="Show the cost table, or the phases of each instruction's cost.", no_args_is_help=True)

_TIMING = typer.Option("hwm", help=f"Whose numbers: {' or '.join(TIMINGS)}.")
_COST_TIMING = typer.Option("hwm", help=f"Whose numbers: {', '.join(TIMINGS)} or learned:DIR.")
_JSON = typer.Option(None, "--json", metavar="PATH", help="Write JSON to PATH, or to standard output with -.")
_DRAM_PATH = typer.Option(False, help="Flat DMA formula for accesses in DRAM, instead of for elements of 1 byte.")
_DGE_CLOCK = typer.Option(120, min=1, help="Clock of descriptor generation where none is stated, in 10 MHz.")


@app.command()
def show(
    arch: str = typer.Option(..., help="Generation: sunda, gen3, core_v4, or trn1, trn2, trn3."),
    timing: str = _TIMING,
    json: str | None = _JSON,
    dram_path: bool = _DRAM_PATH,
    dge_clock: int = _DGE_CLOCK,
) -> None:
    """The cost table: opcode, condition, formula, provenance and source of every entry, and what has none."""
    table = oracle_table(arch, timing, OracleOptions(dram_path=dram_path, dge_clock=dge_clock))
    if json is not None:
        emit_json(table, json)
    else:
        print_table(table)


@app.command()
def cost(
    program: str = typer.Argument(..., help="A program file."),
    arch: str | None = typer.Option(None, help="Another generation than the program's."),
    timing: str = _COST_TIMING,
    json: str | None = _JSON,
    limit: int = typer.Option(200, min=0, help="Instructions to list per block, 0 for all (JSON always has all)."),
    dram_path: bool = _DRAM_PATH,
    dge_clock: int = _DGE_CLOCK,
) -> None:
    """The three phases of every instruction's cost, where the number comes from, and a summary by provenance."""
    loaded = load_program(program)
    options = OracleOptions(dram_path=dram_path, dge_clock=dge_clock)
    costs = program_costs(loaded, loaded.arch if arch is None else arch, timing, options)
    if json is not None:
        emit_json(costs, json)
    else:
        print_costs(costs, limit)
