"""``kernbench collective``: all-reduce and its kin over a system, simulated and by analysis (ADR-0064)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from benches.cli.options import JsonTarget

if TYPE_CHECKING:
    from fractions import Fraction

    from simcore.errors import Problem

app = typer.Typer(add_completion=False)

T = TypeVar("T")
DEFAULT_SIZE = "64KiB"


@app.command()
def collective(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="all_reduce, all_gather, reduce_scatter, broadcast or all_to_all.")
    ],
    topology: Annotated[
        str, typer.Option(metavar="FILE|NAME", help="A topology file, or the name of a shipped system.")
    ] = "kernbench_2x4x4",
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="ring (if nothing is said), torus (rings of rows, then of columns) or hierarchical; pairwise of "
            "all_to_all.",
        ),
    ] = None,
    nbytes: Annotated[
        str | None,
        typer.Option("--bytes", metavar="SIZE", help=f"The whole buffer; {DEFAULT_SIZE} if nothing is said."),
    ] = None,
    sweep: Annotated[
        str | None, typer.Option(metavar="A:B", help="Sizes from A to B, each twice the one before.")
    ] = None,
    root: Annotated[
        str | None, typer.Option(metavar="PLACE", help="corner, centre or a rank, where the algorithm has a root.")
    ] = None,
    ranks: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Parts or PE tiles, by commas, with *; or peK of every cube.")
    ] = None,
    grid: Annotated[str | None, typer.Option(metavar="WxH[xP]", help="How the ranks stand (in P packages).")] = None,
    streams: Annotated[
        str, typer.Option(metavar="K|ARCH", help="1 to 4 equal streams, or those of a generation by their shares.")
    ] = "4",
    tier: Annotated[
        str | None, typer.Option(metavar="MEMORY", help="Queue slots for what arrives: tcm, sram or hbm.")
    ] = None,
    reduce: Annotated[
        str, typer.Option("--reduce-ns-per-byte", metavar="X", help="What adding takes at the receiver; 0: nothing.")
    ] = "0",
    json: JsonTarget = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.svg", help="Draw the bandwidths over the sizes.")] = None,
) -> None:
    """Run a collective over a system and hold it against the alpha-beta analysis and what theory allows."""
    from benches.cli.output import check_targets, console, emit_json, progress
    from benches.collectives.build import Request, report_of
    from benches.collectives.sizes import size_of, sweep_of
    from simcore.errors import InputError, Problem
    from simcore.staged_files import StagedFiles
    from topology.collectives.plan import algorithms_of, unknown_words
    from topology.collectives.ranks import layout_of
    from topology.collectives.shares import stream_shares
    from topology.collectives.slots import Costs, tier_of
    from topology.loader import load_system

    by = algorithm if algorithm is not None else algorithms_of(kind)[0]
    problems: list[Problem] = unknown_words(kind, by)

    def tried(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except InputError as error:
            problems.extend(error.problems)
            return None

    if nbytes is not None and sweep is not None:
        problems.append(Problem("does not go with --bytes (sizes come from one of them)", "--sweep"))
    one_size = nbytes if nbytes is not None else DEFAULT_SIZE
    sizes = tried(lambda: [size_of(one_size, "--bytes")] if sweep is None else sweep_of(sweep, "--sweep"))
    system = tried(lambda: load_system(topology))
    layout = tried(lambda: layout_of(system, ranks, grid)) if system is not None else None
    shares = tried(lambda: stream_shares(streams))
    memory = tried(lambda: tier_of(tier)) if tier is not None else None
    adding = tried(lambda: _rate(reduce))
    tried(lambda: check_targets({"--json": json, "--plot": plot}))
    if problems:
        raise InputError(problems)
    assert system is not None and layout is not None and sizes is not None and shares is not None
    assert adding is not None
    try:
        asked = Request(kind, by, sizes, layout, shares, root, Costs(memory, adding))
        report = report_of(system, asked, progress)
    finally:
        progress("")
    # The report is written before the picture appears, so that neither is there without the other.
    with StagedFiles() as staged:
        if plot is not None:
            from benches.collectives.plot import bandwidth_plot

            with staged.open(plot) as file:
                file.write(bandwidth_plot(report).encode())
        if json is not None:
            emit_json(report, json, staged)
        else:
            from benches.collectives.text import print_report

            print_report(report, console())


def _rate(word: str) -> Fraction:
    """A number of ns per byte, 0 or more, exactly as it is written."""
    import re
    from fractions import Fraction

    from simcore.errors import InputError, Problem

    if not re.fullmatch(r"[0-9]{1,30}([.][0-9]{0,30})?(/[1-9][0-9]{0,29})?", word):
        raise InputError([Problem(f'"{word}" (expected a number of ns per byte, 0 or more)', "--reduce-ns-per-byte")])
    amount, _, by = word.partition("/")
    return Fraction(amount) / int(by or 1)
