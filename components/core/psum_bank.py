"""PSUM bank: handed from one instruction to the next in program order.

First action: none; each instruction that touches the bank enrols when the program is loaded. A writer waits until
the one enrolled before it reaches its next-dispatch; a reader waits for nobody, but the next writer waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from components.core.work import BANK, Link, Work, tell
from components.registry import register
from simcore.kernel import Environment, Part, Port


class PsumBankParameters(BaseModel):
    """``number`` of the bank; banks of one instant rank by it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    number: Annotated[int, Field(ge=0)]


class _Turn:
    """One instruction's hold on the bank: told at its next-dispatch, it lets those go who wait for the bank."""

    __slots__ = ("_bank", "waiters")

    def __init__(self, bank: PsumBank) -> None:
        self._bank = bank
        self.waiters: list[Link] | None = None

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """The holder has reached its next-dispatch."""
        bank = self._bank
        bank.completed += 1
        if bank._last is self:
            bank._last = None  # nobody has to wait for what is over
        if self.waiters is not None:
            tell(self.waiters, now, on)

    def leads_to(self, work: Work) -> bool:
        """Whether ``work`` waits for this turn to end."""
        return any(waiter is work for waiter, _ in self.waiters or ())


@register("psum_bank", "program_order", default=True)
class PsumBank(Part[PsumBankParameters]):
    """One bank. ``accepted`` and ``completed`` count turns."""

    def __init__(
        self, env: Environment, name: str, parameters: PsumBankParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self._rank = BANK + parameters.number
        self._last: _Turn | None = None

    def hold_back(self, work: Work) -> None:
        """``work`` writes the bank: it waits for the turn that is last so far."""
        last = self._last
        if last is not None:
            work.waits += 1
            if last.waiters is None:
                last.waiters = []
            last.waiters.append((work, self._rank))

    def enrol(self, work: Work) -> None:
        """``work`` reads or writes the bank: its turn is now the last."""
        self._last = turn = _Turn(self)
        self.accepted += 1
        work.tell_dispatch(turn, self._rank)
