"""Sizes as people write them: bytes, or a number with KiB, MiB or GiB; and sweeps from one to another."""

from __future__ import annotations

import re

from simcore.errors import InputError, Problem

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def size_of(word: str, option: str) -> int:
    """``word`` in bytes, 1 or more. Raises InputError for anything else."""
    found = re.fullmatch(r"([0-9]{1,30})\s*([A-Za-z]*)", word.strip())
    if found is None or found[2] not in UNITS or not int(found[1]):
        raise InputError([Problem(f'"{word}" (expected bytes, 1 or more, or a number with KiB, MiB or GiB)', option)])
    return int(found[1]) * UNITS[found[2]]


def sweep_of(word: str, option: str) -> list[int]:
    """``A:B``: A, twice A, and so on up to B. Raises InputError for anything else."""
    first, colon, last = word.partition(":")
    if not colon:
        raise InputError([Problem(f'"{word}" (expected A:B, the smallest and the largest size)', option)])
    problems: list[Problem] = []
    ends = []
    for part in (first, last):
        try:
            ends.append(size_of(part, option))
        except InputError as error:
            problems += error.problems
    if not problems and ends[0] > ends[1]:
        problems.append(Problem(f'"{word}": the first size is larger than the last', option))
    if problems:
        raise InputError(problems)
    sizes = [ends[0]]
    while sizes[-1] * 2 <= ends[1]:
        sizes.append(sizes[-1] * 2)
    return sizes


def shown_size(nbytes: int) -> str:
    """``nbytes`` in the largest unit that it is a whole number of."""
    unit = max((unit for unit, size in UNITS.items() if nbytes % size == 0), key=UNITS.__getitem__)
    return f"{nbytes // UNITS[unit]} {unit}".rstrip()
