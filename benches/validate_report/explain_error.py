"""Where the greatest start error comes from, found by going back along what each timeline's starts had waited for.

From the instruction whose start is furthest off, the predicted chain of causes leads back to the block's begin. Each
step inherits the error of the one before it and adds its own: the difference between the predicted and the measured
time from start to start. The first step that adds at least half of what the worst step adds is where the error arises.
"""

from __future__ import annotations

import numpy as np

from benches.band import DIGITS
from benches.validate_report.metrics import first_start, start_errors
from benches.validate_report.model import ChainStep, ErrorOrigin
from benches.validate_report.timeline import Timeline, transfers
from simcore.errors import ModelBug
from simcore.program.columns import Array, Columns
from simcore.program.engines import Engine
from simcore.program.opcodes import Opcode

JUMP_SHARE = 0.5
"""Of the largest addition on the chain: what counts as the jump."""


def greatest_error(columns: Columns, predicted: Timeline, measured: Timeline) -> ErrorOrigin | None:
    """The origin of the greatest start error of ``predicted``, which is one run; None if every start is met."""
    errors = start_errors(columns, predicted, measured)
    sizes = np.where(transfers(columns), 0.0, np.abs(errors))
    if not sizes.any():
        return None
    worst = int(sizes.argmax())
    chain = _chain(predicted, worst)
    added = np.diff(errors[chain], prepend=0.0)
    sign = 1.0 if errors[worst] > 0 else -1.0
    largest = float((added * sign).max())
    jump = int(np.flatnonzero(added * sign >= JUMP_SHARE * largest)[0])
    names = columns.name_list()
    steps = _Steps(columns, names, predicted, measured)
    return ErrorOrigin(
        instruction=names[worst],
        error_ns=round(float(errors[worst]), DIGITS),
        jump=steps.step(chain[jump], errors, added[jump]),
        behind=steps.behind(chain[jump]),
        part_at=_part_at(names, predicted, measured, worst),
        predicted_chain=[steps.step(event, errors, a) for event, a in zip(chain, added, strict=True)],
        measured_chain=[names[event] for event in _chain(measured, worst)],
    )


def _chain(timeline: Timeline, event: int) -> list[int]:
    """The events from the chain's begin to ``event``, each bound by the one before it."""
    chain = [event]
    while (event := int(timeline.on[event])) >= 0:
        chain.append(event)
        if len(chain) > len(timeline.on):
            raise ModelBug(f"the causes of event {chain[0]} go round in a circle")
    chain.reverse()
    return chain


def _part_at(names: list[str], predicted: Timeline, measured: Timeline, event: int) -> str | None:
    while event >= 0:
        if predicted.on[event] != measured.on[event]:
            return names[event]
        event = int(predicted.on[event])
    return None


class _Steps:
    """Events as records and words; times count from the block's first instruction."""

    def __init__(self, columns: Columns, names: list[str], predicted: Timeline, measured: Timeline) -> None:
        self.columns, self.names, self.predicted, self.measured = columns, names, predicted, measured
        instructions = ~transfers(columns)
        self.origins = first_start(predicted, instructions), first_start(measured, instructions)

    def step(self, event: int, errors: Array, added: float) -> ChainStep:
        """One event of the chain."""
        return ChainStep(
            name=self.names[event],
            opcode=Opcode(int(self.columns.opcode[event])).name,
            engine=Engine(int(self.columns.engine[event])).name,
            predicted_start_ns=round(float(self.predicted.start[event]) - self.origins[0], DIGITS),
            measured_start_ns=round(float(self.measured.start[event]) - self.origins[1], DIGITS),
            error_ns=round(float(errors[event]), DIGITS),
            added_ns=round(float(added), DIGITS),
            predicted_cause=self.predicted.cause[event],
            predicted_on=self._name(int(self.predicted.on[event])),
            measured_cause=self.measured.cause[event],
            measured_on=self._name(int(self.measured.on[event])),
        )

    def behind(self, event: int) -> str:
        """What the event waited for in both timelines, and how long what it waited for took in each."""
        before = int(self.predicted.on[event])
        ours, theirs = self.predicted, self.measured
        if before < 0:
            return f"{self.names[event]} waits for nothing in the prediction; {self._waited(event)}"
        text = (
            f"{self.names[event]} starts {_between(ours, before, event)} after {self.names[before]} in the prediction "
            f"({ours.cause[event]}), {_between(theirs, before, event)} in the measurement; {self.names[before]} takes "
            f"{_ns(ours.duration[before])} there, {_ns(theirs.duration[before])} here"
        )
        return text if before == int(theirs.on[event]) else f"{text}; {self._waited(event)}"

    def _waited(self, event: int) -> str:
        on = self._name(int(self.measured.on[event]))
        return f"measured, it waited for {on} ({self.measured.cause[event]})" if on else "measured, it waited for none"

    def _name(self, event: int) -> str | None:
        return self.names[event] if event >= 0 else None


def _between(timeline: Timeline, before: int, event: int) -> str:
    return _ns(timeline.start[event] - timeline.start[before])


def _ns(value: float) -> str:
    return f"{value:.0f} ns"
