"""``kernbench flows --plot``: the flows' throughput in time, measured and by analysis, over a heat map of the links."""

from __future__ import annotations

from collections.abc import Sequence

from benches.calibrate_report.plot import Axis, axis
from benches.fair_share.fluid import Step
from benches.flows.fair import FairResult, fair, fair_by_ports
from benches.flows.heat_map import SHADES, draw_heat_map
from benches.flows.model import FlowsReport
from benches.flows.throughput import Floats, throughput
from benches.flows.traffic import PORTS, Traffic
from topology.draw.svg import Canvas

WIDTH, HEIGHT = 760.0, 300.0
MOST_SPANS, FEWEST_SPANS = 160, 20
FLITS_PER_SPAN = 24
"""Of the largest flow, on average: with fewer, a rate would seem to swing by the flits that fall into a span."""
MOST_LINES = 8
_LINES = ("#2457c5", "#c2410c", "#15803d", "#7e22ce", "#b45309", "#0e7490", "#be123c", "#4d7c0f")
_STYLE = "".join(
    [
        ".grid { stroke: #e2e5ea; fill: none } .said { stroke-width: 1; stroke-dasharray: 5 4; fill: none }\n",
        ".measured { stroke-width: 2; fill: none } .heat { stroke-width: 5; fill: none }\n",
        *(f".c{n} {{ stroke: {colour} }}\n" for n, colour in enumerate(_LINES)),
        *(f".h{n} {{ stroke: hsl({210 - 21 * n}, 75%, {78 - 3 * n}%) }}\n" for n in range(SHADES)),
    ]
)
"""Lines of flows, and shades from blue (idle) to red (always busy)."""


def plot_of(traffic: Traffic, report: FlowsReport) -> str:
    """The picture as SVG; the same traffic gives the same bytes. Of many flows those that others cost most."""
    dearest = sorted(range(len(report.flows)), key=lambda n: (-report.flows[n].cost_ns, n))[:MOST_LINES]
    chosen = sorted(dearest)
    canvas = Canvas(f"{report.name}: {len(report.flows)} flows, {report.arbitration}")
    words, rates = _analysis(traffic)
    canvas.notes.append(f"makespan {report.makespan_ns:.2f} ns; solid: delivered, dashed: {words}")
    if len(chosen) < len(report.flows):
        canvas.notes.append(f"the {len(chosen)} flows that others cost most; the heat map has all")
    flits = max(report.flows[n].bytes for n in chosen) // report.options.flit_bytes
    bounds, rows = throughput(traffic, chosen, min(MOST_SPANS, max(FEWEST_SPANS, flits // FLITS_PER_SPAN)))
    _draw_chart(canvas, bounds, rows, [rates[n] for n in chosen], [report.flows[n].name for n in chosen])
    draw_heat_map(canvas, report, traffic.system, (0.0, HEIGHT + 90))
    return canvas.svg().replace("<style>\n", f"<style>\n{_STYLE}", 1)


def _analysis(traffic: Traffic) -> tuple[str, Sequence[Sequence[Step]]]:
    """The analysis that is drawn beside the run, and its rates: that of turns by input where it applies."""
    if traffic.in_force.arbitration == PORTS:
        by_ports = fair_by_ports(traffic, with_rates=True)
        if isinstance(by_ports, FairResult):
            return "by turns of router inputs", by_ports.rates_gbs
    return "max-min fair", fair(traffic, with_rates=True).rates_gbs


def _draw_chart(
    canvas: Canvas, bounds: Floats, rows: Floats, said: Sequence[Sequence[Step]], names: Sequence[str]
) -> None:
    end = max([float(bounds[-1]), *(at for steps in said for at, _ in steps)])
    spans = [_spans(steps, end) for steps in said]
    most = max([float(rows.max(initial=0.0)), *(rate for steps in spans for _, rate in steps)], default=0.0)
    xs, ys = axis([float(bounds[0]), end], 0.0, WIDTH), axis([0.0, most], HEIGHT, 0.0)
    _draw_grid(canvas, xs, ys)
    for n, (row, steps, name) in enumerate(zip(rows, spans, names, strict=True)):
        canvas.line(*[(xs.at(t), ys.at(rate)) for t, rate in steps], css=f"said c{n}")
        stairs = [(xs.at(t), ys.at(rate)) for a, b, rate in zip(bounds, bounds[1:], row, strict=False) for t in (a, b)]
        canvas.line(*stairs, css=f"measured c{n}")
        y = 10.0 + 20 * n
        canvas.line((WIDTH + 16, y), (WIDTH + 44, y), css=f"measured c{n}")
        canvas.text((WIDTH + 50, y), name, "note")


def _draw_grid(canvas: Canvas, xs: Axis, ys: Axis) -> None:
    for tick in xs.ticks():
        canvas.line((xs.at(tick), 0.0), (xs.at(tick), HEIGHT), css="grid")
        canvas.text((xs.at(tick), HEIGHT + 12), f"{tick:g}")
    for tick in ys.ticks():
        canvas.line((0.0, ys.at(tick)), (WIDTH, ys.at(tick)), css="grid")
        canvas.text((-26.0, ys.at(tick)), f"{tick:g}")
    canvas.text((WIDTH / 2, HEIGHT + 32), "ns")
    canvas.text((-26.0, -18.0), "GB/s")


def _spans(steps: Sequence[Step], end_ns: float) -> list[Step]:
    """The corners of a rate that changes at each of ``steps``, from its start to ``end_ns``."""
    corners: list[Step] = []
    rate = 0.0
    for at, new in steps:
        corners += [(at, rate), (at, new)]
        rate = new
    return [*corners, (end_ns, rate)]
