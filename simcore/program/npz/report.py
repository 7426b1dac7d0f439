"""Collecting what is wrong with a columns file, member by member."""

from __future__ import annotations

from dataclasses import dataclass, field

from simcore.errors import InputError, Problem
from simcore.program.columns import Array


@dataclass(slots=True)
class Report:
    """The problems of one file; ``block`` is the label of the block that is being looked at."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    block: str | None = None

    def add(self, member: str | None, message: str) -> None:
        """Records a problem of a member (of the file, if None)."""
        where = "" if self.block is None else f" in block {self.block}"
        self.problems.append(Problem(message + where, self.file, where=member))

    def add_at(self, member: str, wrong: Array, message: str) -> None:
        """Records a problem of the events (or other elements) whose indices are in ``wrong``, if any."""
        self.add_first(member, len(wrong), int(wrong[0]) if len(wrong) else -1, message)

    def add_first(self, member: str, number: int, first: int, message: str) -> None:
        """Records a problem that ``number`` events have, if any has; ``first`` is the first of them."""
        if number:
            more = "" if number == 1 else f" ({number} such)"
            self.add(member, f"[{first}] {message}{more}")

    def stop_if_any(self) -> None:
        """Raises InputError with the problems found so far."""
        if self.problems:
            raise InputError(self.problems)
