"""Where experiments are: a file that is named, or the files beside the decision records of the source tree."""

from __future__ import annotations

import re
from pathlib import Path

from simcore.errors import InputError, Problem

ALL = "all"
PATTERN = "*.experiment.yaml"

_NUMBER = re.compile(r"(?:adr-?)?(\d{1,4})", re.IGNORECASE)


def records() -> Path:
    """The folder of decision records, which belongs to the source tree and is not installed with the packages.

    Raises InputError if the running packages do not stand in a source tree.
    """
    folder = Path(__file__).resolve().parents[2] / "docs" / "adr"
    if not folder.is_dir():
        message = (
            f"the experiments of the decision records are in docs/adr of the source tree, and {folder} is not there: "
            "this is an installed package; name an experiment's file instead"
        )
        raise InputError([Problem(message, "experiment")])
    return folder


def experiment_files(target: str) -> list[tuple[Path, str]]:
    """The files that ``target`` means (``all``, a record's number, or a path), each with its name for people."""
    number = _NUMBER.fullmatch(target)
    if target != ALL and number is None:
        return [(Path(target), target)]
    folder = records()
    found = sorted(folder.glob(PATTERN))
    if number is not None:
        wanted = number[1].zfill(4)
        chosen = [path for path in found if path.name.startswith(wanted)]
        if not chosen:
            known = sorted({path.name[:4] for path in found})
            message = f"no experiment of record {wanted} in docs/adr (there are some of: {', '.join(known)})"
            raise InputError([Problem(message, target)])
        found = chosen
    return [(path, f"docs/adr/{path.name}") for path in found]
