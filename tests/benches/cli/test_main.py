"""How ``kernbench`` lists, finds and ends its commands, shown on a module that ends in every possible way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benches.cli.commands import Command
from benches.cli.main import run

DOUBLE = "tests.benches.cli.double"
ROWS = (Command("double", DOUBLE, "Stands for a command."), Command("absent", "tests.no.such.module", "Has no module."))


@pytest.fixture
def kernbench(monkeypatch, capfd):
    """Runs a command line and gives ``(exit code, standard output, standard error)``."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kernbench", *arguments])
        with pytest.raises(SystemExit) as left:
            run(ROWS)
        out, err = capfd.readouterr()
        return left.value.code, out, err

    return call


def test_the_overview_lists_commands_without_importing_them(kernbench, monkeypatch):
    monkeypatch.delitem(sys.modules, DOUBLE, raising=False)
    code, out, _ = kernbench("--help")
    assert code == 0
    assert "double  Stands for a command.\n" in out
    assert "absent  Has no module.\n" in out
    assert DOUBLE not in sys.modules


def test_a_command_gets_its_options_and_prints_to_standard_output(kernbench):
    assert kernbench("double", "good", "--count", "2") == (0, "line 0\nline 1\n", "")


def test_help_of_a_command_is_that_of_its_own_module_and_offers_no_completion_install(kernbench):
    code, out, _ = kernbench("double", "--help")
    assert code == 0
    assert "Usage: kernbench double" in out
    assert "Ends as it is told to." in out
    assert "completion" not in out


def test_help_has_no_boxes_at_any_depth(kernbench):
    for words in ([], ["double"], ["double", "good"]):
        assert kernbench(*words, "--help")[1].isascii()


@pytest.mark.parametrize(
    "words",
    [["duble"], ["--loud"], ["double", "god"], ["double", "good", "--count"], ["double", "good", "--count", "x"]],
)
def test_a_wrong_call_is_answered_on_standard_error_with_exit_code_2(kernbench, words):
    code, out, err = kernbench(*words)
    assert (code, out) == (2, "")
    assert "Error" in err


def test_a_misspelt_command_gets_the_nearest_name(kernbench):
    assert "double" in kernbench("duble")[2].splitlines()[-1]


def test_a_failed_check_is_exit_code_1_without_words(kernbench):
    assert kernbench("double", "check") == (1, "", "")


def test_bad_input_lists_every_problem_with_its_place_and_is_exit_code_2(kernbench):
    assert kernbench("double", "bad-input") == (2, "", "a.yaml:3:7: first fault\na.yaml: second\n")


def test_a_contradiction_of_the_model_is_exit_code_3(kernbench):
    assert kernbench("double", "contradiction") == (3, "", "two times for one event\n")


def test_an_unexpected_exception_is_named_as_our_fault_without_a_traceback(kernbench):
    code, out, err = kernbench("double", "crash")
    assert (code, out) == (3, "")
    assert err.splitlines()[0] == "ZeroDivisionError: no lanes"
    assert "fault of kernbench" in err
    assert "Traceback" not in err


def test_the_traceback_is_there_for_who_asks(kernbench, monkeypatch):
    monkeypatch.setenv("KERNBENCH_TRACEBACK", "1")
    code, _, err = kernbench("double", "crash")
    assert code == 3
    assert err.startswith("Traceback")
    assert 'raise ZeroDivisionError("no lanes")' in err


def test_a_place_that_cannot_be_written_is_named_with_exit_code_2(kernbench):
    assert kernbench("double", "unwritable") == (2, "", "no/such/folder/out.json: No such file or directory\n")


def test_an_interrupt_is_exit_code_130_without_words(kernbench):
    assert kernbench("double", "interrupted") == (130, "", "")


def test_a_text_instead_of_an_exit_code_is_not_taken_for_success(kernbench):
    assert kernbench("double", "text-for-code")[0] == 3


def test_a_module_that_cannot_be_imported_is_our_fault(kernbench):
    code, _, err = kernbench("absent")
    assert code == 3
    assert "tests.no" in err


@pytest.mark.parametrize(
    "arguments", [["good", "--count", "10"], ["good", "--count", "100000"], ["table"]], ids=["few", "many", "table"]
)
def test_a_reader_that_leaves_early_ends_the_command_quietly(repository: Path, arguments: list[str]):
    program = (
        "from benches.cli.commands import Command; from benches.cli.main import run;"
        f"run((Command('double', '{DOUBLE}', ''),))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "double", *arguments],
        cwd=repository,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), err) == (141, b"")
