"""A platform's report as one page of HTML, without anything from elsewhere: each law, its plots, its rows."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from benches.calibrate_report.model import ModelCheck, PlatformReport
from benches.calibrate_report.plot import diagonal_plot, error_plot, law_plot
from benches.calibrate_report.text import law_text, platform_line, ranges_text
from simcore.timing.fit import FittedModel
from simcore.timing.table import LookupModel

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #6b7280; --rule: #e2e5ea; --law: #2457c5;
  --dot: #c2410c; --range: #2457c512; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --paper: #14171b; --soft: #9aa3ad; --rule: #2b3138;
  --law: #7aa2ff; --dot: #ff9d66; --range: #7aa2ff1c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid var(--rule); padding-top: .5rem; margin-top: 2rem; }
figure { display: inline-block; width: min(29rem, 100%); margin: 0 .5rem 0 0; }
svg { width: 100%; } svg text { font-size: 11px; fill: var(--soft); }
.grid { stroke: var(--rule); } .range { fill: var(--range); } circle { fill: var(--dot); }
polyline { fill: none; stroke: var(--law); stroke-width: 2; } .outside { stroke-dasharray: 4 4; }
.zero { stroke: var(--soft); stroke-width: 1; } .stem { stroke: var(--dot); stroke-width: 1; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .15rem .7rem; border-bottom: 1px solid var(--rule); }
.bad { color: var(--dot); font-weight: 600; } .note { color: var(--soft); }
"""


def page(report: PlatformReport, models: Mapping[str, FittedModel]) -> str:
    """The page of ``report``; ``models`` are its laws by name."""
    sections = "".join(_section(check, models[check.model.name]) for check in report.models)
    open_ones = "".join(
        f'<p class="bad">{escape(name)}: collected, not fitted: UNCALIBRATED</p>' for name in report.uncalibrated
    )
    title = escape(platform_line(report.platform, report.part, report.clock_hz))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    body = f"<h1>{title}</h1>{sections}{open_ones}"
    return f"<!doctype html><html lang=en><head>{head}<style>{_STYLE}</style></head><body>{body}</body></html>\n"


def _section(check: ModelCheck, model: FittedModel) -> str:
    row = check.model
    verdict = {
        True: "<span>follows from its rows</span>",
        False: '<span class="bad">does not follow from its rows</span>',
        None: '<span class="bad">no rows were kept</span>',
    }[check.follows]
    source = f"measured {ranges_text(row.ranges, row.features)}; {row.obtained} from {row.corpus}"
    lines = [
        f"<h2>{escape(row.name)}</h2>",
        f"<p><b>{escape(law_text(row.form, row.coefficients))}</b></p>",
        f"<p>{row.form}, {row.n_points} rows, {row.confidence} inside its range; {verdict}</p>",
        f'<p class="note">{escape(source)}</p>',
    ]
    for reason in check.not_identifiable:
        names = " and ".join(reason.coefficients)
        lines.append(f'<p class="bad">not identifiable: {escape(names)} ({escape(reason.reason)})</p>')
        lines.append(f'<p class="note">{escape(reason.advice)}</p>')
    if check.points:
        lines += [*_plots(check, model), _table(check)]
    return f"<section>{''.join(lines)}</section>"


def _plots(check: ModelCheck, model: FittedModel) -> list[str]:
    names = list(check.points[0].facts)
    target = check.model.target
    errors = [(point, point.error_pct) for point in check.points if point.error_pct is not None]
    if len(names) == 1 and not isinstance(model, LookupModel):
        (name,) = names
        values = [(point.facts[name], point.measured) for point in check.points]
        measured = (min(x for x, _ in values), max(x for x, _ in values))
        first = law_plot(values, measured, lambda x: model.cycles({name: x}), (name, target))
        second = [(point.facts[name], error) for point, error in errors]
        axis_name = name
    else:
        values = [(point.measured, point.predicted) for point in check.points]
        first = diagonal_plot(values, (f"{target} measured", "predicted"))
        second = [(point.measured, error) for point, error in errors]
        axis_name = f"{target} measured"
    plots = [f"<figure>{first}</figure>"]
    if second:
        plots.append(f"<figure>{error_plot(second, (axis_name, 'error %'))}</figure>")
    return plots


def _table(check: ModelCheck) -> str:
    names = list(check.points[0].facts)
    head = "".join(f"<th>{escape(name)}</th>" for name in (*names, "measured", "predicted", "error %"))
    rows = []
    for point in check.points:
        error = "" if point.error_pct is None else f"{point.error_pct:+.2f}"
        cells = (*(f"{v:g}" for v in point.facts.values()), f"{point.measured:g}", f"{point.predicted:g}", error)
        rows.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>'
