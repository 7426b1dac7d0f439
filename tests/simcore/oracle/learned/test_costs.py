"""Costing a block by laws: what takes the law's cost, what keeps the table's, and what is said of each."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.errors import InputError
from simcore.oracle import Provenance, cost_block
from simcore.oracle.cost import with_laws
from simcore.oracle.learned.law import Law
from simcore.oracle.learned.predict import GIVEN
from simcore.timing.confidence import Level
from simcore.timing.fit_summary import FitSummary
from tests.simcore.oracle.blocks import columns_of, inst, sb


def law(opcode: str, constant: float, weights: dict[str, float] | None = None, **ranges: tuple[float, float]) -> Law:
    fit = FitSummary(ranges, 9, 9, 2, 1.0, 0.01, 1000.0)
    return Law(opcode, "linear", constant, weights or {}, 1.0, fit)


def copy(elements: int, **more):
    return inst("TensorCopy", "DVE", [sb(elements)], [sb(elements)], **more)


BLOCK = [copy(64), copy(128, cost=7), inst("Reciprocal", "DVE", [sb(64)], [sb(64)])]


def costed(laws: list[Law], instructions=BLOCK):
    columns = columns_of(instructions)
    analytic = cost_block(columns, arch="gen3")
    return analytic, with_laws(analytic, columns, laws)


def test_a_law_costs_its_opcode_and_nothing_else():
    analytic, costs = costed([law("TensorCopy", 100.0, {"elements": 2.0})])
    assert costs.total_ns.tolist() == [228, 7, analytic.total_ns[2]]
    assert costs.exec_ns[0] == 228
    assert [Provenance(int(p)).name for p in costs.provenance] == ["fitted", "given", "assumed"]
    assert costs.rule[0] == -1
    assert costs.rule[2] == analytic.rule[2]
    assert costs.learned.law.tolist() == [0, -1, -1]
    assert costs.learned.level.tolist() == [Level.EXTRAPOLATED, GIVEN, Level.UNCALIBRATED]
    assert costs.learned.analytic_ns.tolist() == analytic.total_ns.tolist()


def test_costs_are_whole_and_never_negative():
    assert costed([law("TensorCopy", 99.5)])[1].total_ns[0] == 100
    assert costed([law("TensorCopy", 99.4999)])[1].total_ns[0] == 99
    assert costed([law("TensorCopy", -5.0)])[1].total_ns[0] == 0
    assert costed([law("TensorCopy", -5.0)])[1].total_ns.dtype == np.int64


def test_a_cost_that_no_model_can_take_is_refused_by_name():
    with pytest.raises(InputError, match="instruction i0: its cost exceeds"):
        costed([law("TensorCopy", 1e15)], [copy(64)])


def test_an_instruction_costs_the_same_in_any_block():
    laws = [law("TensorCopy", 0.1, {"elements": 1 / 3, "log2_elements": 0.7, "inputs": 0.3})]
    alone = [int(costed(laws, [copy(n)])[1].total_ns[0]) for n in range(1, 200)]
    assert costed(laws, [copy(n) for n in range(1, 200)])[1].total_ns.tolist() == alone


def test_a_block_without_laws_or_without_instructions_is_left_as_it_was():
    analytic, costs = costed([])
    assert costs.total_ns.tolist() == analytic.total_ns.tolist()
    assert costed([law("TensorCopy", 1.0)], [])[1].total_ns.tolist() == []
