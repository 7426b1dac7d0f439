"""What ``kernbench run --bench`` says, as records: measured beside analytic, the error, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from benches.contention.findings import Findings, Number, Row
from benches.contention.parameters import shown
from benches.contention.registry import Bench

SCHEMA = "kernbench.bench/1"
PASS, FAIL = "PASS", "FAIL"

Value = int | float
"""An exact number as JSON has it: whole numbers whole, others as the nearest double."""


class RowReport(msgspec.Struct, kw_only=True):
    """One quantity, all numbers in ``unit``; ``error``: measured - analytic; ``error_pct``: of the analytic one, null
    where that is 0; ``tolerance``: how large the error may be, both ways."""

    quantity: str
    measured: Value
    analytic: Value
    error: Value
    error_pct: float | None
    tolerance: Value
    unit: str
    verdict: str


class BenchReport(msgspec.Struct, kw_only=True):
    """One bench. ``parameters``: as ``--set`` would write them. ``analysis``: where the analytic numbers come from;
    ``tolerance_because``: why the tolerances are what they are."""

    schema: str
    bench: str
    purpose: str
    parameters: dict[str, str]
    rows: list[RowReport]
    says: str
    analysis: str
    tolerance_because: str
    verdict: str

    @property
    def passes(self) -> bool:
        """Whether all rows do."""
        return self.verdict == PASS


def run_bench(bench: Bench, values: Mapping[str, Any]) -> BenchReport:
    """Runs ``bench`` with the parameters ``values`` and judges what it finds. Raises InputError where it cannot."""
    findings: Findings = bench.function(**values)
    rows = [_row(row) for row in findings.rows]
    return BenchReport(
        schema=SCHEMA,
        bench=bench.name,
        purpose=bench.purpose,
        parameters={name: shown(value) for name, value in values.items()},
        rows=rows,
        says=findings.says,
        analysis=findings.analysis,
        tolerance_because=findings.because,
        verdict=PASS if all(row.verdict == PASS for row in rows) else FAIL,
    )


def _row(row: Row) -> RowReport:
    return RowReport(
        quantity=row.quantity,
        measured=_value(row.measured),
        analytic=_value(row.analytic),
        error=_value(row.error),
        error_pct=float(row.error / row.analytic) * 100 if row.analytic else None,
        tolerance=_value(row.tolerance),
        unit=row.unit,
        verdict=PASS if row.holds else FAIL,
    )


def _value(number: Number) -> Value:
    return int(number) if number.denominator == 1 else float(number)
