"""``kernbench``: finds the command, runs it, and turns every way it can end into an exit code.

Exit codes: 0 fine; 1 a check failed; 2 the input or the call is wrong; 3 a fault of kernbench; 130 interrupted;
141 the reader of our output has gone (as for a program that SIGPIPE ended).
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from benches.cli.commands import COMMANDS, Command
from simcore.errors import InputError, KernbenchError, ModelBug

TRACEBACK_VARIABLE = "KERNBENCH_TRACEBACK"
_COMPLETION_OPTIONS = {"install_completion", "show_completion"}


class LazyCommand(TyperCommand):
    """A row of the overview, which imports its module only when the command is called."""

    def __init__(self, row: Command) -> None:
        super().__init__(row.name, help=row.help, rich_markup_mode=None)
        self.row = row

    def load(self) -> Any:
        """The real command: the module's Typer app, in the plain style of all commands."""
        command = typer.main.get_command(importlib.import_module(self.row.module).app)
        _make_plain(command)
        return command

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the real command, which then parses the arguments and runs."""
        return self.load().make_context(info_name, args, parent=parent, **extra)


def _make_plain(command: Any) -> None:
    """Drops the options that install shell completion and the boxes, which break a path or a table that is copied."""
    command.rich_markup_mode = None
    command.params = [p for p in command.params if p.name not in _COMPLETION_OPTIONS]
    for sub_command in getattr(command, "commands", {}).values():
        _make_plain(sub_command)


class Kernbench(TyperGroup):
    """The top command. Typer would give a broken pipe the exit code of a failed check."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(141) from None
        except KeyboardInterrupt:
            raise typer.Exit(130) from None


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("kernbench"))
        raise typer.Exit()


def command_line(commands: Sequence[Command] = COMMANDS) -> Any:
    """The top command with ``commands`` below it, none of them imported yet."""
    app = typer.Typer(
        name="kernbench",
        cls=Kernbench,
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def kernbench(
        version: bool = typer.Option(
            False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ) -> None:
        """How long a kernel takes on a Trainium-class accelerator, why, and what would change it."""

    group: Any = typer.main.get_command(app)
    for row in commands:
        group.add_command(LazyCommand(row))
    return group


def run(commands: Sequence[Command] = COMMANDS) -> NoReturn:
    """The entry point of the ``kernbench`` script: runs ``sys.argv`` and leaves with its exit code."""
    sys.exit(_exit_code(commands))


def _exit_code(commands: Sequence[Command]) -> int:
    code: object = 0
    try:
        try:
            command_line(commands).main(prog_name="kernbench")
        except SystemExit as leave:
            code = leave.code or 0
        if not isinstance(code, int):
            raise ModelBug(f"a command ended with {code!r} where an exit code belongs")
        return code if _flush() else 141
    except KernbenchError as error:
        return _explain(str(error), error.exit_code)
    except OSError as error:
        # A place that cannot be read or written is the caller's, whichever command met it.
        return _explain(f"{error.filename or 'standard output'}: {error.strerror or error}", InputError.exit_code)
    except Exception as error:  # noqa: BLE001 (the last door: whatever comes here, the user is told whose fault it is)
        from components.user_parts import own_fault

        fault = own_fault(error)
        if fault is not None:
            return _explain(str(fault), InputError.exit_code)
        hint = f"This is a fault of kernbench; with {TRACEBACK_VARIABLE}=1 it shows where."
        return _explain(f"{type(error).__name__}: {error}\n{hint}", KernbenchError.exit_code)


def _explain(message: str, code: int) -> int:
    """Writes ``message`` to standard error, after the current exception's traceback if that is asked for."""
    if os.environ.get(TRACEBACK_VARIABLE) == "1":
        traceback.print_exc()
    print(message, file=sys.stderr)
    return code


def _flush() -> bool:
    """Whether the last of the output was taken, rather than its reader gone."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered goes nowhere, or Python would complain about it once more at its own exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


if __name__ == "__main__":
    run()
