"""How good laws are on instructions that they have not seen, beside the two cost tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from simcore.oracle.cost import cost_block, with_laws
from simcore.oracle.learned.law import Law
from simcore.oracle.learned.samples import Samples
from simcore.oracle.learned.train import train
from simcore.oracle.timing_names import BASE_TIMING, LEARNED, TIMINGS
from simcore.program.columns import Array
from simcore.program.opcodes import Opcode
from simcore.program.program import Program
from simcore.timing.confidence import Level


@dataclass(frozen=True, slots=True)
class Profile:
    """A measured program and its samples."""

    program: Program
    samples: Samples


@dataclass(frozen=True, slots=True)
class Predictions:
    """Costs of the samples of one profile that the laws have not seen: ``ns`` by oracle, int64[s] each; the laws' is
    ``learned``.

    ``level``: int8[s], the confidence of the learned cost (UNCALIBRATED: no law, so the table's).
    """

    file: str
    opcode: Array
    measured_ns: Array
    ns: dict[str, Array]
    level: Array


class Errors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mean and median of the absolute relative error, and the sum of absolute errors over the measured time; in %."""

    mean_pct: float
    median_pct: float
    of_time_pct: float


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Errors by oracle over some held-out instructions; ``extrapolated`` and ``fallback`` of them say so."""

    name: str
    instructions: int
    measured_ns: int
    extrapolated: int
    fallback: int
    errors: dict[str, Errors]


class HeldOut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The judgement: per opcode, per profile, over all, and over those that both tables give a cost.

    ``beats`` says for each table whether the laws' errors are smaller: the mean and the share of time, over all
    instructions and over those that the tables cost. ``beaten_at`` names the opcodes where a table's share of time is
    the smaller one.
    """

    opcodes: tuple[Row, ...]
    profiles: tuple[Row, ...]
    overall: Row
    costed: Row
    beats: dict[str, bool]
    beaten_at: dict[str, tuple[str, ...]]

    @property
    def verdict(self) -> str:
        """The judgement in words."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        for table, better in self.beats.items():
            figures = f"{_against(self.overall, table)} over all {self.overall.instructions}"
            if self.costed.instructions:
                figures += f"; {_against(self.costed, table)} over the {self.costed.instructions} that both tables cost"
            where = self.beaten_at[table]
            but = f"; {table} is better at {', '.join(where)}" if where else ""
            yield f"The learned oracle {'beats' if better else 'does not beat'} {table} ({figures}{but})."


def leave_one_profile_out(profiles: Sequence[Profile]) -> list[Predictions]:
    """Predictions for each of two or more profiles by laws fitted to all others."""
    return [predictions(held, train([p.samples for p in profiles if p is not held])) for held in profiles]


def predictions(profile: Profile, laws: Sequence[Law]) -> Predictions:
    """What ``laws`` and the tables say of a profile's samples."""
    program, samples = profile.program, profile.samples
    ns = {name: np.zeros(len(samples), dtype=np.int64) for name in (LEARNED, *TIMINGS)}
    level = np.zeros(len(samples), dtype=np.int8)
    for number, (_, block) in enumerate(program.blocks):
        here = samples.block == number
        events = samples.event[here]
        tables = {t: cost_block(block.columns, arch=program.arch, timing=t, file=program.file) for t in TIMINGS}
        with_learned = with_laws(tables[BASE_TIMING], block.columns, laws, file=program.file)
        for name, costs in {LEARNED: with_learned, **tables}.items():
            ns[name][here] = costs.total_ns[events]
        if with_learned.learned is not None:
            level[here] = with_learned.learned.level[events]
    return Predictions(samples.file, samples.opcode, samples.measured_ns, ns, level)


def judged(held: Sequence[Predictions]) -> HeldOut:
    """The judgement over all ``held`` profiles."""
    together = Predictions(
        file="all",
        opcode=np.concatenate([p.opcode for p in held]),
        measured_ns=np.concatenate([p.measured_ns for p in held]),
        ns={name: np.concatenate([p.ns[name] for p in held]) for name in (LEARNED, *TIMINGS)},
        level=np.concatenate([p.level for p in held]),
    )
    everywhere = np.ones(len(together.opcode), dtype=bool)
    opcodes = tuple(
        sorted(
            (_row(Opcode(o).name, together, together.opcode == o) for o in np.unique(together.opcode).tolist()),
            key=lambda row: row.name,
        )
    )
    overall = _row("all", together, everywhere)
    in_tables = np.logical_and.reduce([together.ns[table] > 0 for table in TIMINGS])
    costed = _row("costed by both tables", together, in_tables)
    return HeldOut(
        opcodes=opcodes,
        profiles=tuple(_row(p.file, p, np.ones(len(p.opcode), dtype=bool)) for p in held),
        overall=overall,
        costed=costed,
        beats={table: _beats(overall, table) and _beats(costed, table) for table in TIMINGS},
        beaten_at={table: tuple(r.name for r in opcodes if _loses(r, table)) for table in TIMINGS},
    )


def _row(name: str, of: Predictions, chosen: Array) -> Row:
    measured = of.measured_ns[chosen]
    return Row(
        name=name,
        instructions=len(measured),
        measured_ns=int(measured.sum()),
        extrapolated=int(np.sum(of.level[chosen] == Level.EXTRAPOLATED)),
        fallback=int(np.sum(of.level[chosen] == Level.UNCALIBRATED)),
        errors={oracle: _errors(ns[chosen], measured) for oracle, ns in of.ns.items()} if len(measured) else {},
    )


def _errors(predicted: Array, measured: Array) -> Errors:
    missed = np.abs(predicted - measured)
    relative = missed / measured
    return Errors(
        mean_pct=round(100 * float(np.mean(relative)), 2),
        median_pct=round(100 * float(np.median(relative)), 2),
        of_time_pct=round(100 * float(missed.sum() / measured.sum()), 2),
    )


def _against(row: Row, table: str) -> str:
    ours, theirs = row.errors[LEARNED], row.errors[table]
    mean = f"mean error {ours.mean_pct:.1f} % against {theirs.mean_pct:.1f} %"
    return f"{mean}, {ours.of_time_pct:.1f} % of the measured time against {theirs.of_time_pct:.1f} %"


def _beats(row: Row, table: str) -> bool:
    if not row.errors:
        return True
    ours, theirs = row.errors[LEARNED], row.errors[table]
    return ours.mean_pct < theirs.mean_pct and ours.of_time_pct < theirs.of_time_pct


def _loses(row: Row, table: str) -> bool:
    return row.errors[table].of_time_pct < row.errors[LEARNED].of_time_pct
