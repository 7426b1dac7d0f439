"""The result of ``kernbench crosscheck``: the fields of ``kernbench.crosscheck/1``, and the same for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from benches.crosscheck.check import BlockCheck, CrosscheckResult
from benches.crosscheck.compare import Bound, Difference, Value
from benches.exact_ns import Ns

if TYPE_CHECKING:
    from rich.console import Console

SCHEMA = "kernbench.crosscheck/1"


class BoundRecord(msgspec.Struct, frozen=True):
    """What one model says the start was bound by."""

    cause: str
    on: str | None


class BothBounds(msgspec.Struct, frozen=True):
    """The rule that each model applied."""

    perfsim: BoundRecord
    machine: BoundRecord


class DifferenceRecord(msgspec.Struct, frozen=True):
    """The first difference of a block; see :class:`benches.crosscheck.compare.Difference`. Times are in ns."""

    name: str
    field: str
    perfsim: Value
    machine: Value
    run: str
    bound_by: BothBounds
    differing_instructions: int


class BlockRecord(msgspec.Struct, frozen=True):
    """One block of one file; see :class:`benches.crosscheck.check.BlockCheck`."""

    program: str
    file: str
    function: str
    block: str
    instructions: int
    equal: bool
    critical_path_ns: int
    critical_path_no_anti_ns: int
    makespan_ns: int
    machine_critical_path_ns: Ns
    machine_makespan_ns: Ns
    first_difference: DifferenceRecord | None


class CrosscheckReport(msgspec.Struct, frozen=True):
    """All blocks of all files, in the order given."""

    schema: str
    equal: bool
    results: list[BlockRecord]


def report_of(results: Sequence[tuple[str, CrosscheckResult]]) -> CrosscheckReport:
    """The report of ``(file, result)`` pairs."""
    return CrosscheckReport(
        SCHEMA,
        all(result.equal for _, result in results),
        [_block(file, block) for file, result in results for block in result.blocks],
    )


def print_report(results: Sequence[tuple[str, CrosscheckResult]], console: Console) -> None:
    """A line per block, then every difference in words."""
    from benches.plain_table import PlainTable

    table = PlainTable()
    for heading in ("program", "block", ">instructions", ">critical path ns", ">no anti-dependencies ns", "models"):
        justify = "right" if heading.startswith(">") else "left"
        table.add_column(heading.lstrip(">"), justify=justify, overflow="fold")  # type: ignore[arg-type]
    for _, result in results:
        for b in result.blocks:
            figures = (b.instructions, b.critical_path_ns, b.critical_path_no_anti_ns)
            verdict = "equal" if b.equal else "DIFFERENT"
            table.add_row(b.program, f"{b.function}/{b.block}", *map(str, figures), verdict)
    console.print(table)
    for file, result in results:
        if not result.blocks:
            console.print(f"{file}: no blocks, so nothing to compare", soft_wrap=True)
        for b in result.blocks:
            if b.first_difference is not None:
                console.print(f"{file}: {b.function}/{b.block}: {b.first_difference}", soft_wrap=True)


def _block(file: str, check: BlockCheck) -> BlockRecord:
    return BlockRecord(
        program=check.program,
        file=file,
        function=check.function,
        block=check.block,
        instructions=check.instructions,
        equal=check.equal,
        critical_path_ns=check.critical_path_ns,
        critical_path_no_anti_ns=check.critical_path_no_anti_ns,
        makespan_ns=check.makespan_ns,
        machine_critical_path_ns=check.machine_critical_path_ns,
        machine_makespan_ns=check.machine_makespan_ns,
        first_difference=None if check.first_difference is None else _difference(check.first_difference),
    )


def _difference(difference: Difference) -> DifferenceRecord:
    return DifferenceRecord(
        name=difference.name,
        field=difference.field,
        perfsim=difference.perfsim,
        machine=difference.machine,
        run=difference.run,
        bound_by=BothBounds(_bound(difference.perfsim_bound), _bound(difference.machine_bound)),
        differing_instructions=difference.differing,
    )


def _bound(bound: Bound) -> BoundRecord:
    return BoundRecord(bound.cause, bound.on)
