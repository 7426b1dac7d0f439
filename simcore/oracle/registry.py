"""The oracles: three generations under two timings, found by a program's ``arch``.

``hwm`` is the compiler's own cost model; ``public`` the cycles that AWS documents, at the engines' clocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from simcore.errors import InputError, Problem, hint
from simcore.oracle.parameters import Hardware
from simcore.oracle.rules import Rule, rules_of
from simcore.oracle.timing_names import TIMINGS, check_timing
from simcore.program.engines import Engine
from simcore.program.generations import ARCH_NAMES, generation
from simcore.program.opcodes import Opcode


def _clocks(pool: int, activation: int, pe: int, dve: int) -> tuple[int, ...]:
    by_engine = {Engine.Pool: pool, Engine.Activation: activation, Engine.PE: pe, Engine.DVE: dve}
    return tuple(by_engine.get(e, 0) for e in Engine)


# A divisor of 100 makes the helper the identity: Trainium's 500 for software descriptors is a constant in ns.
_IN_NS = 100

HARDWARE: dict[tuple[str, str], Hardware] = {
    # Compiler cost page: one divisor for Pool, Activation and PE, one for DVE; 17 and 23 bytes per ns and DMA engine;
    # descriptor generation 500 (Trainium), 700 and 500 through the overhead helper (Gen3). CoreV4's transfers are not
    # published: Gen3's constants, so its rows in the table are marked as assumed.
    ("hwm", "Trainium"): Hardware(_clocks(140, 140, 140, 112), 17, 500, None, _IN_NS),
    ("hwm", "Gen3"): Hardware(_clocks(120, 120, 120, 96), 23, 700, 500, None),
    ("hwm", "CoreV4"): Hardware(_clocks(120, 120, 120, 120), 23, 700, 500, None),
    # AWS NKI architecture guides (clocks) and DMA bandwidth guide (17, 23, 33 bytes per ns and engine; about 600 ns per
    # transfer that hardware describes). No number is published for software descriptors.
    ("public", "Trainium"): Hardware(_clocks(140, 140, 280, 112), 17, 0, None, _IN_NS),
    ("public", "Gen3"): Hardware(_clocks(120, 120, 240, 96), 23, 0, 600, _IN_NS),
    ("public", "CoreV4"): Hardware(_clocks(120, 120, 240, 120), 33, 0, 600, _IN_NS),
}
"""Constants by timing and codename."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """One generation's costs under one timing. ``name`` is the registry's codename; ``rules`` are tried in order."""

    name: str
    timing: str
    hardware: Hardware
    rules: tuple[Rule, ...]


_NO_HARDWARE = Hardware(_clocks(0, 0, 0, 0), 1, 0, None, _IN_NS)


@cache
def oracle(name: str | None, timing: str) -> Oracle:
    """The oracle by codename. ``None`` gives the rules that need no generation: what costs nothing or says its cost."""
    if name is None:
        return Oracle("none", timing, _NO_HARDWARE, tuple(r for r in rules_of(timing) if not r.form.needs_hardware))
    return Oracle(name, timing, HARDWARE[timing, name], tuple(r for r in rules_of(timing) if name in r.oracles))


def oracle_name(arch: str) -> str | None:
    """Codename of the oracle that costs programs for ``arch`` (either name), None if there is none.

    Raises InputError for an unknown ``arch``.
    """
    if arch not in ARCH_NAMES:
        raise InputError([Problem(f'unknown arch "{arch}" {hint(arch, list(ARCH_NAMES))}', "--arch")])
    return generation(arch).oracle


def oracle_of(arch: str, timing: str) -> Oracle:
    """The oracle for ``arch`` under ``timing``, a cost table. Raises InputError for any other word."""
    check_timing(timing)
    if timing not in TIMINGS:
        text = f'"{timing}" is a bundle of laws, not a cost table (allowed: {", ".join(TIMINGS)})'
        raise InputError([Problem(text, "--timing")])
    return oracle(oracle_name(arch), timing)


@cache
def opcodes_with_cost() -> frozenset[Opcode]:
    """Opcodes that some generation's oracle costs by a formula of its hardware."""
    return frozenset(o for t in TIMINGS for r in rules_of(t) if r.form.needs_hardware for o in r.opcodes)
