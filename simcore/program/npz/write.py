"""Program -> columns file. The same program gives the same bytes."""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterable
from typing import IO

import msgspec
import numpy as np

from simcore.program.columns import Array
from simcore.program.npz.head import COLUMNS_SCHEMA, HEAD, MEMBERS, BlockHead, FunctionHead, Head
from simcore.program.program import Block, Program

ALIGNMENT = 64
"""Every array begins at a multiple of this many bytes in the file, so that it can be mapped as it lies."""

_LOCAL_HEADER_BYTES = 30
_ZIP64_EXTRA_BYTES = 20
_PADDING_ID = 0xD935
"""The id under which Android's zipalign puts padding into a zip file's extra fields."""
_PADDING_HEADER = struct.Struct("<HH")
_LARGE = 2**31 - 1
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_npz(program: Program, target: str | os.PathLike[str] | IO[bytes]) -> None:
    """Writes ``program`` as a columns file, which ``numpy.load`` opens too. Measurements and notes stay behind."""
    blocks = [block for _, block in program.blocks]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        head = np.frombuffer(msgspec.json.encode(_head(program)), np.uint8)
        _write_member(archive, HEAD, np.dtype(np.uint8), [head])
        for name, dtype in MEMBERS.items():
            _write_member(archive, name, np.dtype(dtype), [getattr(b.columns, name) for b in blocks])


def _head(program: Program) -> Head:
    return Head(
        schema=COLUMNS_SCHEMA,
        name=program.name,
        arch=program.arch,
        arch_version=program.arch_version,
        modular_flow_runs=program.modular_flow_runs,
        origin=program.origin,
        functions=[FunctionHead(name=f.name, blocks=[_block_head(b) for b in f.blocks]) for f in program.functions],
    )


def _block_head(block: Block) -> BlockHead:
    columns = block.columns
    return BlockHead(
        name=block.name,
        events=len(columns),
        edges=len(columns.dep_on),
        operands=len(columns.op_space),
        names=len(columns.names),
        words=list(columns.words),
        loops=list(columns.loops),
        extras=columns.extras,
    )


def _write_member(archive: zipfile.ZipFile, name: str, dtype: np.dtype[np.generic], parts: Iterable[Array]) -> None:
    """The parts one after the other as one array, uncompressed and aligned."""
    little = dtype.newbyteorder("<")
    arrays = [np.ascontiguousarray(part, little) for part in parts]
    header = _npy_header(little, sum(map(len, arrays)))
    is_large = len(header) + sum(a.nbytes for a in arrays) > _LARGE
    info = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
    info.create_system, info.external_attr = 3, 0o644 << 16
    info.extra = _padding(archive, len(info.filename) + (_ZIP64_EXTRA_BYTES if is_large else 0))
    with archive.open(info, "w", force_zip64=is_large) as member:
        member.write(header)
        for array in arrays:
            if len(array):
                member.write(array.data)


def _npy_header(dtype: np.dtype[np.generic], count: int) -> bytes:
    """The header of a one-dimensional array, as numpy writes it: its length is a multiple of :data:`ALIGNMENT`."""
    text = f"{{'descr': {dtype.str!r}, 'fortran_order': False, 'shape': ({count},), }}"
    magic = b"\x93NUMPY\x01\x00"
    filled = -(len(magic) + 2 + len(text) + 1) % ALIGNMENT
    return magic + struct.pack("<H", len(text) + filled + 1) + text.encode() + b" " * filled + b"\n"


def _padding(archive: zipfile.ZipFile, variable_bytes: int) -> bytes:
    """An extra field after which the member's data are aligned; ``variable_bytes`` stand in the header beside it."""
    if archive.fp is None:
        raise ValueError("the archive is closed")
    begin = archive.fp.tell() + _LOCAL_HEADER_BYTES + variable_bytes + _PADDING_HEADER.size
    filled = -begin % ALIGNMENT
    return _PADDING_HEADER.pack(_PADDING_ID, filled) + bytes(filled)
