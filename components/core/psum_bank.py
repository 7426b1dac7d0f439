"""PSUM bank: handed from one instruction to the next in program order.

First action: none; each instruction that touches the bank enrols when the program is loaded. A writer waits until
the one enrolled before it reaches its next-dispatch; a reader waits for nobody, but the next writer waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from components.core.work import BANK, Work
from components.registry import register
from simcore.kernel import Environment, Part, Port


class PsumBankParameters(BaseModel):
    """``number`` of the bank; banks of one instant rank by it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    number: Annotated[int, Field(ge=0)]


@register("psum_bank", "program_order", default=True)
class PsumBank(Part[PsumBankParameters]):
    """One bank. ``accepted`` counts instructions that touch it, ``completed`` those that have left it."""

    def __init__(
        self, env: Environment, name: str, parameters: PsumBankParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self.via = self
        self._rank = BANK + parameters.number
        self._last: Work | None = None
        self._followers: dict[Work, list[Work]] = {}
        self._link = (self, self._rank)

    def hold_back(self, work: Work) -> None:
        """``work`` writes the bank: it waits for the last that has enrolled so far, if that has not left yet."""
        last = self._last
        if last is not None:
            work.waits += 1
            self._followers.setdefault(last, []).append(work)

    def enrol(self, work: Work) -> None:
        """``work`` reads or writes the bank and is now the last to do so."""
        self._last = work
        self.accepted += 1
        work.tell_dispatch(self._link)

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """``on`` has reached its next-dispatch and leaves the bank to those who follow it."""
        self.completed += 1
        if self.record is not None:
            self.record((now, self.name, "leave", on.name))
        if on is self._last:
            self._last = None
        followers = self._followers.pop(on, None)
        if followers is not None:
            for work in followers:
                work.wait_over(now, self._rank, on)

    def followers(self, on: Work) -> Iterable[Work]:
        """The writers that wait for ``on`` to leave."""
        return self._followers.get(on, ())
