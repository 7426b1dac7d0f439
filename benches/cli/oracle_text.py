"""The oracle's answers as tables for people."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from benches.cli.oracle_records import OracleCost, OracleTable
from benches.cli.output import console
from benches.schedule_report.text import table_of


def print_table(table: OracleTable) -> None:
    """Prints the whole table."""
    typer.echo(f"{table.oracle} ({table.arch}), timing {table.timing}. Nanoseconds; every term is rounded down.")
    typer.echo(
        f"f, in 10 MHz: {_pairs(table.clocks_10mhz.items())}. NEP: most elements per partition of an access."
        f" K: free elements of the moving operand. P, dt: partitions and element bytes of a transfer."
        f" DGE, in ns: {_pairs(table.dge_ns.items())}.\n"
    )
    _print_rows(
        ("opcode", "condition", "formula", "provenance", "source"),
        ((r.opcode, r.condition, r.formula, r.provenance, r.source) for r in table.rules),
    )
    typer.echo("\nWithout an entry (cost 0, listed in every report):\n")
    _print_rows(("opcode", "reason"), ((n.opcode, n.reason) for n in table.not_costed))


def print_costs(costs: OracleCost, limit: int) -> None:
    """Prints the instructions (at most ``limit`` per block, 0 for all), the rules behind them, and the sums."""
    oracle = "no oracle" if costs.oracle is None else costs.oracle
    typer.echo(f"{costs.program}: {oracle} ({costs.arch}), timing {costs.timing}, nanoseconds")
    for block in costs.blocks:
        shown = block.instructions[: limit or None]
        typer.echo(f"\n{block.function}/{block.block}: {len(block.instructions)} instructions\n")
        if shown:
            _print_rows(
                ("instruction", "opcode", "engine", "read", "exec", "drain", "total", "provenance", "rule"),
                (
                    (
                        i.name,
                        i.opcode,
                        i.engine,
                        *map(str, (i.read_init_ns, i.exec_ns, i.write_drain_ns, i.total_ns)),
                        i.provenance,
                        "" if i.rule is None else str(i.rule),
                    )
                    for i in shown
                ),
                right=("read", "exec", "drain", "total", "rule"),
            )
        if len(shown) < len(block.instructions):
            typer.echo(f"... and {len(block.instructions) - len(shown)} more (--limit 0 lists all)")
    if costs.rules:
        typer.echo("\nRules (f: the engine's clock in 10 MHz, see kernbench oracle show):\n")
        _print_rows(
            ("rule", "condition", "formula", "provenance", "source"),
            ((str(r.rule), r.condition, r.formula, r.provenance, r.source) for r in costs.rules),
            right=("rule",),
        )
    typer.echo("\nBy provenance:\n")
    _print_rows(
        ("provenance", "instructions", "ns"),
        ((p, str(s.instructions), str(s.total_ns)) for p, s in costs.provenance.items() if s.instructions),
        right=("instructions", "ns"),
    )
    if costs.not_costed:
        typer.echo(f"\nNot costed: {_pairs(costs.not_costed.items())}")


def _pairs(items: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {number}" for name, number in items)


def _print_rows(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, right: tuple[str, ...] = ()) -> None:
    """A table as wide as the terminal; opcodes and provenances are never broken."""
    table = table_of(*(f">{head}" if head in right else head for head in heads))
    for column in table.columns:
        column.no_wrap = column.header in ("opcode", "provenance")
    for row in rows:
        table.add_row(*row)
    console().print(table)
