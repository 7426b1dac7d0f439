"""``run --memory fabric``: which program on which device, both runs of all of them, and the reports of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benches.exact_ns import exact_ns
from benches.run_report.build import FABRIC, SCHEMA, Surrounded, part_records, report_of
from benches.run_report.delays import labelled
from benches.run_report.fabric_parts import device_parts, shared_parts
from benches.run_report.model import DevicesReport, RunReport
from benches.run_report.on_fabric import DeviceRun, FabricRun, Progress, left_out_of, place, run_on_fabric
from benches.unroll_report import Unrolling
from components.fabric.flow import Flow
from simcore.errors import InputError, Problem
from simcore.explain.why import HIDDEN_AT_END, Why
from simcore.perfsim.estimate import Estimate, Prepared, run
from simcore.program.edges import EdgeKind
from simcore.units import TICKS_PER_NS
from topology.collectives.joining import RING
from topology.loader import load_system, shipped_systems
from topology.machine.devices import ALL, Device, device_names, devices_of
from topology.machine.site import Site


@dataclass(frozen=True, slots=True)
class Assignment:
    """A program on a device; ``unrolling``: of its loops, if they are unrolled."""

    device: Device
    prepared: Prepared
    unrolling: Unrolling | None


def site_named(topology: str | None) -> Site:
    """The system of ``--topology``. Raises InputError if none is named."""
    if topology is None:
        allowed = f"allowed: a topology file, or one of {', '.join(shipped_systems())}"
        raise InputError([Problem(f"--memory {FABRIC} needs a system to run on ({allowed})", "--topology")])
    return Site(load_system(topology))


def devices_named(site: Site, word: str | None) -> list[Device]:
    """The devices of ``--device``: names with commas between them, or ``all``; the only one if there is one.

    Raises InputError if none is named and there are several.
    """
    if word is None:
        names = device_names(site)
        if len(names) > 1:
            shown = ", ".join(names[:4]) + (f", .. ({len(names)} in all)" if len(names) > 4 else "")
            allowed = f"allowed: {shown}, several with commas between them, or {ALL}"
            raise InputError(
                [Problem(f"{site.system.name} has {len(names)} devices: name one ({allowed})", "--device")]
            )
        word = ALL
    return devices_of(site, [name.strip() for name in word.split(",")])


def assigned(devices: Sequence[Device], programs: Sequence[tuple[Prepared, Unrolling | None]]) -> list[Assignment]:
    """One program on every device, or as many programs as devices in pairs. Raises InputError for other numbers."""
    if len(programs) == 1:
        programs = list(programs) * len(devices)
    if len(programs) != len(devices):
        message = f"{len(programs)} programs for {len(devices)} devices (allowed: one program, or one for each device)"
        raise InputError([Problem(message, "--device")])
    return [Assignment(device, *program) for device, program in zip(devices, programs, strict=True)]


@dataclass(frozen=True, slots=True)
class FabricResult:
    """Both runs of all assignments. ``reports``: one for each device."""

    run: FabricRun
    reports: list[RunReport]
    topology: str

    def report(self) -> RunReport | DevicesReport:
        """What is said of the run: of one device its own report."""
        if len(self.reports) == 1:
            return self.reports[0]
        last = max(self.run.devices, key=lambda device: device.ended_at)
        estimates = [_perfsim_ticks(device.placed.estimate) for device in self.run.devices]
        own = _perfsim_ticks(last.placed.estimate)
        split: Counter[Why] = Counter({Why(HIDDEN_AT_END): own - max(estimates)})
        for block in last.blocks:
            attribution = block.attribution()
            assert attribution is not None
            for why, ticks in attribution.of_makespan().items():
                split[why] += ticks
        return DevicesReport(
            schema=SCHEMA,
            memory=FABRIC,
            topology=self.topology,
            devices=self.reports,
            makespan_ns=exact_ns(self.run.ticks, TICKS_PER_NS),
            perfsim_ns=exact_ns(max(estimates), TICKS_PER_NS),
            difference_ns=exact_ns(self.run.ticks - max(estimates), TICKS_PER_NS),
            attribution=labelled(split),
            parts=part_records(shared_parts(self.run), self.run.ticks),
        )


def result_of(
    site: Site,
    assignments: Sequence[Assignment],
    *,
    events: bool,
    explain: bool,
    algorithm: str = RING,
    carried: Callable[[Flow], None] | None = None,
    progress: Progress | None = None,
) -> FabricResult:
    """Runs all assignments at once, and again without anti-dependencies if there are any.

    ``algorithm``: of collectives. Raises InputError as the runs do.
    """
    with_anti = [run(a.prepared) for a in assignments]
    without_anti = [run(a.prepared, include_anti_deps=False) for a in assignments]
    devices = [a.device for a in assignments]
    placed = place(site, list(zip(devices, with_anti, strict=True)))
    first = second = run_on_fabric(site, placed, algorithm=algorithm, carried=carried, progress=progress)
    if any((block.columns.dep_kind == EdgeKind.Anti).any() for a in assignments for block in a.prepared.blocks):
        placed_without = place(site, list(zip(devices, without_anti, strict=True)))
        second = run_on_fabric(site, placed_without, algorithm=algorithm, progress=progress)
    alone = shared_parts(first) if len(assignments) == 1 else {}
    reports = []
    for number, (assignment, done, free, estimate, free_estimate) in enumerate(
        zip(assignments, first.devices, second.devices, with_anti, without_anti, strict=True)
    ):
        unrolling = assignment.unrolling
        parts = {**device_parts(done), **alone}
        notes = [*_notes(site, done), *_collective_notes(first, number)]
        reports.append(
            report_of(
                done.blocks,
                free.blocks,
                estimate,
                free_estimate,
                events=events,
                explain=explain,
                unroll=None if unrolling is None else unrolling.report([block.schedule for block in done.blocks]),
                around=Surrounded(assignment.device.name, site.system.name, parts, notes),
            )
        )
    return FabricResult(first, reports, site.system.name)


def _notes(site: Site, done: DeviceRun) -> list[str]:
    device = done.placed.device
    notes = []
    if done.surroundings.sbuf is None:
        notes.append(f"{device.name}: {site.system.name} gives no rate of its SBUF, which takes no time here")
    notes += [f"{device.name}: {count} {words}" for words, count in left_out_of(done.placed).items()]
    if done.placed.unresolved:
        notes.append(
            f"{device.name}: {done.placed.unresolved} addresses in DRAM name nothing in {site.system.name}; "
            f"what lies there was placed in {device.home}"
        )
    return notes


def _collective_notes(run: FabricRun, place: int) -> list[str]:
    """What is to be said of the collectives of the device at ``place``."""
    joined, name = run.joined, run.devices[place].placed.device.name
    notes = [f"{name}: {count} {words}" for words, count in joined.left_out.get(place, {}).items()]
    if joined.collectives and place in joined.ranks:
        count, ranks = len(joined.collectives), len(joined.ranks)
        free = "reductions are free, and no memory is read or written at their ends"
        ways = ", ".join(dict.fromkeys(joint.plan.algorithm for joint in joined.collectives))
        notes.append(f"{name}: {count} collectives over {ranks} devices by {ways}; {free}")
    return notes


def _perfsim_ticks(estimate: Estimate) -> int:
    return sum(block.makespan_ns for block in estimate.blocks) * TICKS_PER_NS
