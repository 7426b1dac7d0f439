"""What a law sees of an instruction: n numbers, the same n for every opcode, in a fixed order.

Sizes and their logarithms, sizes by where the data lie, counts, flags, and a one-hot per word of each closed
vocabulary. A size that an instruction lacks is 0, as is every one-hot that does not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from simcore.oracle.group import Group
from simcore.program.columns import Array, Flag
from simcore.program.dtypes import DType
from simcore.program.engines import Engine
from simcore.program.vocabulary import IN_DRAM, DgeType, PerfMode, Space

Matrix = npt.NDArray[np.float64]

Of = Callable[[Group], Array]
"""One number for each event of a group: [g]."""


def _partition_bytes(g: Group) -> Array:
    return g.max_of(np.where(g.physical, g.elements * g.element_bytes, 0), 0)


def _total_bytes(g: Group) -> Array:
    return g.transfer_partitions * g.transfer_elements * g.transfer_element_bytes


def _partitions(g: Group) -> Array:
    return g.max_of(np.where(g.physical, g.partitions, 0), 0)


def _read_from(g: Group, *spaces: Space) -> Array:
    return g.any_of(g.physical_input & np.isin(g.space, spaces))


def _written_to(g: Group, *spaces: Space) -> Array:
    return g.any_of(g.physical & g.output & np.isin(g.space, spaces))


def _elements_if(chosen: Of) -> Of:
    return lambda g: np.where(chosen(g), g.nep, 0)


_SIZES: dict[str, Of] = {
    "elements": lambda g: g.nep,
    "moving": lambda g: np.where(g.has_physical, g.moving_elements, 0),
    "stationary": lambda g: np.where(g.has_physical, g.stationary_elements, 0),
    "partition_bytes": _partition_bytes,
    "total_bytes": _total_bytes,
    "elements_read_from_psum": _elements_if(lambda g: _read_from(g, Space.PSUM)),
    "elements_written_to_psum": _elements_if(lambda g: _written_to(g, Space.PSUM)),
}
"""Elements and bytes per partition of the longest access, operands of a matmul, bytes of a transfer; and the elements
again if PSUM is read, or written."""

_COUNTS_AND_MARKS: dict[str, Of] = {
    "partitions": _partitions,
    "inputs": lambda g: g.count_of(g.physical_input),
    "outputs": lambda g: g.count_of(g.physical & g.output),
    "strided": lambda g: g.any_of(g.physical & g.strided),
    "reads_psum": lambda g: _read_from(g, Space.PSUM),
    "writes_psum": lambda g: _written_to(g, Space.PSUM),
    "reads_dram": lambda g: _read_from(g, *IN_DRAM),
    "writes_dram": lambda g: _written_to(g, *IN_DRAM),
    "transfer": lambda g: g.has_flag(Flag.TRANSFER),
    "local": lambda g: g.has_flag(Flag.IS_LOCAL),
    "transpose": lambda g: g.has_flag(Flag.IS_TRANSPOSE),
    "accumulate": lambda g: g.has_flag(Flag.ACCUMULATE),
    "acc": lambda g: g.has_flag(Flag.ACC),
    "scan": lambda g: g.has_flag(Flag.SCAN),
    "scalar_tensor_tensor": lambda g: g.has_flag(Flag.SCALAR_TENSOR_TENSOR),
}


def _first_input(values: Of) -> Of:
    """The word of the first physical input; -1 without one."""

    def first(g: Group) -> Array:
        place = g.best(np.where(g.physical_input, 0, -1))
        return np.where(place >= 0, g.at(place, values(g)), -1)

    return first


def _first_output(values: Of) -> Of:
    """The word of the first physical output; -1 without one."""
    return lambda g: np.where(g.destination >= 0, g.at(g.destination, values(g)), -1)


_VOCABULARIES: tuple[tuple[str, type[IntEnum], Of], ...] = (
    ("engine", Engine, lambda g: g.engine),
    ("dge", DgeType, lambda g: g.dge_type),
    ("perf_mode", PerfMode, lambda g: g.columns.perf_mode[g.events]),
    ("input_dtype", DType, _first_input(lambda g: g.dtype)),
    ("output_dtype", DType, _first_output(lambda g: g.dtype)),
    ("input_space", Space, _first_input(lambda g: g.space)),
    ("output_space", Space, _first_output(lambda g: g.space)),
)


SIZES = tuple(_SIZES)
LOGS = tuple(f"log2_{name}" for name in _SIZES)
"""The features that are sizes, and the logarithms of these."""


def _names() -> Iterator[str]:
    yield from SIZES
    yield from LOGS
    yield from _COUNTS_AND_MARKS
    for key, vocabulary, _ in _VOCABULARIES:
        yield from (f"{key}:{word.name}" for word in vocabulary)


NAMES = tuple(_names())
"""The n features, in order; ``log2_x`` is ``log2(1 + x)``. Their number is part of the name of a bundle's file."""


def feature_matrix(group: Group) -> Matrix:
    """float64[g, n]: the features of each event of ``group``."""
    sizes = np.column_stack([of(group).astype(np.float64) for of in _SIZES.values()])
    others = [of(group).astype(np.float64) for of in _COUNTS_AND_MARKS.values()]
    one_hots = [of(group)[:, None] == np.array(list(vocabulary)) for _, vocabulary, of in _VOCABULARIES]
    return np.column_stack([sizes, np.log2(1.0 + sizes), *others, *one_hots])
