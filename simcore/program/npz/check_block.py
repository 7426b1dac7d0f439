"""The rules of a block's columns: ranges, triggers and transfers, edges, words and names."""

from __future__ import annotations

import numpy as np

from simcore.program.column_ranges import column_ranges
from simcore.program.columnise_fields import WORD_FIELDS
from simcore.program.columnise_flat import misplaced_transfers
from simcore.program.columns import Columns
from simcore.program.generations import Generation
from simcore.program.npz.check_loops import check_loops
from simcore.program.npz.check_operands import check_operands
from simcore.program.npz.kernels import SMALL, compiled, edge_faults
from simcore.program.npz.name_text import NameText
from simcore.program.npz.report import Report
from simcore.program.vocabulary import DgeType


def check_block(columns: Columns, generation: Generation, report: Report) -> None:
    """Adds everything that is wrong with the columns of ``report.block``."""
    before = len(report.problems)
    _check_ranges(columns, generation, report)
    _check_counts(columns, report)
    names = NameText(columns.names, len(columns))
    for fault in names.faults():
        report.add("names", fault)
    if len(report.problems) > before:
        return  # the checks below use these numbers as indices
    wrong = misplaced_transfers(columns.opcode, columns.flags)
    report.add_at("opcode", wrong, "a trigger without transfer, a transfer without trigger, or a loop")
    _check_edges(columns, report)
    check_operands(columns, generation, report)
    check_loops(columns, names, generation, report)


def _check_ranges(columns: Columns, generation: Generation, report: Report) -> None:
    ranges = column_ranges(generation)
    ranges |= {key: (0, len(columns.words) - 1) for key in WORD_FIELDS}
    for name, (low, high) in ranges.items():
        array = getattr(columns, name)
        if len(array) and (array.max() > high or ((low != 0 or array.dtype.kind == "i") and array.min() < low)):
            wrong = np.flatnonzero((array < low) | (array > high))
            report.add_at(name, wrong, f"{int(array[wrong[0]])} is out of range (allowed: {low} to {high})")
    if not generation.has_hwdge:
        wrong = np.flatnonzero(columns.dge_type == DgeType.hwdge)
        report.add_at("dge_type", wrong, f"hwdge does not exist on {generation.name}")


def _check_counts(columns: Columns, report: Report) -> None:
    for name, total in (("dep_count", len(columns.dep_on)), ("op_count", len(columns.op_space))):
        counted = int(getattr(columns, name).sum(dtype=np.int64))
        if counted != total:
            report.add(name, f"the counts sum to {counted}, but there are {total}")


def _check_edges(columns: Columns, report: Report) -> None:
    n = len(columns)
    if n + len(columns.dep_on) <= SMALL:
        faults = edge_faults(columns.dep_count.tolist(), columns.dep_on.tolist(), [-1] * n)
    else:
        faults = compiled(edge_faults)(columns.dep_count, columns.dep_on, np.full(n, -1, np.int32))
    forward, first_forward, repeated, first_repeated = faults
    report.add_first("dep_on", forward, first_forward, "depends on itself, on a later event or on none")
    report.add_first("dep_on", repeated, first_repeated, "has two edges from one event")
