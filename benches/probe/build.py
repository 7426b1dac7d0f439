"""Runs the probe: every case in its own engine, beside its formula; then the sweep and the invariants."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from benches.probe.cases import NBYTES, SWEEP, Case, KernelLaunch, TcmAccess, cases_of
from benches.probe.checks import checks_of
from benches.probe.compare import compare
from benches.probe.formula import Predicted
from benches.probe.model import SCHEMA, CaseReport, HopTime, ProbeReport, SweepPoint, Unplaced
from benches.probe.predict import course_of, predicted
from benches.probe.simulate import actual_ns
from benches.probe.tile_cases import Compute, TurnRound
from benches.probe.way import Way
from simcore.errors import InputError, Problem, hint
from topology.machine.site import Site
from topology.probe_places import NoPlace
from topology.system import System

ALL = "all"
"""The word that stands for every case."""


def run_probe(system: System, *, case: str = ALL, further: bool = False, with_published: bool = False) -> ProbeReport:
    """The report on ``system``: the case of that name, or every standard one and, if asked for, the ``further`` ones.

    A further case can be named without asking for all of them. ``with_published`` adds the comparison with the
    predecessor. Raises InputError for a name that is no case or has no place in the system, and for a system whose
    numbers cannot be compared.
    """
    site = Site(system)
    comparison = compare(site) if with_published else None
    found = cases_of(site, further=further or case != ALL)
    chosen = found if case == ALL else [entry for entry in found if entry.name == case]
    if not chosen:
        names = [entry.name for entry in found]
        raise InputError([Problem(f'unknown probe case "{case}" {hint(case, [*names, ALL], shown=40)}', "--case")])
    unplaced = [Unplaced(entry.name, entry.reason) for entry in chosen if isinstance(entry, NoPlace)]
    if case != ALL and unplaced:
        raise InputError([Problem(f"probe case {case} has no place: {unplaced[0].reason}", system.file)])
    reports = [_report(site, entry) for entry in chosen if not isinstance(entry, NoPlace)]
    return ProbeReport(SCHEMA, system.name, NBYTES, reports, checks_of(reports), unplaced, comparison)


def _report(site: Site, case: Case) -> CaseReport:
    course = course_of(site, case)
    nbytes = _moved_bytes(case, NBYTES)
    actual = actual_ns(site, case, NBYTES)
    said = predicted(site, case, course, NBYTES)
    sizes = SWEEP if _takes_any_size(case) else ()
    return CaseReport(
        name=case.name,
        category=case.category,
        hops=case.hops,
        path=course.payload.nodes,
        nbytes=nbytes,
        actual_ns=float(actual),
        formula_ns=float(said.formula_ns),
        terms={name: float(value) for name, value in said.terms.items()},
        unexplained_ns=float(actual - said.total_ns),
        wire_ns=float(said.wire_ns),
        overhead_ns=float(said.overhead_ns),
        drain_ns=float(said.drain_ns),
        overhead_pct=_percent(said.overhead_ns, actual),
        drain_pct=_percent(said.drain_ns, actual),
        eff_bw_gbs=float(nbytes / actual) if actual else None,
        bottleneck_bw_gbs=float(said.bottleneck_gbs) if said.bottleneck_gbs is not None else None,
        util_pct=_utilisation(nbytes, actual, said),
        hop_trace=_trace(course.payload),
        command_trace=_trace(course.command) if course.command is not None else None,
        response_trace=_trace(course.response) if course.response is not None else None,
        sweep=[_point(site, case, size, predicted(site, case, course, size)) for size in sizes],
    )


def _point(site: Site, case: Case, nbytes: int, said: Predicted) -> SweepPoint:
    actual = actual_ns(site, case, nbytes)
    return SweepPoint(
        nbytes,
        float(actual),
        float(said.formula_ns),
        _utilisation(_moved_bytes(case, nbytes), said.formula_ns, said),
        _utilisation(_moved_bytes(case, nbytes), actual, said),
        float(actual - said.total_ns),
    )


def _takes_any_size(case: Case) -> bool:
    passes = isinstance(case, TcmAccess) and case.direction == "pass"
    return not (passes or isinstance(case, KernelLaunch | Compute))


def _moved_bytes(case: Case, nbytes: int) -> int:
    """Bytes that ``case`` moves if a transfer of it has ``nbytes``."""
    match case:
        case KernelLaunch():
            return 0
        case Compute():
            return case.fetched_bytes + case.stored_bytes
        case TurnRound():
            return 2 * nbytes
        case _:
            return nbytes


def _utilisation(nbytes: int, duration_ns: Fraction, said: Predicted) -> float | None:
    """ADR-0049 D3 and D4: the bytes per time, as a share of the bottleneck's rate; None if either is missing."""
    rate = said.bottleneck_gbs
    return _percent(nbytes / duration_ns, rate) if rate is not None and nbytes else None


def _percent(part: Fraction, whole: Fraction) -> float | None:
    return float(100 * part / whole) if whole else None


def _trace(way: Way) -> list[HopTime]:
    return list(_hops(way))


def _hops(way: Way) -> Iterator[HopTime]:
    for number, (stop, at) in enumerate(zip(way.stops, way.cumulative_ns(), strict=True)):
        rate = way.wires[number].rate_gbs if number < len(way.wires) else None
        yield HopTime(stop.node, float(at), float(rate) if rate is not None else None, number == way.bottleneck)
