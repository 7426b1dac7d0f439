"""A device platform's file: readable JSON, ``platform.json`` in the platform's folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pydantic import ValidationError

from simcore.errors import InputError, Problem
from simcore.program.stream.json_text import decode_json, json_text
from simcore.staged_files import StagedFiles, make_folder
from simcore.timing.device.faults import faults_of
from simcore.timing.device.platform import DEVICE_PLATFORM_SCHEMA, DevicePlatform

DEVICE_PLATFORM_FILE = "platform.json"


def device_platform_json(platform: DevicePlatform) -> bytes:
    """``platform`` as JSON, two spaces deep, in the order of the records."""
    return json.dumps(platform.model_dump(mode="json", by_alias=True), indent=2).encode() + b"\n"


def stage_device_platform(staged: StagedFiles, platform: DevicePlatform, folder: Path) -> Path:
    """Writes ``platform`` into ``folder``, to appear with all else in ``staged``; returns the file."""
    make_folder(folder)
    file = folder / DEVICE_PLATFORM_FILE
    with staged.open(file) as out:
        out.write(device_platform_json(platform))
    return file


def load_device_platform_file(path: str | os.PathLike[str]) -> DevicePlatform:
    """The platform in a file. Raises InputError, with the place of every fault, if it is missing, damaged or another
    schema's."""
    file = os.fspath(path)
    try:
        text = json_text(Path(path).read_bytes(), file)
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", file)]) from error
    document = decode_json(text, file)
    found = document.get("schema") if isinstance(document, dict) else None
    if found != DEVICE_PLATFORM_SCHEMA:
        raise InputError([Problem(f"its schema is {found!r} (expected {DEVICE_PLATFORM_SCHEMA!r})", file)])
    try:
        return DevicePlatform.model_validate(document)
    except ValidationError as error:
        raise InputError([Problem(text, file, where=place) for place, text in faults_of(error)]) from error
