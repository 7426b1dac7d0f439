"""``KEY=VALUE`` settings of a what-if question, and the scenario they make.

cost:PE=0.5x            every event on the PE lane costs half        cost:Matmult=300   every Matmult costs 300 ns
cost:name:mm=0          one instruction costs nothing                cost:opcode:Pool=2x  (where a word is both)
ring:10=8               ring 10 holds 8 descriptors                  ring:12=unbounded
overlap:compute=50      compute engines overlap by 50 ns             overlap:dma=0
coupling=on|off|auto    Pool and DVE share an issue port             anti_deps=off
engine_order=off  barriers=off  psum_banks=off                       what the constraint itself costs
collective_share=max_stream  collective_reflow=overlap               the other readings of the source
arch=trn3  timing=public|learned:DIR                                 another generation, other costs
oracle:dram_path=on     transfers to DRAM take the unrounded path    oracle:dge_clock=100    Gen3's descriptor clock
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from simcore.errors import InputError, Problem, hint
from simcore.oracle import OracleOptions, check_timing
from simcore.perfsim.costs import CostChange
from simcore.perfsim.options import PerfSimOptions
from simcore.program.engines import Lane
from simcore.program.generations import ARCH_NAMES
from simcore.program.limits import MAX_COST_NS
from simcore.program.opcodes import Opcode
from simcore.program.program import Program
from simcore.program.vocabulary import QUEUE_COUNT

MAX_FACTOR = 1000
MAX_CLOCK = 100_000
"""Largest clock that a setting may name, in units of 10 MHz."""

_SWITCHES = {"on": True, "off": False}
_OPTION_WORDS: dict[str, dict[str, Any]] = {
    "coupling": {**_SWITCHES, "auto": None},
    "engine_order": _SWITCHES,
    "barriers": _SWITCHES,
    "psum_banks": _SWITCHES,
    "anti_deps": _SWITCHES,
    "collective_share": {"arch": "arch", "max_stream": "max_stream"},
    "collective_reflow": {"none": "none", "overlap": "overlap"},
    "arch": {name: name for name in ARCH_NAMES},
}
_OVERLAPS = {"compute": "compute_overlap_ns", "dma": "dma_overlap_ns"}
_ORACLE_READINGS = ("dram_path", "dge_clock")
KEYS = (
    "cost:ENGINE|OPCODE|name:INSTRUCTION",
    "ring:0..12",
    "overlap:compute",
    "overlap:dma",
    *(f"oracle:{reading}" for reading in _ORACLE_READINGS),
    *_OPTION_WORDS,
    "timing",
)
"""Every key, for messages."""


@dataclass
class Scenario:
    """What a set of settings asks for, beside the base: pass its parts to ``prepare`` and ``run``."""

    arch: str | None = None
    timing: str | None = None
    include_anti_deps: bool = True
    changes: list[CostChange] = field(default_factory=list)
    knobs: dict[str, Any] = field(default_factory=dict)
    readings: dict[str, Any] = field(default_factory=dict)

    def oracle(self) -> OracleOptions:
        """The readings of the cost source that the settings choose."""
        return OracleOptions(**self.readings)

    def options(self) -> PerfSimOptions:
        """The options that the settings change."""
        return PerfSimOptions.model_validate(self.knobs)


def scenario_of(settings: Iterable[str], program: Program) -> Scenario:
    """The scenario of ``KEY=VALUE`` texts. Raises InputError with every bad one."""
    scenario, problems = Scenario(), []
    for text in settings:
        key, equals, value = text.partition("=")
        try:
            if not equals:
                raise _Bad(f"expected KEY=VALUE (keys: {', '.join(KEYS)})")
            _apply(key.strip(), value.strip(), scenario, program)
        except _Bad as bad:
            problems.append(Problem(str(bad), f"--set {text}"))
    if problems:
        raise InputError(problems)
    return scenario


class _Bad(Exception):
    """A setting that cannot be taken, with what is wrong."""


def _apply(key: str, value: str, scenario: Scenario, program: Program) -> None:
    head, _, rest = key.partition(":")
    if head == "cost":
        scenario.changes.append(_cost_change(rest, value, program))
    elif head == "ring":
        ring = _whole(rest, "ring number", 0, QUEUE_COUNT - 1)
        depth = None if value == "unbounded" else _whole(value, "ring depth", 1, 10**6, "or unbounded")
        scenario.knobs.setdefault("ring_depths", {})[ring] = depth
    elif head == "overlap":
        if rest not in _OVERLAPS:
            raise _Bad(f"unknown overlap window {hint(rest, list(_OVERLAPS))}")
        scenario.knobs[_OVERLAPS[rest]] = _whole(value, "overlap in ns", 0, MAX_COST_NS)
    elif head == "oracle":
        _set_reading(rest, value, scenario)
    elif key == "timing":
        _set_timing(value, scenario)
    elif key in _OPTION_WORDS:
        words = _OPTION_WORDS[key]
        if value not in words:
            raise _Bad(f"unknown value {hint(value, list(words))}")
        _set_option(key, words[value], scenario)
    else:
        raise _Bad(f"unknown key {hint(head, ['cost', 'ring', 'overlap', 'oracle', 'timing', *_OPTION_WORDS])}")


def _set_reading(reading: str, value: str, scenario: Scenario) -> None:
    if reading not in _ORACLE_READINGS:
        raise _Bad(f"unknown reading of the oracle {hint(reading, list(_ORACLE_READINGS))}")
    if reading == "dge_clock":
        scenario.readings[reading] = _whole(value, "clock in units of 10 MHz", 1, MAX_CLOCK)
    elif value in _SWITCHES:
        scenario.readings[reading] = _SWITCHES[value]
    else:
        raise _Bad(f"unknown value {hint(value, list(_SWITCHES))}")


def _set_timing(value: str, scenario: Scenario) -> None:
    try:
        check_timing(value)
    except InputError as error:
        raise _Bad(error.problems[0].message) from error
    scenario.timing = value


def _set_option(key: str, value: Any, scenario: Scenario) -> None:
    if key == "arch":
        scenario.arch = value
    elif key == "anti_deps":
        scenario.include_anti_deps = value
    else:
        scenario.knobs["pool_dve_coupling" if key == "coupling" else key] = value


def _cost_change(target: str, value: str, program: Program) -> CostChange:
    by, colon, word = target.partition(":")
    if not colon or by not in ("engine", "opcode", "name"):
        by, word = _kind_of_target(target, program), target
    known = {
        "engine": lambda: [lane.name for lane in Lane],
        "opcode": lambda: [o.name for o in Opcode],
        "name": lambda: _names(program),
    }[by]()
    if word not in known:
        raise _Bad(f'unknown {"instruction" if by == "name" else by} "{word}" {hint(word, known)}')
    if value.endswith("x"):
        return CostChange(by=by, target=word, factor=_factor(value[:-1]))  # type: ignore[arg-type]
    return CostChange(by=by, target=word, fixed_ns=_whole(value, "cost in ns", 0, MAX_COST_NS, "or a factor like 0.5x"))  # type: ignore[arg-type]


def _kind_of_target(target: str, program: Program) -> str:
    if target in Lane.__members__:
        return "engine"
    if target in Opcode.__members__:
        return "opcode"
    if target in _names(program):
        return "name"
    words = [*Lane.__members__, *Opcode.__members__]
    raise _Bad(f'"{target}" is no engine, opcode or instruction {hint(target, words)}')


def _names(program: Program) -> list[str]:
    return [name for _, block in program.blocks for name in block.columns.name_list()]


def _factor(text: str) -> Fraction:
    try:
        factor = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise _Bad(f'"{text}x" is no factor (allowed: like 0.5x or 1/3x)') from None
    if not 0 <= factor <= MAX_FACTOR:
        raise _Bad(f"the factor {text}x is out of range (allowed: 0x to {MAX_FACTOR}x)")
    return factor


def _whole(text: str, what: str, low: int, high: int, otherwise: str = "") -> int:
    allowed = f"(allowed: {low} to {high}{' ' + otherwise if otherwise else ''})"
    try:
        number = int(text)
    except ValueError:
        raise _Bad(f'"{text}" is no {what} {allowed}') from None
    if not low <= number <= high:
        raise _Bad(f"{what} {number} is out of range {allowed}")
    return number
