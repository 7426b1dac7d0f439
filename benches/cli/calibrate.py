"""``kernbench calibrate``: fits timing models and laws to measurements, shows what is stored, checks and judges it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benches.cli.options import JsonTarget

app = typer.Typer(help="Fit timing models to measurements; show and check stored platforms.", no_args_is_help=True)

Profiles = Annotated[list[Path], typer.Argument(metavar="PROFILE", help="neuron-profile JSON, also compressed.")]
PlatformFolder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a platform (calibrate fit --store).")]

ShownPlatform = Annotated[
    Path,
    typer.Argument(
        metavar="DIR|NAME", help="Folder of a platform (calibrate fit --store, calibrate profile), or a shipped one."
    ),
]


@app.command()
def fit(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS.csv", help="Measurements: a header, one row each.")],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    features: Annotated[str, typer.Option(help="The columns to predict it from, separated by commas.")],
    form: Annotated[
        str, typer.Option(help="linear, loop (latency + ii*(ceil(n/U) - 1)), table (one feature) or lookup.")
    ] = "linear",
    weights: Annotated[
        str, typer.Option(help="none, or inverse_square (relative errors count the same for every row).")
    ] = "none",
    no_intercept: Annotated[bool, typer.Option("--no-intercept", help="Let the law pass through the origin.")] = False,
    unroll: Annotated[
        str, typer.Option(help="Elements per iteration of a loop; of several (1,2,4) the best fit is kept.")
    ] = "1",
    where: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=TEXT", help="Use only rows with this cell (repeatable).")
    ] = None,
    holdout: Annotated[Path | None, typer.Option(metavar="CSV", help="Rows to check the fit on, unseen.")] = None,
    store: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep the fit in this platform's folder.")] = None,
    name: Annotated[str | None, typer.Option(help="The stored model's name.")] = None,
    part: Annotated[str | None, typer.Option(help="The part that the platform is of.")] = None,
    clock_hz: Annotated[
        str | None, typer.Option("--clock-hz", help="Clock that turns measured times into cycles; the platform's.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a stored fit of more points.")] = False,
    json: JsonTarget = None,
) -> None:
    """Fit a model to a corpus: its numbers, how far they can be trusted, and what the rows cannot tell."""
    from benches.calibrate_report.run_fit import FitRequest, run_fit
    from benches.cli.output import check_targets, console, emit_json
    from simcore.staged_files import StagedFiles

    check_targets({"--json": json})
    request = FitRequest(
        corpus=corpus,
        target=target,
        features=features,
        form=form,
        weights=weights,
        no_intercept=no_intercept,
        unroll=unroll,
        where=tuple(where or ()),
        holdout=holdout,
        store=store,
        name=name,
        part=part,
        clock_hz=clock_hz,
        force=force,
    )
    # The report is written before the stored files appear, so that neither is there without the other.
    with StagedFiles() as staged:
        report = run_fit(request, staged)
        if json is not None:
            emit_json(report, json, staged)
        else:
            from benches.calibrate_report.text import print_fit

            print_fit(report, console())


@app.command()
def show(platform: ShownPlatform, json: JsonTarget = None) -> None:
    """List what a platform holds: laws or constants, their points, errors and origin; trn2 is shipped."""
    from benches.calibrate_report.device import print_device_fit, shown_device
    from benches.calibrate_report.platform_report import show_report
    from benches.calibrate_report.text import print_show
    from benches.cli.output import check_targets, console, emit_json
    from simcore.timing.store.platform import Platform

    check_targets({"--json": json})
    device = shown_device(platform)
    if device is not None:
        if json is not None:
            emit_json(device, json)
        else:
            print_device_fit(device, console(), written=False)
        return
    report = show_report(Platform.existing(platform))
    if json is not None:
        emit_json(report, json)
    else:
        print_show(report, console())


@app.command()
def report(
    platform: PlatformFolder,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with plots.")] = None,
    json: JsonTarget = None,
) -> None:
    """Fit every stored model again from its rows and show each row; exit 1 if a stored number does not follow."""
    from benches.calibrate_report.platform_report import platform_report
    from benches.cli.output import check_targets, console, emit_json
    from simcore.staged_files import StagedFiles
    from simcore.timing.store.platform import Platform

    check_targets({"--json": json, "--html": html})
    folder = Platform.existing(platform)
    checked = platform_report(folder)
    # The report is written before the page appears, so that neither is there without the other.
    with StagedFiles() as staged:
        if html is not None:
            from benches.calibrate_report.page import page
            from benches.calibrate_report.platform_report import laws_of

            with staged.open(html) as file:
                file.write(page(checked, laws_of(folder)).encode())
        if json is not None:
            emit_json(checked, json, staged)
        else:
            from benches.calibrate_report.text import print_platform

            print_platform(checked, console())
    if not checked.follows:
        raise typer.Exit(1)


@app.command()
def profile(
    profiles: Profiles,
    platform: Annotated[
        Path, typer.Option("--platform", metavar="DIR", help="The platform's folder (--timing platform:DIR).")
    ],
    name: Annotated[str | None, typer.Option(help="The platform's name; without it the folder's.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a platform of more profiles.")] = False,
    json: JsonTarget = None,
) -> None:
    """Fit a device platform to profiles: every constant with its points, its spread and how it was obtained."""
    from benches.calibrate_report.device import fit_profiles, print_device_fit
    from benches.cli.output import check_targets, console, emit_json
    from simcore.staged_files import StagedFiles

    check_targets({"--json": json})
    # The report is written before the platform appears, so that neither is there without the other.
    with StagedFiles() as staged:
        report = fit_profiles(profiles, platform, name or platform.resolve().name, staged, force=force)
        if json is not None:
            emit_json(report, json, staged)
        else:
            print_device_fit(report, console())


@app.command()
def train(
    profiles: Profiles,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The bundle's folder (--timing learned:DIR).")],
    force: Annotated[bool, typer.Option("--force", help="Replace a bundle of more instructions.")] = False,
    json: JsonTarget = None,
) -> None:
    """Fit the learned oracle: a law per opcode over its features, judged on each profile by a fit to the others."""
    from benches.cli.output import check_targets, console, emit_json
    from benches.learned_report.fit import print_train, train_bundle
    from simcore.staged_files import StagedFiles

    check_targets({"--json": json})
    # The report is written before the bundle appears, so that neither is there without the other.
    with StagedFiles() as staged:
        report = train_bundle(profiles, out, staged, force=force)
        if json is not None:
            emit_json(report, json, staged)
        else:
            print_train(report, console())


@app.command()
def evaluate(
    bundle: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a learned oracle (calibrate train).")],
    profiles: Profiles,
    json: JsonTarget = None,
) -> None:
    """Judge a learned oracle beside hwm and public, on profiles it was not fitted to or that are left out in turn."""
    from benches.cli.output import check_targets, console, emit_json
    from benches.learned_report.fit import evaluate_bundle, print_evaluate

    check_targets({"--json": json})
    report = evaluate_bundle(bundle, profiles)
    if json is not None:
        emit_json(report, json)
    else:
        print_evaluate(report, console())
