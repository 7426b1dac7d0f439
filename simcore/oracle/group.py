"""What conditions and formulas read of a group of events: one value per event, computed from the accesses when asked.

Only *physical* accesses count (those with an address pattern); symbolic patterns and registers do not.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from simcore.program.columns import Array, Columns, Extra, Flag, OperandFlag
from simcore.program.dtypes import DTYPE_BYTES, DType
from simcore.program.vocabulary import IN_DRAM, Space

_BYTES = np.array(DTYPE_BYTES, dtype=np.int64)
_ON_CHIP = (Space.SB, Space.PSUM)
_NO_EXTRA = Extra()


def first_accesses(columns: Columns) -> Array:
    """int64[n]: where each event's accesses begin in the operand arrays of ``columns``."""
    return np.cumsum(columns.op_count, dtype=np.int64) - columns.op_count


class Group:
    """Events of a block (``events``: their indices, g of them) and their accesses, flattened (k of them).

    ``first_access``: :func:`first_accesses` of the columns.
    """

    def __init__(self, columns: Columns, events: Array, first_access: Array) -> None:
        self.columns = columns
        self.events = events
        self.count = columns.op_count[events].astype(np.int64)
        begin = np.cumsum(self.count) - self.count
        self._with_accesses = np.flatnonzero(self.count)
        self._begin = begin[self._with_accesses]
        self._access = np.repeat(first_access[events] - begin, self.count) + np.arange(int(self.count.sum()))

    def __len__(self) -> int:
        return len(self.events)

    def extra(self, k: int) -> Extra:
        """Rare attributes of the k-th event of the group."""
        return self.columns.extras.get(int(self.events[k]), _NO_EXTRA)

    def has_flag(self, flag: Flag) -> Array:
        """bool[g]."""
        chosen: Array = (self.columns.flags[self.events] & flag) != 0
        return chosen

    # --- one value per access -------------------------------------------------------------------------------------

    @cached_property
    def space(self) -> Array:
        """uint8[k]."""
        return self.columns.op_space[self._access]

    @cached_property
    def dtype(self) -> Array:
        """uint8[k]."""
        return self.columns.op_dtype[self._access]

    @cached_property
    def partitions(self) -> Array:
        """int64[k]."""
        return self.columns.op_partitions[self._access].astype(np.int64)

    @cached_property
    def elements(self) -> Array:
        """int64[k], per partition."""
        return self.columns.op_elements[self._access]

    @cached_property
    def element_bytes(self) -> Array:
        """int64[k]."""
        return _BYTES[self.dtype]

    @cached_property
    def output(self) -> Array:
        """bool[k]."""
        chosen: Array = (self._operand_flags & OperandFlag.OUTPUT) != 0
        return chosen

    @cached_property
    def strided(self) -> Array:
        """bool[k]."""
        chosen: Array = (self._operand_flags & OperandFlag.STRIDED) != 0
        return chosen

    @cached_property
    def physical(self) -> Array:
        """bool[k]."""
        chosen: Array = ((self._operand_flags & OperandFlag.SYMBOLIC) == 0) & (self.space != Space.REG)
        return chosen

    @cached_property
    def physical_input(self) -> Array:
        """bool[k]."""
        return self.physical & ~self.output

    @cached_property
    def _operand_flags(self) -> Array:
        return self.columns.op_flags[self._access]

    # --- accesses -> events ---------------------------------------------------------------------------------------

    def any_of(self, chosen: Array) -> Array:
        """bool[g]: whether an event has an access that is ``chosen``."""
        found = np.zeros(len(self), dtype=bool)
        if len(self._begin):
            found[self._with_accesses] = np.logical_or.reduceat(chosen, self._begin)
        return found

    def count_of(self, chosen: Array) -> Array:
        """int64[g]: how many accesses of an event are ``chosen``."""
        return self.sum_of(chosen.astype(np.int64))

    def sum_of(self, values: Array) -> Array:
        """[g]: the sum over an event's accesses, in the type of ``values``."""
        total = np.zeros(len(self), dtype=values.dtype)
        if len(self._begin):
            total[self._with_accesses] = np.add.reduceat(values, self._begin)
        return total

    def max_of(self, values: Array, otherwise: int) -> Array:
        """int64[g]: the largest of an event's accesses, ``otherwise`` for an event without any."""
        most = np.full(len(self), otherwise, dtype=np.int64)
        if len(self._begin):
            most[self._with_accesses] = np.maximum.reduceat(values, self._begin)
        return most

    def best(self, score: Array) -> Array:
        """int64[g]: position of the first access with the event's highest score, -1 if none has 0 or more."""
        most = self.max_of(score, -1)
        place = np.where((score >= 0) & (score == np.repeat(most, self.count)), np.arange(len(score)), len(score))
        least = np.full(len(self), len(score), dtype=np.int64)
        if len(self._begin):
            least[self._with_accesses] = np.minimum.reduceat(place, self._begin)
        return np.where(most >= 0, least, -1)

    def at(self, position: Array, values: Array) -> Array:
        """int64[g]: ``values`` of the access at ``position`` of each event, 0 where that is -1."""
        if not len(values):
            return np.zeros(len(self), dtype=np.int64)
        return np.where(position >= 0, values[position], 0).astype(np.int64)

    # --- one value per event --------------------------------------------------------------------------------------

    @cached_property
    def engine(self) -> Array:
        """uint8[g]: the engine field."""
        return self.columns.engine[self.events]

    @cached_property
    def dge_type(self) -> Array:
        """uint8[g]."""
        return self.columns.dge_type[self.events]

    @cached_property
    def nep(self) -> Array:
        """int64[g]: the most elements per partition of any physical access, 0 without one."""
        return self.max_of(np.where(self.physical, self.elements, 0), 0)

    @cached_property
    def has_physical(self) -> Array:
        """bool[g]."""
        return self.any_of(self.physical)

    @cached_property
    def destination(self) -> Array:
        """int64[g]: position of the first physical output, -1 without one."""
        return self.best(np.where(self.physical & self.output, 0, -1))

    @cached_property
    def moving(self) -> Array:
        """int64[g]: position of the moving operand: the first physical input as long as the result, else the first."""
        result = np.where(self.destination >= 0, self.at(self.destination, self.elements), -1)
        as_long = self.elements == np.repeat(result, self.count)
        return self.best(np.where(self.physical_input, as_long.astype(np.int64), -1))

    @cached_property
    def moving_elements(self) -> Array:
        """int64[g]: free elements of the moving operand; without a physical input, those of the result."""
        return self.at(np.where(self.moving >= 0, self.moving, self.destination), self.elements)

    @cached_property
    def stationary_elements(self) -> Array:
        """int64[g]: free elements of the first input beside the moving one, else partitions of the result, else 0."""
        is_moving = np.arange(len(self.elements)) == np.repeat(self.moving, self.count)
        other = self.best(np.where(self.physical_input & ~is_moving, 0, -1))
        return np.where(other >= 0, self.at(other, self.elements), self.at(self.destination, self.partitions))

    @cached_property
    def transfer_access(self) -> Array:
        """int64[g]: position of the access that decides a transfer's size, -1 without any.

        The on-chip physical access with the most elements (an output before an input, then the first), else a physical
        output, else a physical input, else a symbolic output, else what there is, each by the same order.
        """
        kind = np.where(self.physical, np.where(np.isin(self.space, _ON_CHIP), 4, 2 + self.output), self.output)
        return self.best((kind.astype(np.int64) << 50) + (self.partitions * self.elements << 1) + self.output)

    @cached_property
    def transfer_partitions(self) -> Array:
        """int64[g]."""
        return self.at(self.transfer_access, self.partitions)

    @cached_property
    def transfer_elements(self) -> Array:
        """int64[g]."""
        return self.at(self.transfer_access, self.elements)

    @cached_property
    def transfer_element_bytes(self) -> Array:
        """int64[g]: of the destination (the first output), else of the access that decides the size."""
        output = self.best(np.where(self.output, 0, -1))
        return self.at(np.where(output >= 0, output, self.transfer_access), self.element_bytes)

    @cached_property
    def transfer_in_dram(self) -> Array:
        """bool[g]: whether the access that decides the size lies in DRAM."""
        return np.isin(self.at(self.transfer_access, self.space), IN_DRAM)

    @cached_property
    def collective_bytes(self) -> Array:
        """object[g]: bytes of all inputs or of all outputs, whichever are more (as Python integers: no overflow)."""
        nbytes = (self.partitions * self.elements * self.element_bytes).astype(object)
        return np.maximum(self.sum_of(np.where(self.output, nbytes, 0)), self.sum_of(np.where(self.output, 0, nbytes)))

    @cached_property
    def zeroes_16_bit_floats(self) -> Array:
        """bool[g]: a constant of 0 into a 16-bit float destination."""
        dtype = self.at(self.destination, self.dtype)
        short = (self.destination >= 0) & np.isin(dtype, (DType.bfloat16, DType.float16))
        for k in np.flatnonzero(short).tolist():
            short[k] = self.extra(k).constant == 0
        return short

    @cached_property
    def estimate_ns(self) -> Array:
        """int64[g]: the instruction's own latency estimate, -1 without one."""
        estimates = (self.extra(k).latency_estimate for k in range(len(self)))
        return np.array([-1 if e is None else e for e in estimates], dtype=np.int64)
