"""What ``kernbench whatif`` says: the base, the changed run, and optionally the ranking of single changes."""

from __future__ import annotations

import msgspec
from rich.console import Console

from benches.schedule_report.text import table_of
from simcore.explain.sensitivity import Effect
from simcore.explain.sensitivity import sensitivity as ranked
from simcore.explain.settings import Scenario
from simcore.perfsim.constants import COMPUTE_OVERLAP_NS, DMA_OVERLAP_NS
from simcore.perfsim.estimate import Estimate, prepare, run
from simcore.program.program import Program

SCHEMA = "kernbench.whatif/1"

SLOWER_FOR_LESS = (
    f"a lower cost can make a program slower: a lane's next instruction starts {COMPUTE_OVERLAP_NS} ns "
    f"(on the DMA lane {DMA_OVERLAP_NS} ns) before the end of one that is longer, and not before that of a shorter one"
)
"""The compiler's own rule (ADR-0022 D4), which a reader of a ranking has not met yet."""


class BlockChange(msgspec.Struct):
    """One block's critical path (the source's figure) and makespan, before and after."""

    function: str
    block: str
    critical_path_ns: tuple[int, int]
    makespan_ns: tuple[int, int]


class Change(msgspec.Struct):
    """The changed run beside the base."""

    settings: list[str]
    before_ns: int
    after_ns: int
    blocks: list[BlockChange]


class Gain(msgspec.Struct):
    """One row of the ranking."""

    change: str
    before_ns: int
    after_ns: int
    gain_ns: int


class WhatIfReport(msgspec.Struct, omit_defaults=True):
    """``kernbench.whatif/1``. Times are whole-program nanoseconds (all blocks, all trips), but for a block's own."""

    schema: str
    program: str
    arch: str
    timing: str
    base_ns: int
    change: Change | None = None
    sensitivity: list[Gain] | None = None
    notes: list[str] = []


def whatif_report(
    program: Program, scenario: Scenario, settings: list[str], *, arch: str | None, timing: str, sensitivity: bool
) -> WhatIfReport:
    """Runs the base and what was asked. With settings, the ranking is of the changed program."""
    base = run(prepare(program, arch=arch, timing=timing))
    changed = _changed(base, scenario, arch, timing) if settings else base
    ranking = [_gain(effect) for effect in ranked(changed)] if sensitivity else None
    lost = any(gain.gain_ns < 0 and gain.change.startswith("cost:") for gain in ranking or ())
    cheaper = scenario.changes and all(c.factor is not None and c.factor < 1 for c in scenario.changes)
    lost = lost or bool(cheaper and changed.whole_program_ns > base.whole_program_ns)
    return WhatIfReport(
        schema=SCHEMA,
        program=program.name,
        arch=base.prepared.arch,
        timing=timing,
        base_ns=base.whole_program_ns,
        change=_change(base, changed, settings) if settings else None,
        sensitivity=ranking,
        notes=[SLOWER_FOR_LESS] if lost else [],
    )


def _changed(base: Estimate, scenario: Scenario, arch: str | None, timing: str) -> Estimate:
    prepared = base.prepared
    if scenario.arch is not None or scenario.timing is not None or scenario.readings:
        prepared = prepare(
            prepared.program,
            arch=scenario.arch or arch,
            timing=scenario.timing or timing,
            oracle=scenario.oracle(),
        )
    return run(
        prepared, scenario.options(), include_anti_deps=scenario.include_anti_deps, changes=tuple(scenario.changes)
    )


def _change(base: Estimate, changed: Estimate, settings: list[str]) -> Change:
    return Change(
        settings=settings,
        before_ns=base.whole_program_ns,
        after_ns=changed.whole_program_ns,
        blocks=[
            BlockChange(
                function=a.function,
                block=a.block,
                critical_path_ns=(a.critical_path_ns, b.critical_path_ns),
                makespan_ns=(a.makespan_ns, b.makespan_ns),
            )
            for a, b in zip(base.blocks, changed.blocks, strict=True)
        ],
    )


def _gain(effect: Effect) -> Gain:
    return Gain(effect.change, effect.before_ns, effect.after_ns, effect.gain_ns)


def print_whatif(report: WhatIfReport, console: Console) -> None:
    """The report for people."""
    console.print(f"{report.program} on {report.arch}: {report.base_ns} ns")
    if report.change is not None:
        change = report.change
        difference = change.after_ns - change.before_ns
        share = f" ({difference / change.before_ns:+.1%})" if change.before_ns else ""
        console.print(f"with {', '.join(change.settings)}: {change.after_ns} ns, {difference:+d} ns{share}")
        if len(change.blocks) > 1:
            table = table_of("block", ">critical path before", ">after", ">makespan before", ">after")
            for b in change.blocks:
                table.add_row(f"{b.function}/{b.block}", *map(str, (*b.critical_path_ns, *b.makespan_ns)))
            console.print(table)
    if report.sensitivity is not None:
        table = table_of("change", ">ns after", ">gain ns", ">gain")
        for gain in report.sensitivity:
            share = f"{gain.gain_ns / gain.before_ns:.1%}" if gain.before_ns else "0.0%"
            table.add_row(gain.change, str(gain.after_ns), str(gain.gain_ns), share)
        console.print(table)
    for note in report.notes:
        console.print(f"note: {note}", soft_wrap=True)
