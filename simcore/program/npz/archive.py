"""Zip file -> arrays: mapped where they lie if they are stored and aligned, copied if they are not."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from simcore.program.columns import Array
from simcore.program.npz.report import Report

_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED = 1
_NPY_MAGIC = b"\x93NUMPY\x01\x00"
_NPY_HEADER = re.compile(
    rb"\{'descr': '([^']{2,4})', 'fortran_order': (?:False|True), 'shape': \((\d{1,18}),\), \} *\n"
)
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What zipfile raises for damaged archives, and for kinds it does not read."""


class Archive:
    """The members of a zip file whose bytes are ``buffer``; ``stream`` reads the same bytes."""

    def __init__(self, stream: IO[bytes], buffer: Any, report: Report) -> None:
        self._buffer = memoryview(buffer)
        self._report = report
        try:
            self._zip = zipfile.ZipFile(stream)
        except _ZIP_ERRORS as error:
            report.add(None, f"not a readable .npz file: {error} (truncated?)")
            report.stop_if_any()
        self._infos = {info.filename: info for info in self._zip.infolist()}

    def has(self, name: str) -> bool:
        """Whether there is a member ``name``."""
        return f"{name}.npy" in self._infos

    def unknown(self, known: set[str]) -> list[str]:
        """The names of arrays that are not among ``known``."""
        return [name for name in self._infos if name.removesuffix(".npy") not in known]

    def array(self, name: str, dtype: type[np.generic], count: int | None = None) -> Array | None:
        """The one-dimensional array of the member ``name``, or None (and a problem) if it is not as it should be."""
        info = self._infos.get(f"{name}.npy")
        if info is None:
            self._report.add(name, "missing")
            return None
        wanted = np.dtype(dtype).newbyteorder("<")
        try:
            data = self._bytes(info, None if count is None else count * wanted.itemsize)
        except _ZIP_ERRORS as error:
            self._report.add(name, f"damaged: {error}")
            return None
        return self._as_array(name, data, wanted, count)

    def _bytes(self, info: zipfile.ZipInfo, wanted_bytes: int | None) -> memoryview:
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & _ENCRYPTED:
            limit = _LARGEST_HEAD if wanted_bytes is None else wanted_bytes + _LARGEST_NPY_HEADER
            if info.file_size > limit:
                raise ValueError(f"{info.file_size} bytes (allowed: {limit})")
            return memoryview(self._zip.read(info))
        if info.header_offset < 0 or info.header_offset + _LOCAL_HEADER.size > len(self._buffer):
            raise ValueError("its header lies outside the file")
        magic, name_bytes, extra_bytes = _LOCAL_HEADER.unpack_from(self._buffer, info.header_offset)
        begin = info.header_offset + _LOCAL_HEADER.size + name_bytes + extra_bytes
        if magic != b"PK\x03\x04" or begin + info.file_size > len(self._buffer):
            raise ValueError("its data lie outside the file")
        return self._buffer[begin : begin + info.file_size]

    def _as_array(self, name: str, data: memoryview, wanted: np.dtype[Any], count: int | None) -> Array | None:
        begin = 10
        header = None
        if data[:8].tobytes() == _NPY_MAGIC and len(data) >= begin:
            begin += int.from_bytes(data[8:10], "little")
            header = _NPY_HEADER.fullmatch(data[10:begin])
        if header is None:
            self._report.add(name, "no one-dimensional array")
            return None
        descr, length = header[1].decode("latin-1"), int(header[2])
        if descr != wanted.str:
            self._report.add(name, f"element type {descr} (allowed: {wanted.str})")
        elif count is not None and length != count:
            self._report.add(name, f"{length} elements (expected {count}, as the head says)")
        elif len(data) - begin != length * wanted.itemsize:
            self._report.add(name, f"{len(data) - begin} bytes for {length} elements of {wanted.itemsize}")
        else:
            array = np.frombuffer(data, wanted, length, begin)
            return array if array.flags.aligned else array.copy()
        return None


_LARGEST_HEAD = 2**31
"""Bytes of the largest head that is read from compressed data, which could otherwise claim any size."""

_LARGEST_NPY_HEADER = 2**16 + 10
