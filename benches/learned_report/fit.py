"""``kernbench calibrate train`` and ``evaluate``: their reports, as records and as text."""

from __future__ import annotations

from pathlib import Path

import msgspec
from rich.console import Console

from benches.schedule_report.text import table_of
from simcore.oracle.learned.bundle import MANIFEST, Bundle, load_bundle, save_bundle
from simcore.oracle.learned.judge import Errors, HeldOut, judged
from simcore.oracle.learned.law import Law
from simcore.oracle.learned.profiles import fitted, held_out, read_profiles
from simcore.oracle.timing_names import LEARNED, TIMINGS
from simcore.staged_files import StagedFiles, make_folder
from simcore.timing.store.records import refuse_fewer

TRAIN_SCHEMA = "kernbench.learned-train/1"
EVALUATE_SCHEMA = "kernbench.learned-evaluate/1"


class LawRow(msgspec.Struct):
    """One fitted law. ``weights``: by feature, beside the constant; in ns, or of the logarithm of ns."""

    opcode: str
    form: str
    constant: float
    weights: dict[str, float]
    samples: int
    points: int
    max_rel_residual_pct: float
    left_out_error_pct: float | None


class TrainReport(msgspec.Struct):
    """What was fitted to what; ``held_out`` and ``verdict`` are None for a single profile: none is left to hold out."""

    schema: str
    bundle: str
    arch: str
    weights: str
    features: int
    profiles: dict[str, int]
    left_out: dict[str, int]
    laws: list[LawRow]
    held_out: HeldOut | None
    verdict: str | None


class EvaluateReport(msgspec.Struct):
    """The judgement of a bundle; ``profiles`` says of each whether it was ``unseen`` or ``left out`` of a new fit."""

    schema: str
    bundle: str
    arch: str
    profiles: dict[str, str]
    held_out: HeldOut
    verdict: str


def train_bundle(paths: list[Path], out: Path, staged: StagedFiles, *, force: bool) -> TrainReport:
    """Fits a bundle and stages its files in ``out``. Raises InputError instead of replacing one of more samples."""
    profiles = read_profiles(paths)
    bundle, weights = fitted(profiles)
    if (out / MANIFEST).exists() and not force:
        old = load_bundle(out).manifest.profiles
        refuse_fewer(out, sum(p.samples for p in old), sum(p.record.samples for p in profiles), force=force)
    make_folder(out)
    save_bundle(out, bundle, weights, staged)
    return _train_report(out, bundle)


def evaluate_bundle(folder: Path, paths: list[Path]) -> EvaluateReport:
    """The judgement of the bundle in ``folder`` on profiles that its laws, or fits without them, have not seen."""
    bundle = load_bundle(folder)
    profiles = read_profiles(paths)
    predictions, how = held_out(bundle, folder, profiles)
    judgement = judged(predictions)
    return EvaluateReport(
        schema=EVALUATE_SCHEMA,
        bundle=str(folder),
        arch=bundle.manifest.arch,
        profiles={p.profile.program.file: h for p, h in zip(profiles, how, strict=True)},
        held_out=judgement,
        verdict=judgement.verdict,
    )


def print_train(report: TrainReport, console: Console) -> None:
    """The laws, what they were fitted to, and the judgement."""
    samples = sum(report.profiles.values())
    console.print(f"{len(report.laws)} laws over {report.features} features, from {samples} measured instructions")
    for file, count in report.profiles.items():
        console.print(f"  {file}: {count}", soft_wrap=True)
    for reason, count in report.left_out.items():
        console.print(f"  left out: {count}, {reason}")
    table = table_of("opcode", "law", ">samples", ">points", ">worst %", ">left-out %")
    for law in report.laws:
        left_out = "-" if law.left_out_error_pct is None else f"{law.left_out_error_pct:.1f}"
        worst = f"{law.max_rel_residual_pct:.1f}"
        table.add_row(law.opcode, _law_text(law), str(law.samples), str(law.points), worst, left_out)
    console.print(table)
    if report.held_out is None or report.verdict is None:
        console.print("one profile: none is left to hold out, so nothing says how good the laws are elsewhere")
    else:
        console.print("each profile by laws fitted to the others:")
        _print_held_out(report.held_out, report.verdict, console)
    console.print(f"written to {report.bundle} (--timing learned:{report.bundle})", soft_wrap=True)


def print_evaluate(report: EvaluateReport, console: Console) -> None:
    """The judgement."""
    console.print(f"{report.bundle} ({report.arch}) on instructions that the laws have not seen", soft_wrap=True)
    for file, how in report.profiles.items():
        said = "the bundle was not fitted to it" if how == "unseen" else "by laws fitted to the others"
        console.print(f"  {file}: {said}", soft_wrap=True)
    _print_held_out(report.held_out, report.verdict, console)


def _print_held_out(held: HeldOut, verdict: str, console: Console) -> None:
    oracles = (LEARNED, *TIMINGS)
    table = table_of("", ">count", *(f">{oracle}" for oracle in oracles), ">extrapolated", ">no law")
    for row in (*held.opcodes, *held.profiles, held.costed, held.overall):
        cells = [_errors_text(row.errors.get(oracle)) for oracle in oracles]
        table.add_row(Path(row.name).name, str(row.instructions), *cells, str(row.extrapolated), str(row.fallback))
    console.print(table)
    console.print("mean relative error / sum of errors over measured time, in %", soft_wrap=True)
    console.print(verdict, soft_wrap=True)


def _errors_text(errors: Errors | None) -> str:
    return "-" if errors is None else f"{errors.mean_pct:.1f} / {errors.of_time_pct:.1f}"


def _law_text(law: LawRow) -> str:
    terms = "".join(f" {'-' if w < 0 else '+'} {abs(w):.4g}*{name}" for name, w in law.weights.items())
    said = f"{law.constant:.4g}{terms}"
    return f"exp({said})" if law.form == "log" else said


def _train_report(out: Path, bundle: Bundle) -> TrainReport:
    manifest = bundle.manifest
    left_out: dict[str, int] = {}
    for profile in manifest.profiles:
        for reason, count in profile.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + count
    return TrainReport(
        schema=TRAIN_SCHEMA,
        bundle=str(out),
        arch=manifest.arch,
        weights=manifest.weights,
        features=len(manifest.features),
        profiles={p.file: p.samples for p in manifest.profiles},
        left_out=dict(sorted(left_out.items())),
        laws=[_law_row(law) for law in bundle.laws],
        held_out=manifest.held_out,
        verdict=None if manifest.held_out is None else manifest.held_out.verdict,
    )


def _law_row(law: Law) -> LawRow:
    return LawRow(
        opcode=law.opcode,
        form=law.form,
        constant=law.constant,
        weights=law.weights,
        samples=law.fit.n_points,
        points=law.fit.n_distinct_points,
        max_rel_residual_pct=round(100 * law.fit.max_rel_residual, 4),
        left_out_error_pct=law.left_out_error_pct,
    )
