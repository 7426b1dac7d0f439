"""The operand text of a hardware instruction, taken apart.

For example ``S[5] (Tensor)>=4 S[4] (Scalar)++@complete src=fp32@0x2000000[1,1][512,1] dst=... channels=128``: semaphore
clauses, memory accesses ``role=dtype@address[steps][counts]`` (elements, innermost dimension first), pointers to
per-partition scalars, a PE tile ``rows*columns``, and plain ``key=value`` attributes and words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SEMAPHORE = re.compile(r"S\[(\d{1,9})\]\s*(?:\([^)]*\))?\s*(?:(?:>=|==)\s*(\d{1,9})|(\+\+)(?:@\w+)?)(?=\s|$)")
_ACCESS_KEY = re.compile(r"(?:src|dst)\d*")
_ACCESS = re.compile(r"(?:(\w+)@)?(0x[0-9a-fA-F]+)\[(-?\d{1,12}(?:,-?\d{1,12})*)\]\[(\d{1,12}(?:,\d{1,12})*)\]")
_TYPED_POINTER = re.compile(r"(?:(\w+)@)?(0x[0-9a-fA-F]+)")
_IMMEDIATE_POINTER = re.compile(r"\[(?:(\w+)@)?(0x[0-9a-fA-F]+)\]")
_TILE = re.compile(r"(\d{1,9})\*(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Access:
    """A pattern of elements. ``steps`` (elements, may be negative) and ``counts`` run innermost first."""

    role: str
    dtype: str | None
    address: int
    steps: tuple[int, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of one scalar per partition (a bias, a scale)."""

    key: str
    dtype: str | None
    address: int


@dataclass(slots=True)
class OperandText:
    """What the text says. ``waits`` are (semaphore, value), ``sets`` the semaphores raised by one at completion."""

    accesses: list[Access] = field(default_factory=list)
    pointers: list[Pointer] = field(default_factory=list)
    waits: list[tuple[int, int]] = field(default_factory=list)
    sets: list[int] = field(default_factory=list)
    tile: tuple[int, int] | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def parse_operands(text: str) -> OperandText:
    """The operand text taken apart; ``faults`` names every piece that could not be understood."""
    found = OperandText()
    rest = _SEMAPHORE.sub(lambda m: _take_semaphore(m, found), text)
    for token in rest.split():
        if token.startswith("S["):
            found.faults.append(
                f'semaphore clause "{token}" not understood (allowed: S[n] (owner)>=value, S[n] (owner)++@complete)'
            )
        elif "=" in token:
            _take_pair(token, found)
        elif tile := _TILE.fullmatch(token):
            found.tile = (int(tile[1]), int(tile[2]))
        else:
            found.words.append(token)
    _take_immediates(found)
    return found


def _take_semaphore(match: re.Match[str], found: OperandText) -> str:
    semaphore = int(match[1])
    if match[3] is None:
        found.waits.append((semaphore, int(match[2])))
    else:
        found.sets.append(semaphore)
    return " "


def _take_pair(token: str, found: OperandText) -> None:
    key, value = token.split("=", 1)
    if _ACCESS_KEY.fullmatch(key):
        match = _ACCESS.fullmatch(value)
        steps = _numbers(match[3]) if match else ()
        counts = _numbers(match[4]) if match else ()
        if match is None or len(steps) != len(counts) or 0 in counts:
            found.faults.append(
                f'operand "{key}={value}" not understood (allowed: {key}=dtype@0xADDRESS[steps][counts])'
            )
        else:
            found.accesses.append(Access(key, match[1], int(match[2], 16), steps, counts))
    elif key.endswith("_ptr"):
        match = _TYPED_POINTER.fullmatch(value)
        if match is None:
            found.faults.append(f'operand "{key}={value}" not understood (allowed: {key}=dtype@0xADDRESS)')
        else:
            found.pointers.append(Pointer(key, match[1], int(match[2], 16)))
    else:
        found.attributes[key] = value


def _take_immediates(found: OperandText) -> None:
    """Immediates that are addresses: marked PTR in ``imm_src``, or written in brackets."""
    values = found.attributes.get("imm", "").split(",")
    sources = found.attributes.get("imm_src", "").split(",")
    for k, value in enumerate(values):
        marked = k < len(sources) and sources[k] == "PTR"
        match = (_TYPED_POINTER if marked else _IMMEDIATE_POINTER).fullmatch(value)
        if match is not None:
            found.pointers.append(Pointer(f"imm[{k}]", match[1], int(match[2], 16)))
        elif marked:
            found.faults.append(f'operand "imm={value}" not understood (imm_src says PTR: expected an address 0x...)')
    if sources.count("PTR") and len(sources) != len(values):
        found.faults.append(f'"imm_src" names {len(sources)} immediates, "imm" gives {len(values)}')


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in text.split(","))
