"""``kernbench convert``: a program file in another format."""

from __future__ import annotations

import io
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from simcore.program.program import Program

app = typer.Typer(add_completion=False)

STANDARD_OUTPUT = "-"


class Format(StrEnum):
    """A format that can be written; the value is the word for ``--to``."""

    STREAM = "stream"
    YAML = "yaml"
    BIR = "bir"
    COLUMNS = "columns"


ENDINGS = {
    ".bir.json": Format.BIR,
    ".json": Format.STREAM,
    ".yaml": Format.YAML,
    ".yml": Format.YAML,
    ".npz": Format.COLUMNS,
}
"""Endings of file names and what they stand for, the more special ones first; ``.gz`` may follow."""


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Program file of any format.")],
    target: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="File to write, or - for standard output. Its ending says the format: .json or .yaml (stream), "
            ".bir.json, .npz (columns); .gz after it compresses.",
        ),
    ],
    to: Annotated[Format | None, typer.Option(help="The format, whatever OUT ends in.")] = None,
) -> None:
    """Rewrite a program in another format, without loss of anything the models read."""
    from benches.cli.output import note
    from simcore.errors import InputError, Problem
    from simcore.program.read import load_program

    form = _format_of(target) if to is None else to
    if target == STANDARD_OUTPUT and form is Format.COLUMNS:
        message = "columns need a file (allowed on standard output: stream, yaml, bir)"
        raise InputError([Problem(message, "standard output")])
    program = load_program(source)
    if program.measured is not None:
        note(f"{source}: the measurement is left behind; only the program is written")
    for remark in program.notes:
        note(f"{source}: {remark}")
    if target == STANDARD_OUTPUT:
        typer.echo(_text(program, form), nl=False)
        return
    from simcore.staged_files import StagedFiles

    with StagedFiles() as staged, staged.open(target) as file:
        _write(program, form, file, compress=target.endswith(".gz"))


def _format_of(target: str) -> Format:
    from simcore.errors import InputError, Problem

    if target == STANDARD_OUTPUT:
        allowed = ", ".join(f.value for f in Format if f is not Format.COLUMNS)
        raise InputError([Problem(f"needs the format for standard output (allowed: {allowed})", "--to")])
    name = target.lower().removesuffix(".gz")
    for ending, form in ENDINGS.items():
        if name.endswith(ending):
            return form
    message = f"the name does not say which format (allowed endings: {', '.join(ENDINGS)}, also with .gz; or use --to)"
    raise InputError([Problem(message, target)])


def _write(program: Program, form: Format, file: IO[bytes], *, compress: bool) -> None:
    if compress:
        import gzip

        # No file name and no time go into the file, so the same program gives the same bytes.
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as compressed:
            compressed.write(_columns(program) if form is Format.COLUMNS else _text(program, form))
    elif form is Format.COLUMNS:
        from simcore.program.npz import write_npz

        write_npz(program, file)
    else:
        file.write(_text(program, form))


def _columns(program: Program) -> bytes:
    """The columns file in memory: what writes it goes back and forth, which a compressed file does not allow."""
    from simcore.program.npz import write_npz

    buffer = io.BytesIO()
    write_npz(program, buffer)
    return buffer.getvalue()


def _text(program: Program, form: Format) -> bytes:
    """The program in a text format, as UTF-8."""
    if form is Format.BIR:
        import msgspec

        from benches.cli.output import note
        from simcore.program.bir import write_bir

        notes: list[str] = []
        document = msgspec.json.encode(write_bir(program.record(), notes))
        for remark in notes:
            note(f"BIR: {remark}")
        return msgspec.json.format(document, indent=1) + b"\n"
    from simcore.program.stream import write_stream_json, write_stream_yaml

    write = write_stream_yaml if form is Format.YAML else write_stream_json
    return write(program.record()).encode()
