"""``kernbench run --memory fabric``: programs on the cores of a system, with what is shown meanwhile and afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benches.run_report.on_fabric import Progress
    from simcore.perfsim.estimate import Prepared

SECONDS = 0.5
"""How often the progress is shown anew."""


def run_programs(
    programs: Sequence[Prepared],
    topology: str | None,
    device: str | None,
    collective: str | None,
    *,
    events: bool,
    explain: bool,
    unroll: bool,
    json: str | None,
    trace: Path | None,
) -> None:
    """Runs ``programs`` on the named devices of ``topology`` and reports. Raises InputError as its parts do.

    ``collective``: the algorithm of their collectives, None: a ring.
    """
    from benches.cli.output import console, emit_json, note
    from benches.exact_ns import with_exact_times
    from benches.run_report.fabric_report import assigned, devices_named, result_of, site_named
    from benches.run_report.fabric_trace import Carried, write_fabric_trace
    from benches.run_report.model import DevicesReport
    from benches.run_report.on_fabric import Progress
    from benches.unroll_report import Unrolling
    from topology.collectives.joining import RING, checked_algorithm

    algorithm = checked_algorithm(RING if collective is None else collective)
    site = site_named(topology)
    unrolled = [Unrolling.of(prepared) if unroll else None for prepared in programs]
    ready = [(u.prepared if u is not None else prepared, u) for prepared, u in zip(programs, unrolled, strict=True)]
    assignments = assigned(devices_named(site, device), ready)
    carried = Carried() if trace is not None else None
    progress = Progress()
    with shown(progress):
        result = result_of(
            site,
            assignments,
            events=events,
            explain=explain,
            algorithm=algorithm,
            carried=carried,
            progress=progress,
        )
    if trace is not None and carried is not None:
        written = write_fabric_trace(trace, result.run, carried)
        if len(written) > 1:
            note(f"the trace fills {len(written)} files: {', '.join(map(str, written))}")
    report = result.report()
    if json is not None:
        emit_json(with_exact_times(report), json)
    elif isinstance(report, DevicesReport):
        from benches.run_report.text import print_devices

        print_devices(report, console())
    else:
        from benches.run_report.text import print_report

        print_report(report, console())


@contextmanager
def shown(run: Progress) -> Iterator[None]:
    """Shows on a terminal, until the block is left, how far ``run`` is."""
    from benches.cli.output import progress
    from simcore.kernel import show_ticks

    over = threading.Event()

    def show() -> None:
        while not over.wait(SECONDS):
            progress(f"{run.done} of {run.total} instructions, {show_ticks(run.now_ticks())} simulated")

    shower = threading.Thread(target=show, daemon=True)
    shower.start()
    try:
        yield
    finally:
        over.set()
        shower.join()
        progress("")
