"""Where a program's learned costs differ from the cost table's: a section of reports, and a log of every difference."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Protocol

import msgspec
import numpy as np
from rich.console import Console

from benches.schedule_report.text import table_of
from simcore.oracle import Costs
from simcore.oracle.learned.predict import GIVEN, LearnedCosts
from simcore.oracle.timing_names import BASE_TIMING
from simcore.program.columns import Columns
from simcore.program.opcodes import Opcode
from simcore.timing.confidence import Level

LARGEST = 10
"""Differences that a report shows one by one."""

_LEVELS = {**{int(level): level.name for level in Level}, GIVEN: "given"}


class CostedBlock(Protocol):
    """A block with its costs, in an estimate or on the machine."""

    @property
    def columns(self) -> Columns:
        """Its instructions."""

    @property
    def costs(self) -> Costs:
        """What each of them costs."""


class OpcodeDifference(msgspec.Struct):
    """One opcode's costs by its law (``has_law``) or, without one, by the table.

    ``median_ratio`` is learned over analytic, over the instructions that the table gives a cost; None if there is none.
    """

    opcode: str
    has_law: bool
    instructions: int
    differing: int
    extrapolated: int
    analytic_ns: int
    learned_ns: int
    median_ratio: float | None


class Difference(msgspec.Struct):
    """One instruction whose cost differs."""

    name: str
    opcode: str
    analytic_ns: int
    learned_ns: int
    confidence: str


class LearnedReport(msgspec.Struct):
    """What a bundle changed. ``confidence`` counts instructions by level: UNCALIBRATED had no law and kept the
    analytic cost, ``given`` has its cost from the program.
    """

    analytic: str
    instructions: int
    differing: int
    confidence: dict[str, int]
    opcodes: list[OpcodeDifference]
    largest: list[Difference]


def learned_report(blocks: Sequence[CostedBlock]) -> LearnedReport | None:
    """The differences over all ``blocks``, None if no bundle costed them."""
    costed = [(block.columns, block.costs.learned) for block in blocks if block.costs.learned is not None]
    if not costed:
        return None
    opcode = np.concatenate([columns.opcode for columns, _ in costed])
    learned = np.concatenate([of.total_ns for _, of in costed])
    analytic = np.concatenate([of.analytic_ns for _, of in costed])
    level = np.concatenate([of.level for _, of in costed])
    has_law = np.concatenate([of.law for _, of in costed]) >= 0
    rows = []
    for code in np.unique(opcode[level != GIVEN]).tolist():
        here = (opcode == code) & (level != GIVEN)
        priced = here & (analytic > 0)
        ratio = float(np.median(learned[priced] / analytic[priced])) if priced.any() else None
        rows.append(
            OpcodeDifference(
                opcode=Opcode(code).name,
                has_law=bool(has_law[here].any()),
                instructions=int(here.sum()),
                differing=int(np.sum(learned[here] != analytic[here])),
                extrapolated=int(np.sum(level[here] == Level.EXTRAPOLATED)),
                analytic_ns=int(analytic[here].sum()),
                learned_ns=int(learned[here].sum()),
                median_ratio=None if ratio is None else round(ratio, 4),
            )
        )
    largest = [d for columns, of in costed for d in differences(columns, of, at_most=LARGEST)]
    return LearnedReport(
        analytic=BASE_TIMING,
        instructions=len(opcode),
        differing=int(np.sum(learned != analytic)),
        confidence={name: count for code, name in _LEVELS.items() if (count := int(np.sum(level == code)))},
        opcodes=sorted(rows, key=lambda row: row.opcode),
        largest=sorted(largest, key=lambda d: -abs(d.learned_ns - d.analytic_ns))[:LARGEST],
    )


def differences(columns: Columns, of: LearnedCosts, *, at_most: int | None = None) -> list[Difference]:
    """The instructions of a block whose cost differs, in program order; with ``at_most`` those that differ most."""
    size = np.abs(of.total_ns - of.analytic_ns)
    events = np.flatnonzero(size)
    if at_most is not None:
        events = np.sort(events[np.argsort(-size[events], kind="stable")[:at_most]])
    names = columns.name_list()
    return [
        Difference(
            name=names[k],
            opcode=Opcode(int(columns.opcode[k])).name,
            analytic_ns=int(of.analytic_ns[k]),
            learned_ns=int(of.total_ns[k]),
            confidence=_LEVELS[int(of.level[k])],
        )
        for k in events.tolist()
    ]


def learned_log(blocks: Sequence[CostedBlock]) -> bytes:
    """Every difference as CSV, ``block`` counting from 0; of blocks that no bundle costed there is none."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("block", *Difference.__struct_fields__))
    for number, block in enumerate(blocks):
        if block.costs.learned is None:
            continue
        for difference in differences(block.columns, block.costs.learned):
            rows.writerow((number, *msgspec.structs.astuple(difference)))
    return text.getvalue().encode()


def print_learned(report: LearnedReport, console: Console) -> None:
    """The section of a report."""
    levels = ", ".join(f"{count} {name}" for name, count in report.confidence.items())
    console.print(
        f"learned costs: {report.differing} of {report.instructions} differ from {report.analytic}; {levels}",
        soft_wrap=True,
    )
    table = table_of(
        "opcode", ">events", ">differ", ">extrapolated", f">{report.analytic} ns", ">learned ns", ">median ratio", "by"
    )
    for row in report.opcodes:
        table.add_row(
            row.opcode,
            str(row.instructions),
            str(row.differing),
            str(row.extrapolated),
            str(row.analytic_ns),
            str(row.learned_ns),
            "-" if row.median_ratio is None else f"{row.median_ratio:.2f}",
            "law" if row.has_law else f"{report.analytic} (no law)",
        )
    console.print(table)
    shown = ", ".join(f"{d.name} {d.analytic_ns} -> {d.learned_ns}" for d in report.largest)
    if shown:
        console.print(f"largest differences (ns): {shown}", soft_wrap=True)
