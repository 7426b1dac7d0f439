"""Derives a shipped kernel from a profile: ``python -m benches.kernels.derive PROFILE OUT.yaml``.

Writes the program as a stream file and, beside it, the measured summary. The same profile gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from simcore.errors import InputError, Problem
from simcore.program.instruction import Origin
from simcore.program.measured import summary_path
from simcore.program.read import load_program
from simcore.program.stream import write_stream_yaml

ORIGIN = Origin(
    source="https://github.com/allenkchau/trainium-kernel-fusion",
    licence="MIT",
    note="derived from the profile of one run on a trn2 core; the licence is in LICENSE-trainium-kernel-fusion.txt",
)
"""Where the profiles that the shipped kernels were derived from were published."""


def derive(profile: Path, out: Path, origin: Origin = ORIGIN) -> None:
    """Writes the program of ``profile`` to ``out`` (named after it) and its measured summary beside it.

    Raises InputError if the profile cannot be read, or is a program without measurements.
    """
    program = load_program(profile)
    if program.measured is None:
        raise InputError([Problem("holds no measurements: only a profile can be derived from", str(profile))])
    program.name = out.name.split(".", 1)[0]
    program.origin = origin
    out.write_text(write_stream_yaml(program.record()), encoding="utf-8")
    program.measured.summary(program.name).save(summary_path(out))


def main(arguments: list[str]) -> int:
    """Command line; returns the exit code."""
    if len(arguments) != 2:
        print("usage: python -m benches.kernels.derive PROFILE OUT.yaml", file=sys.stderr)
        return 2
    try:
        derive(Path(arguments[0]), Path(arguments[1]))
    except InputError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
