"""A module of commands that stands for the real ones: each ends in one of the ways a command can end."""

from __future__ import annotations

import typer

from simcore.errors import InputError, ModelBug, Problem

app = typer.Typer(help="Ends as it is told to.")


@app.command()
def good(count: int = typer.Option(1, help="Lines to print.")) -> None:
    """Prints lines."""
    for number in range(count):
        print("line", number)


@app.command()
def table() -> None:
    """Prints more than a pipe holds, the way tables are printed."""
    from benches.cli.output import console

    out = console()
    for _ in range(100):
        out.print("x" * 1000)


@app.command()
def check() -> None:
    raise typer.Exit(1)


@app.command()
def bad_input() -> None:
    raise InputError([Problem("first fault", file="a.yaml", line=3, column=7), Problem("second", file="a.yaml")])


@app.command()
def contradiction() -> None:
    raise ModelBug("two times for one event")


@app.command()
def crash() -> None:
    raise ZeroDivisionError("no lanes")


@app.command()
def unwritable() -> None:
    with open("no/such/folder/out.json", "w"):
        pass


@app.command()
def interrupted() -> None:
    raise KeyboardInterrupt


@app.command()
def text_for_code() -> None:
    raise SystemExit("done")
