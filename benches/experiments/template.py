"""Set-ups that compute: ``let`` names numbers, ``{...}`` in a text stands for a value, ``for``/``do`` repeats a list's
items.

A text that is nothing but one ``{...}`` becomes the number itself, elsewhere the number is written into the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from benches.experiments.evaluate import number
from benches.experiments.findings import Findings
from benches.experiments.formula import FormulaFault, Name, Reading, is_word, parse, unknown
from simcore.program.faults import Path, kind_of, shown

MAX_REPEATS = 100_000
MAX_ITEMS = 200_000
"""Items that the loops of one set-up may make in all."""

_HOLE = re.compile(r"\{([^{}]*)\}")
_NAME_RULE = "a name is one word, as a formula has it"


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a set-up's texts may use: those of ``let`` and of the loops around them."""

    names: Mapping[str, Fraction]

    def named(self, name: Name) -> Fraction:
        """The number called ``name``."""
        if name.text not in self.names:
            raise unknown("name", name, sorted(self.names))
        return self.names[name.text]

    def reading(self, reading: Reading) -> Fraction:
        """Refused: a set-up comes before its results."""
        raise FormulaFault(f'"{reading.text}": a set-up cannot read a result', reading.at)


@dataclass(slots=True)
class Template:
    """Fills a set-up in. ``findings`` and ``source`` speak of paths in the set-up as it was written."""

    findings: Findings
    _origin: dict[Path, list[Path]] = field(default_factory=dict)
    _made: int = 0

    def lets(self, given: object) -> dict[str, Fraction]:
        """The numbers of a ``let`` mapping; later ones may use earlier ones."""
        if not isinstance(given, dict):
            self.findings.add(("let",), f"let: expected a mapping, got {kind_of(given)}")
            return {}
        names: dict[str, Fraction] = {}
        for name, written in given.items():
            path = ("let", name)
            if not is_word(name):
                self.findings.add(path, f"let: {shown(name)} is no name ({_NAME_RULE})", at_key=True)
                continue
            value = self._number(self._fill(written, Scope(names), path, path), f"let.{name}", path)
            names[name] = Fraction(0) if value is None else value
        return names

    def filled(self, value: Any, names: Mapping[str, Fraction]) -> Any:
        """``value`` with every text filled in and every loop laid out."""
        return self._fill(value, Scope(names), (), ())

    def source(self, path: Path) -> Path:
        """Where the value that is at ``path`` now was written."""
        written: Path = ()
        for k, step in enumerate(path):
            items = self._origin.get(path[:k])
            if items is not None and isinstance(step, int) and step < len(items):
                written = items[step]
            else:
                written = (*written, step)
        return written

    def _fill(self, value: Any, scope: Scope, at: Path, written: Path) -> Any:
        """``at`` is the value's path in the result, ``written`` in the set-up."""
        if isinstance(value, str):
            return self._text(value, scope, written)
        if isinstance(value, dict):
            return {key: self._fill(v, scope, (*at, key), (*written, key)) for key, v in value.items()}
        if isinstance(value, list):
            return self._list(value, scope, at, written)
        return value

    def _list(self, items: list[Any], scope: Scope, at: Path, written: Path) -> list[Any]:
        laid_out = list(self._laid_out(items, scope, written))
        if any(isinstance(item, dict) and "for" in item for item in items):
            self._origin[at] = [place for _, _, place in laid_out]
        return [self._fill(item, inner, (*at, k), place) for k, (item, inner, place) in enumerate(laid_out)]

    def _laid_out(self, items: list[Any], scope: Scope, written: Path) -> Iterator[tuple[Any, Scope, Path]]:
        """Every item, loops repeated, with the names that it may use and where it was written."""
        for k, item in enumerate(items):
            place = (*written, k)
            if not isinstance(item, dict) or "for" not in item:
                yield item, scope, place
                continue
            loop = self._loop(item, scope, place)
            if loop is None:
                continue
            name, count = loop
            for turn in range(count):
                inner = Scope({**scope.names, name: Fraction(turn)})
                for made in self._laid_out(item["do"], inner, (*place, "do")):
                    self._made += 1
                    if self._made > MAX_ITEMS:
                        self.findings.add(place, f"the loops make more than {MAX_ITEMS} items")
                        return
                    yield made

    def _loop(self, item: dict[str, Any], scope: Scope, place: Path) -> tuple[str, int] | None:
        """Name and turns of a loop, or None and what is wrong with it."""
        before = len(self.findings.found)
        for key in item:
            if key not in ("for", "do"):
                self.findings.add((*place, key), f"unknown key {shown(key)} (allowed: for, do)", at_key=True)
        if not isinstance(item.get("do"), list):
            got = kind_of(item["do"]) if "do" in item else "nothing"
            self.findings.add(place, f"do: expected the list that is repeated, got {got}")
        counter = item["for"]
        if not isinstance(counter, dict) or len(counter) != 1:
            self.findings.add((*place, "for"), "for: expected one name with its number of turns, such as {k: 8}")
            return None
        ((name, turns),) = counter.items()
        path = (*place, "for", name)
        if not is_word(name) or name in scope.names:
            why = _NAME_RULE if not is_word(name) else "it is already used"
            self.findings.add(path, f"for: {shown(name)} cannot be the name ({why})", at_key=True)
        count = self._number(self._fill(turns, scope, path, path), f"for.{name}", path)
        if count is not None and not (count.denominator == 1 and 0 <= count <= MAX_REPEATS):
            self.findings.add(path, f"for.{name}: {count} is no number of turns (allowed: 0 to {MAX_REPEATS})")
        if count is None or len(self.findings.found) > before:
            return None
        return name, int(count)

    def _text(self, text: str, scope: Scope, written: Path) -> Any:
        if "{" not in text and "}" not in text:
            return text
        outside = _HOLE.sub("", text)
        if "{" in outside or "}" in outside:
            at = min(text.find(brace) for brace in "{}" if brace in text)
            self.findings.add_formula(written, text, FormulaFault(f"a brace without its other in {shown(text)}", at))
            return text
        whole = _HOLE.fullmatch(text)
        if whole is not None:
            return self._hole(whole, text, scope, written)
        return _HOLE.sub(lambda hole: self._digits(hole, text, scope, written), text)

    def _digits(self, hole: re.Match[str], text: str, scope: Scope, written: Path) -> str:
        value = self._hole(hole, text, scope, written)
        if isinstance(value, Fraction):
            fault = FormulaFault(f"{hole[0]} is {value}, which is no whole number", hole.start())
            self.findings.add_formula(written, text, fault)
        return str(value)

    def _hole(self, hole: re.Match[str], text: str, scope: Scope, written: Path) -> int | Fraction:
        """The value in the braces: an int where it is whole; 0 (and a fault) where there is none."""
        try:
            value = number(parse(hole[1], "a number"), scope)
        except FormulaFault as fault:
            self.findings.add_formula(written, text, FormulaFault(fault.message, hole.start(1) + fault.at))
            return 0
        return int(value) if value.denominator == 1 else value

    def _number(self, value: object, label: str, path: Path) -> Fraction | None:
        if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
            self.findings.add(path, f"{label}: expected a number, got {kind_of(value)}")
        elif isinstance(value, float) and not math.isfinite(value):
            self.findings.add(path, f"{label}: {value} is not a finite number")
        elif isinstance(value, float):
            return Fraction(repr(value))
        else:
            return Fraction(value)
        return None
