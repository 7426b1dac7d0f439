"""Finding a device platform: by the name of a shipped one, or in a folder."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from simcore.errors import InputError, Problem, hint
from simcore.timing.device.files import DEVICE_PLATFORM_FILE, load_device_platform_file
from simcore.timing.device.platform import DevicePlatform


def shipped_platforms() -> tuple[str, ...]:
    """Names of the platforms that kernbench ships."""
    folder = resources.files("topology") / "platforms"
    return tuple(sorted(p.name for p in folder.iterdir() if (p / DEVICE_PLATFORM_FILE).is_file()))


def load_device_platform(name: str | os.PathLike[str]) -> DevicePlatform:
    """The shipped platform called ``name``, or the one in the folder (or file) of that path.

    Raises InputError, with the nearest name, if there is neither, and for a file that is no device platform.
    """
    word = os.fspath(name)
    shipped = shipped_platforms()
    if word in shipped:
        return load_device_platform_file(
            Path(str(resources.files("topology") / "platforms" / word / DEVICE_PLATFORM_FILE))
        )
    path = Path(word)
    if path.is_dir():
        path = path / DEVICE_PLATFORM_FILE
    if path.is_file():
        return load_device_platform_file(path)
    words = (*shipped, "a folder of kernbench calibrate profile")
    raise InputError([Problem(f'unknown platform "{word}" {hint(word, words)}', "--timing")])
