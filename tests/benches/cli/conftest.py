"""Running the real command line in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from benches.cli.main import run

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kernbench(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """Runs a command line and gives ``(exit code, standard output, standard error)``."""
    monkeypatch.delenv("COLUMNS", raising=False)  # a test runner may set it, and tables would wrap

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["kernbench", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            run()
        out, err = capfd.readouterr()
        return int(left.value.code or 0), out, err

    return call
