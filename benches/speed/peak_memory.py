"""Loads one program file and says what that took: ``python -m benches.speed.peak_memory FILE``, as JSON.

A process of its own, for the largest memory of a process is known only for all of its life.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Loading:
    """``base_bytes`` is the memory before the file was touched, ``peak_bytes`` the most until it was loaded."""

    seconds: float
    base_bytes: int
    peak_bytes: int
    problems: list[str]


def measured_loading(path: Path) -> Loading:
    """Loads ``path`` in a process of its own."""
    command = [sys.executable, "-m", "benches.speed.peak_memory", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Loading(**json.loads(done.stdout))


def peak_bytes() -> int:
    """The largest resident memory of this process so far.

    Linux's ru_maxrss begins with what the parent held when it started the process, so its own count is preferred.
    """
    status = Path("/proc/self/status")
    if status.exists():
        match = re.search(r"^VmHWM:\s*(\d+) kB$", status.read_text(), re.MULTILINE)
        if match:
            return int(match[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def loaded_here(file: str) -> Loading:
    """Loads ``file`` in this process."""
    from simcore.errors import InputError
    from simcore.program.read import load_program

    base, begin = peak_bytes(), time.perf_counter()
    problems: list[str] = []
    try:
        load_program(file)
    except InputError as error:
        problems = [str(problem) for problem in error.problems]
    return Loading(time.perf_counter() - begin, base, peak_bytes(), problems)


if __name__ == "__main__":
    print(json.dumps(asdict(loaded_here(sys.argv[1]))))
