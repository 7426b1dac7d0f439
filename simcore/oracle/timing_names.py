"""The words that say whose numbers are used: ``hwm``, ``public``, or ``learned:DIR`` for a bundle of fitted laws."""

from __future__ import annotations

from pathlib import Path

from simcore.errors import InputError, Problem, nearest

TIMINGS = ("hwm", "public")
"""The cost tables."""

LEARNED = "learned"

PLATFORM = "platform"
"""``platform:NAME`` or ``platform:DIR`` is a device with semaphores and a clock of its own, not a source of costs."""

BASE_TIMING = "hwm"
"""The table that costs what a bundle has no law for."""


def learned_folder(timing: str) -> Path | None:
    """The bundle's folder of ``learned:DIR``, None for any other word. Raises InputError if DIR is missing."""
    head, _, folder = timing.partition(":")
    if head != LEARNED:
        return None
    if not folder:
        text = f'"{timing}" names no bundle (expected {LEARNED}:DIR, a folder of kernbench calibrate train)'
        raise InputError([Problem(text, "--timing")])
    return Path(folder)


def platform_of(timing: str) -> str | None:
    """NAME or DIR of ``platform:NAME`` and ``platform:DIR``, None for any other word. Raises InputError without it."""
    head, _, word = timing.partition(":")
    if head != PLATFORM:
        return None
    if not word:
        text = f'"{timing}" names no platform (expected {PLATFORM}:NAME, see kernbench list timings, or {PLATFORM}:DIR)'
        raise InputError([Problem(text, "--timing")])
    return word


def table_of(timing: str) -> str:
    """The cost table behind ``timing``: the word itself, or the base of a bundle."""
    return timing if learned_folder(timing) is None else BASE_TIMING


def check_timing(timing: str) -> None:
    """Raises InputError for a word that is none of these."""
    if timing in TIMINGS or learned_folder(timing) is not None:
        return
    allowed = f"{', '.join(TIMINGS)}, {LEARNED}:DIR; run and validate also take {PLATFORM}:NAME"
    head = timing.partition(":")[0]
    if head == PLATFORM:
        raise InputError([Problem(f'"{timing}" is a device, not a source of costs (allowed: {allowed})', "--timing")])
    guess = nearest(head, (*TIMINGS, LEARNED, PLATFORM))
    meant = f'; did you mean "{guess}"?' if guess else ""
    raise InputError([Problem(f'unknown timing "{timing}" (allowed: {allowed}{meant})', "--timing")])
