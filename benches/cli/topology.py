"""``kernbench topology``: checks, shows and draws the systems that topology files describe."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Check, show or draw a system.", no_args_is_help=True)

Source = Annotated[str, typer.Argument(metavar="FILE|NAME", help="A topology file, or the name of a shipped system.")]


class Level(StrEnum):
    """What a drawing shows."""

    auto = "auto"
    system = "system"
    sip = "sip"
    cube = "cube"
    pe = "pe"


class Edges(StrEnum):
    """Which links a path may use."""

    data = "data"
    all = "all"
    m_cpu_dma = "m_cpu_dma"
    in_cube = "in_cube"


@app.command()
def check(source: Source) -> None:
    """Find everything that is wrong with a topology, at once."""
    from benches.cli.output import note
    from simcore.errors import InputError
    from topology.check import check_file

    checked = check_file(source)
    if checked.problems:
        raise InputError(checked.problems)
    assert checked.system is not None
    for remark in checked.remarks:
        note(f"note: {remark}")
    graph = checked.system.graph
    typer.echo(f"{checked.system.name}: fine ({graph.number_of_nodes()} parts, {graph.number_of_edges()} links)")


@app.command()
def show(
    source: Source,
    src: Annotated[str | None, typer.Option("--from", metavar="PART", help="Show the path from this part.")] = None,
    dst: Annotated[str | None, typer.Option("--to", metavar="PART", help="Show the path to this part.")] = None,
    edges: Annotated[Edges, typer.Option(help="Links that the path may use.")] = Edges.data,
    origin: Annotated[bool, typer.Option("--origin", help="Show where every value was written.")] = False,
    json: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write the result as JSON (- for standard output).")
    ] = None,
) -> None:
    """Count parts and links; show a path and its bottleneck, the address map, and the origin of every value."""
    from benches.cli.output import console, emit_json
    from benches.topology_report.build import report_of
    from simcore.errors import InputError, Problem
    from topology.kinds import EdgeSet
    from topology.loader import load_system

    if (src is None) != (dst is None):
        missing = "--from" if src is None else "--to"
        raise InputError([Problem("is missing (a path has two ends)", missing)])
    ends = (src, dst) if src is not None and dst is not None else None
    report = report_of(load_system(source), ends=ends, edges=EdgeSet[edges.name.upper()], origin=origin)
    if json is not None:
        emit_json(report, json)
    else:
        from benches.topology_report.text import print_report

        print_report(report, console())


@app.command()
def draw(
    source: Source,
    level: Annotated[Level, typer.Option(help="How near to look; auto: the whole.")] = Level.auto,
    out: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="The drawing; else NAME-LEVEL.svg.")] = None,
) -> None:
    """Draw a system, one package, cube or PE tile of it, as SVG."""
    from benches.cli.output import write_whole
    from topology.draw import draw_system
    from topology.loader import load_system

    drawing = draw_system(load_system(source), None if level is Level.auto else level.value)
    target = out if out is not None else Path(f"{drawing.name}.svg")
    write_whole(drawing.svg.encode(), str(target))
    typer.echo(f"{target}: {drawing.title}")
