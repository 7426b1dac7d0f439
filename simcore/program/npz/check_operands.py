"""The rules of a block's operands: inputs before outputs, patterns, and the PSUM masks that follow from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.program.banks import mask_faults, span_bytes
from simcore.program.columnise_fields import EXTRA_RULES, is_text
from simcore.program.columnise_operands import is_free_pattern
from simcore.program.columns import Columns, Extra, OperandFlag
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.generations import Generation
from simcore.program.npz.kernels import SMALL, compiled
from simcore.program.npz.report import Report
from simcore.program.psum_masks import MAX_SPAN_ELEMENTS


def check_operands(columns: Columns, generation: Generation, report: Report) -> None:
    """Adds everything that is wrong with operands and extras; counts and ranges must be right."""
    spans = _spans(columns, report)
    strided = np.flatnonzero(columns.op_flags & OperandFlag.STRIDED)
    if strided.tolist() != list(spans):
        report.add("op_flags", "the strided operands are not those whose patterns are in the head")
        return
    lengths = [min(span, MAX_SPAN_ELEMENTS) for span in spans.values()]
    arrays = [getattr(columns, name) for name in _COMPARED]
    if len(columns) + len(columns.op_space) > SMALL:
        faults = compiled(mask_faults)(*arrays, np.array(lengths, np.int64), np.array(DTYPE_BYTES))
    else:
        plain: Any = mask_faults
        faults = plain(*[array.tolist() for array in arrays], lengths, DTYPE_BYTES)
    highest, misplaced, wrong, first_wrong = faults
    report.add_first("op_flags", int(misplaced >= 0), misplaced, "an input after an output")
    if highest >= generation.psum_banks:
        report.add("op_addr", f"an operand reaches PSUM bank {highest} (allowed: 0 to {generation.psum_banks - 1})")
    else:
        message = "the PSUM banks are neither given nor those of the operands"
        report.add_first("psum_writes", wrong, first_wrong, message)


_COMPARED = (
    *("op_count", "op_space", "op_dtype", "op_flags", "op_elements", "op_addr", "op_bank"),
    *("flags", "psum_reads", "psum_writes"),
)
"""The columns that :func:`mask_faults` takes."""


def _spans(columns: Columns, report: Report) -> dict[int, int]:
    """Checks the extras; the spans (elements) of the strided operands by position."""
    spans: dict[int, int] = {}
    ends = np.cumsum(columns.op_count, dtype=np.int64) if columns.extras else columns.op_count
    for event, extra in sorted(columns.extras.items()):
        if not 0 <= event < len(columns):
            report.add("head", f"extras of event {event}, of {len(columns)}")
            continue
        count = int(columns.op_count[event])
        if not _is_regular(extra, count):
            report.add("head", f"extras of event {event}: an attribute breaks a rule")
            continue
        for k, free in enumerate(extra.free, int(ends[event]) - count):
            if free is None:
                continue
            elements = int(columns.op_elements[k])
            if not is_free_pattern(free, elements):
                report.add("head", f"extras of event {event}: a pattern that does not cover the {elements} elements")
            elif span_bytes(0, 1, free) != elements:
                spans[k] = span_bytes(0, 1, free)
    return spans


def _is_regular(extra: Extra, operands: int) -> bool:
    values = {key: getattr(extra, key) for key in EXTRA_RULES}
    lists = [given for given in (extra.free, extra.tensor) if given]
    are_lists = all(len(given) == operands and set(given) != {None} for given in lists)
    texts = all(t is None or is_text(t) for t in extra.tensor)
    says_something = extra != _NOTHING
    return are_lists and texts and says_something and all(v is None or EXTRA_RULES[k](v) for k, v in values.items())


_NOTHING = Extra()
