"""Looks at what there is; nothing is listed by hand that is registered or stored somewhere."""

from __future__ import annotations

from collections.abc import Collection
from importlib import resources

from benches.list_report.model import (
    SCHEMA,
    BenchRow,
    ExperimentRow,
    KernelRow,
    ListReport,
    ParameterRow,
    PartRow,
    SystemRow,
    TimingRow,
)
from simcore.errors import InputError

SECTIONS = ("benches", "systems", "experiments", "kernels", "parts", "timings")

TIMING_MEANS = {
    "hwm": "the compiler's own cost model",
    "public": "the cycles that AWS documents",
    "learned": "laws fitted to profiles, in the folder DIR that kernbench calibrate train wrote",
    "platform": "a device fitted to profiles, as kernbench calibrate profile wrote it or as shipped (run, validate)",
}
"""What each word of ``--timing`` stands for."""

FORM_MEANS = {
    "linear": "a sum of features with weights, with or without an intercept",
    "loop": "latency + ii * (ceil(n / U) - 1) of one feature",
    "table": "the points of one feature, straight lines between them",
    "lookup": "the points of several features, and nothing between them",
}
"""What each form of a fitted law is."""


def report_of(sections: Collection[str] = SECTIONS) -> ListReport:
    """What there is in ``sections``, words of :data:`SECTIONS`."""
    report = ListReport(schema=SCHEMA)
    if "benches" in sections:
        report.benches = _benches()
    if "systems" in sections:
        report.systems = _systems()
    if "experiments" in sections:
        try:
            report.experiments = _experiments()
        except InputError as error:  # an installed package has no decision records, and all else can be listed
            report.experiments = []
            report.notes = [str(error)]
    if "kernels" in sections:
        report.kernels = _kernels()
    if "parts" in sections:
        report.parts = _parts()
    if "timings" in sections:
        report.timings = _timings()
    return report


def _benches() -> list[BenchRow]:
    from benches.contention.registry import all_benches

    return [
        BenchRow(
            name=bench.name,
            purpose=bench.purpose,
            parameters=[ParameterRow(name=p.name, kind=p.kind, default=p.shown_default) for p in bench.parameters],
        )
        for bench in all_benches()
    ]


def _systems() -> list[SystemRow]:
    from topology.loader import load_system, shipped_systems

    return [SystemRow(name=name, summary=load_system(name).summary) for name in shipped_systems()]


def _experiments() -> list[ExperimentRow]:
    from benches.experiments.catalogue import ALL, experiment_files
    from benches.experiments.experiment import load_experiments

    return [
        ExperimentRow(id=found.id, title=found.title, adr=found.adr or "", file=found.file)
        for found in load_experiments(experiment_files(ALL))
    ]


def _kernels() -> list[KernelRow]:
    from simcore.program.read import load_program

    folder = resources.files("benches") / "kernels"
    rows = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not entry.name.endswith(".yaml"):
            continue
        with resources.as_file(entry) as path:
            program = load_program(path)
        name = entry.name.removesuffix(".yaml")
        rows.append(
            KernelRow(
                name=program.name,
                arch=program.arch,
                instructions=sum(len(block.instructions) for _, block in program.blocks),
                measured=(folder / f"{name}.measured.json").is_file(),
                file=f"benches/kernels/{entry.name}",
            )
        )
    return rows


def _parts() -> list[PartRow]:
    from components.registry import known_parts

    return [
        PartRow(
            kind=part.kind,
            impl=part.impl,
            is_default=part.is_default,
            home=part.home,
            parameters=list(part.parameters.model_fields),
        )
        for part in known_parts()
    ]


def _timings() -> list[TimingRow]:
    from benches.calibrate_report.run_fit import FORMS
    from simcore.oracle.timing_names import LEARNED, PLATFORM, TIMINGS
    from topology.platforms import shipped_platforms

    words = [(word, word) for word in TIMINGS] + [(LEARNED, f"{LEARNED}:DIR")]
    words += [(PLATFORM, f"{PLATFORM}:{name}") for name in shipped_platforms()] + [(PLATFORM, f"{PLATFORM}:DIR")]
    rows = [TimingRow(option="--timing", word=shown, means=TIMING_MEANS[word]) for word, shown in words]
    return rows + [TimingRow(option="calibrate fit --form", word=form, means=FORM_MEANS[form]) for form in FORMS]
