"""A measured figure beside its aim, and the table of several."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version


@dataclass(frozen=True, slots=True)
class Figure:
    """``value`` in ``unit``. ``aim`` is the value to reach, None for a figure that has none; ``at_least`` its side."""

    name: str
    value: float
    unit: str
    aim: float | None = None
    at_least: bool = True

    @property
    def reached(self) -> bool | None:
        """Whether the aim is reached, None without an aim."""
        if self.aim is None:
            return None
        return self.value >= self.aim if self.at_least else self.value <= self.aim

    def record(self) -> dict[str, object]:
        """The figure as JSON holds it."""
        entry: dict[str, object] = {"name": self.name, "value": round(self.value, 4), "unit": self.unit}
        if self.aim is not None:
            entry |= {"aim": self.aim, "aim_is": "at least" if self.at_least else "at most", "reached": self.reached}
        return entry


def print_figures(title: str, figures: Sequence[Figure]) -> None:
    """One line per figure, with its aim and whether it is reached."""
    print(title)
    width = max(len(f.name) for f in figures)
    for f in figures:
        line = f"  {f.name:<{width}}  {f.value:>10.2f} {f.unit:<22}"
        if f.aim is not None:
            side = "at least" if f.at_least else "at most"
            line += f"  aim: {side} {f.aim:g}  {'reached' if f.reached else 'NOT REACHED'}"
        print(line.rstrip())
    print(flush=True)


def surroundings() -> dict[str, str]:
    """What the figures depend on, besides the processor."""
    libraries = {name: version(name) for name in ("numpy", "numba", "simpy")}
    return {"python": platform.python_version(), "machine": platform.machine(), **libraries}
