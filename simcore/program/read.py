"""Loading a program from any file: the format is told by content, never by the file's name."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import Any

import msgspec

from simcore.errors import InputError, Problem
from simcore.program.build import Locator, program_from_loaded
from simcore.program.faults import Fault
from simcore.program.instruction import SCHEMA, ProgramRecord
from simcore.program.loaded import Loaded
from simcore.program.program import Program
from simcore.program.stream.json_text import decode_json, line_and_column, locate_json

FORMATS = ("stream (JSON or YAML)", "BIR JSON", "neuron-profile JSON", "columns (.npz)")

_REPEATED_KEY_CHECK_BYTES = 16 * 2**20
"""Up to this size a JSON file is also checked for repeated keys: people write small files, programs write large ones."""


def load_program(path: str | os.PathLike[str]) -> Program:
    """The program in ``path``: stream, BIR JSON, neuron-profile JSON or columns, also gzip-compressed.

    Raises InputError with every fault of the file, each with its line (or instruction, where a format has no lines).
    """
    file = os.fspath(path)
    if _is_npz(file):
        from simcore.program.npz import read_npz

        return read_npz(file)
    return program_from_text(_read_bytes(file), file)


def program_from_text(data: bytes, file: str) -> Program:
    """The program in the bytes of a JSON or YAML document; ``file`` is its name in messages."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise _bad(file, "the file is empty")
    if data.lstrip()[:1] in (b"{", b"["):
        return _from_json(data, file)
    return _from_yaml(data, file)


def _from_json(data: bytes, file: str) -> Program:
    if SCHEMA.encode() in data[:65536]:
        try:
            record = msgspec.json.decode(data, type=ProgramRecord)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            record = None
        if record is not None:
            document = decode_json(data, file) if len(data) <= _REPEATED_KEY_CHECK_BYTES else None
            return program_from_loaded(Loaded(record), file=file, document=document, locate=_json_locator(data, file))
    return _dispatch(decode_json(data, file), file, _json_locator(data, file))


def _from_yaml(data: bytes, file: str) -> Program:
    from simcore.program.stream.yaml_text import decode_yaml

    document = decode_yaml(data, file)
    if not isinstance(document, dict):
        raise _bad(file, f"not a program: expected a mapping at the top (known formats: {', '.join(FORMATS)})")
    return _dispatch(document, file, _yaml_locator(data, file))


def _dispatch(document: Any, file: str, locate: Locator) -> Program:
    """Hands a decoded document to the reader of its format."""
    if isinstance(document, dict) and "schema" not in document:
        if isinstance(document.get("instruction"), list) or "neff_header" in document:
            from simcore.program.profile import read_profile

            return program_from_loaded(read_profile(document, file), file=file)
        if "functions" in document and not ("name" in document and "arch_version" in document):
            from simcore.program.bir import read_bir

            return program_from_loaded(read_bir(document, file), file=file)
    if not isinstance(document, dict):
        raise _bad(file, f"not a program: expected a mapping at the top (known formats: {', '.join(FORMATS)})")
    return _stream(document, file, locate)


def _stream(document: dict[str, Any], file: str, locate: Locator) -> Program:
    from simcore.program.validate import faults_of

    try:
        record = msgspec.convert(document, ProgramRecord)
    except (msgspec.ValidationError, RecursionError):
        record = None
    faults = [] if record is not None and "schema" in document else faults_of(document)
    if faults:
        raise InputError(locate(faults))
    if record is None:
        record = msgspec.convert(document, ProgramRecord)
    return program_from_loaded(Loaded(record), file=file, document=document, locate=locate)


def _json_locator(data: bytes, file: str) -> Locator:
    def locate(faults: list[Fault]) -> list[Problem]:
        wanted = locate_json(data, [f.path for f in faults])
        problems = []
        for fault in faults:
            place = wanted.nearest_place(fault.path)
            at = place.key if place and fault.at_key and place.key is not None else place.value if place else 0
            problems.append(Problem(_with_subject(fault), file, *line_and_column(data, at)))
        return _in_file_order(problems)

    return locate


def _yaml_locator(data: bytes, file: str) -> Locator:
    def locate(faults: list[Fault]) -> list[Problem]:
        from simcore.program.stream.yaml_text import locate_yaml

        wanted, marks = locate_yaml(data, [f.path for f in faults])
        problems = []
        for fault in faults:
            place = wanted.nearest_place(fault.path)
            at = place.key if place and fault.at_key and place.key is not None else place.value if place else 0
            problems.append(Problem(_with_subject(fault), file, *marks[at]))
        return _in_file_order(problems)

    return locate


def _with_subject(fault: Fault) -> str:
    return f"{fault.subject}: {fault.message}" if fault.subject else fault.message


def _in_file_order(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda p: (p.line or 0, p.column or 0))


def _is_npz(file: str) -> bool:
    try:
        with open(file, "rb") as f:
            return f.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except IsADirectoryError as error:
        raise _bad(file, "is a directory (expected a program file)") from error
    except OSError as error:
        raise _bad(file, f"cannot be read: {error.strerror}") from error


def _read_bytes(file: str) -> bytes:
    data = Path(file).read_bytes()
    if data[:2] == b"\x1f\x8b":
        try:
            return gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise _bad(file, f"damaged gzip data: {error}") from error
    return data


def _bad(file: str, message: str) -> InputError:
    return InputError([Problem(message, file)])
