"""Loading a program from any file: the format is told by content, never by the file's name."""

from __future__ import annotations

import gzip
import mmap
import os
import re
import stat
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from simcore.errors import InputError, ModelBug, Problem
from simcore.garbage import collection_paused
from simcore.program.build import program_from_loaded
from simcore.program.columnise_fields import Irregular
from simcore.program.faults import Path, kind_of
from simcore.program.instruction import SCHEMA, ProgramRecord
from simcore.program.program import Program
from simcore.program.stream.outline import program_from_document
from simcore.program.validate import faults_of

if TYPE_CHECKING:
    from simcore.program.stream.wanted import Wanted

FORMATS = ("stream (JSON or YAML)", "BIR JSON", "neuron-profile JSON", "columns (.npz)")

_PROFILE_TABLES = {"dma_queues_info", "ham", "layer_summary", "neff_header", "semaphore_update"}
"""Tables that only a profile has; one whose instructions are missing is told from a file of no known format by them."""

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_LARGE_BYTES = 2**24
_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""How files begin that are text, but not UTF-8; the longer marks first."""

_JSON = re.compile(rb"\s*(?:\[|\{\s*[\"}])")
"""How JSON begins; YAML may begin with a brace too, but then hardly with a quoted key."""


def load_program(path: str | os.PathLike[str]) -> Program:
    """The program in ``path``: stream, BIR JSON, neuron-profile JSON or columns, also gzip-compressed.

    Raises InputError with every fault of the file, each with its line (or instruction, where a format has no lines).
    """
    file = os.fspath(path)
    with collection_paused():
        program = _quick_if_large(file)
        if program is not None:
            return program
        data = _read(file)
        if data is None:
            from simcore.program.npz import read_npz

            return read_npz(file)
        return program_from_bytes(data, file)


def program_from_bytes(data: bytes, file: str) -> Program:
    """The program in a file's bytes, which may be compressed; ``file`` is its name in messages."""
    if data[:2] == _GZIP:
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise _bad(file, f"damaged gzip data: {error}") from error
    if data[:4] in _ZIP:
        from simcore.program.npz import program_from_npz

        return program_from_npz(data, file)
    data = data.removeprefix(b"\xef\xbb\xbf")
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            raise _bad(file, f"{encoding} text (allowed: UTF-8)", 1, 1)
    if not data or data.isspace():
        raise _bad(file, "the file is empty", 1, 1)
    return _from_json(data, file) if _JSON.match(data) else _from_yaml(data, file)


Locate = Callable[[list[Path]], "Wanted"]
"""Finds the places of paths in a document's text."""


def _from_json(data: bytes, file: str) -> Program:
    from simcore.program.stream.json_lazy import lazy_document
    from simcore.program.stream.json_program import quick_program
    from simcore.program.stream.json_text import check_json, decode_json, json_text, locate_json

    if SCHEMA.encode() in data:
        program = quick_program(data, file)
        if program is not None:
            return program
        text = json_text(data, file)
        check_json(text, file)
        document = lazy_document(text)
        if not isinstance(document, dict) or "schema" not in document:
            document = decode_json(text, file)
    else:
        text = json_text(data, file)
        document = decode_json(text, file)
    return _from_document(document, file, lambda paths: locate_json(text, paths))


def _from_yaml(data: bytes, file: str) -> Program:
    from simcore.program.stream.yaml_text import decode_yaml, locate_yaml

    return _from_document(decode_yaml(data, file), file, lambda paths: locate_yaml(data, paths))


def _from_document(document: Any, file: str, locate: Locate) -> Program:
    """Hands a decoded document to the reader of its format."""
    if not isinstance(document, dict):
        what = f"expected a mapping at the top, got {kind_of(document)}"
        raise _bad(file, f"not a program: {what} (known formats: {', '.join(FORMATS)})", 1, 1)
    if "schema" not in document:
        if isinstance(document.get("instruction"), list) or document.keys() & _PROFILE_TABLES:
            from simcore.program.profile import read_profile

            return program_from_loaded(read_profile(document, file), file=file)
        if "functions" in document and ("version" in document or "name" not in document):
            from simcore.program.bir import read_bir

            return program_from_loaded(read_bir(document, file), file=file)
        if not document.keys() & set(ProgramRecord.__struct_fields__):
            raise _bad(file, f"not a program of any known format (known: {', '.join(FORMATS)})", 1, 1)
    try:
        return program_from_document(document, file)
    except (Irregular, msgspec.ValidationError) as reason:
        faults = faults_of(document)
        if not faults:
            raise ModelBug(f"{file}: refused, but validation finds no fault: {reason}") from reason
        raise InputError(locate([f.path for f in faults]).problems(faults, file)) from reason


def _quick_if_large(file: str) -> Program | None:
    """The program in a large stream file without fault, or None.

    The file is mapped, not read: a copy in fresh memory would take a tenth of the time and as much memory as the file.
    """
    try:
        # Asked before it is opened: a pipe gives its text to whoever opens it first, and only once.
        status = os.stat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size < _LARGE_BYTES:
            return None
        with open(file, "rb", buffering=0) as f:
            mapped = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None  # reading it says why
    if not _JSON.match(mapped) or mapped.find(SCHEMA.encode()) < 0:
        return None
    from simcore.program.stream.json_program import quick_program

    return quick_program(mapped, file)


def _read(file: str) -> bytes | None:
    """The file's bytes, or None for a zip file, which its reader maps rather than reads."""
    try:
        with open(file, "rb", buffering=0) as f:
            if not f.seekable():
                return f.read()
            begin = f.read(4)
            f.seek(0)
            return None if begin in _ZIP else f.read()
    except IsADirectoryError as error:
        raise _bad(file, "is a directory (expected a program file)") from error
    except OSError as error:
        raise _bad(file, f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise _bad(file, f"cannot be read: {error}") from error


def _bad(file: str, message: str, line: int | None = None, column: int | None = None) -> InputError:
    return InputError([Problem(message, file, line, column)])
