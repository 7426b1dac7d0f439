"""A user's own part, in his own file, in an experiment of his own: as docs/experiments.md says, and nothing else."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from benches.experiments.experiment import VariantFailed, load_experiment, run_experiment
from components.registry import known_parts
from simcore.errors import InputError
from tests.benches.cli.conftest import Call
from tests.benches.experiments.conftest import block

pytestmark = pytest.mark.usefixtures("own_registry")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder, where he stands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_guides_own_tcm_runs_and_prints_what_the_guide_shows(guide: str, folder: Path, kernbench: Call):
    for name in ("banked_tcm.py", "banked_tcm.yaml"):
        (folder / name).write_text(block(guide, name))
    code, out, err = kernbench("experiment", "banked_tcm.yaml")
    assert (code, err) == (1, "")
    assert [line.rstrip() for line in out.splitlines()] == block(
        guide, "kernbench experiment banked_tcm.yaml"
    ).splitlines()
    assert sorted(path.name for path in folder.iterdir()) == ["banked_tcm.py", "banked_tcm.yaml"]


BANK = """\
from components.core.psum_bank import PsumBank
from components.registry import register


@register("psum_bank", "without_hand_over")
class WithoutHandOver(PsumBank):
    def hold_back(self, work):
        '''Nobody waits for the bank.'''
"""

PIPELINE = """\
schema: kernbench.experiment/1
id: own-bank
title: A PSUM bank that is not handed over
parts: [bank.py]
base:
  work: program
  arch: gen3
  instructions:
  - for: {k: 4}
    do:
    - {name: "mm{k}", opcode: Matmult, engine: PE, cost: 120, psum_writes: [0]}
    - {name: "copy{k}", opcode: TensorCopy, engine: DVE, cost: 120, dependencies: ["mm{k}"], psum_reads: [0]}
variants:
  shipped: {}
  mine: {core: {impls: {psum_bank: without_hand_over}}}
claims:
- says: Without the hand-over matmuls start at their engine's pace, with it at the bank's
  formula: makespan_ns(mine) == 3 * 20 + 240 and makespan_ns(shipped) == 3 * 140 + 240
"""


def test_a_users_bank_takes_its_place_in_the_core(folder: Path, kernbench: Call):
    (folder / "bank.py").write_text(BANK)
    (folder / "bank.yaml").write_text(PIPELINE)
    code, out, _ = kernbench("experiment", "bank.yaml")
    assert code == 0, out


def test_what_own_parts_wait_for_is_not_explained(folder: Path):
    (folder / "bank.py").write_text(BANK)
    text = PIPELINE + "- {says: x, formula: 'wait_ns(mine, psum_bank) == 0'}\n"
    (folder / "bank.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        run_experiment(load_experiment(Path("bank.yaml")))
    line = len(text.splitlines())
    assert str(caught.value) == f"bank.yaml:{line}:23: wait_ns has no value in variant mine"


REQUESTS = """\
schema: kernbench.experiment/1
id: own-tcm
title: A TCM of one's own
parts: [tcm.py]
base: {work: requests, part: tcm, impl: mine, requests: [{name: a, direction: read, nbytes: 1, repeat: 2}]}
variants: {one: {}}
claims: [{says: x, formula: finish_ns(one) > 0}]
"""

TCM = """\
from components.memory.tcm import Tcm
from components.registry import register


@register("tcm", "mine")
class Mine(Tcm):
    def _accept(self, request):
"""


def ran_with(body: str, folder: Path) -> object:
    """The error that a TCM ends in whose requests are accepted by ``body``."""
    (folder / "tcm.py").write_text(TCM + textwrap.indent(textwrap.dedent(body), " " * 8))
    (folder / "tcm.yaml").write_text(REQUESTS)
    with pytest.raises((InputError, VariantFailed)) as caught:
        run_experiment(load_experiment(Path("tcm.yaml")))
    return caught.value


def test_an_error_of_a_users_part_is_his_and_names_his_line(folder: Path):
    error = ran_with("self.channel = None\nself.channel.acquire(self)\n", folder)
    assert isinstance(error, InputError)
    assert str(error) == (
        f"{folder / 'tcm.py'}:9: variant one of tcm.yaml: AttributeError: 'NoneType' object has no attribute 'acquire'"
    )


def test_a_part_that_never_answers_is_told_with_its_variant(folder: Path):
    error = ran_with("self.accepted += 1\n", folder)
    assert isinstance(error, VariantFailed)
    assert (str(error).splitlines()[0].startswith("tcm.yaml: variant one: deadlock at 0 ns"), error.exit_code) == (
        True,
        3,
    )


def test_a_part_that_loses_requests_is_caught(folder: Path):
    error = ran_with("self.accepted += 1\nrequest.done.succeed()\n", folder)
    assert str(error) == (
        "tcm.yaml: variant one: part at 0 ps: all requests are done, but it is not empty: "
        "part part: 2 of 2 requests in flight"
    )


def test_a_part_that_raises_its_own_error_keeps_it(folder: Path):
    error = ran_with("raise self.refusal(request, 'not today')\n", folder)
    assert (str(error), getattr(error, "exit_code", None)) == (
        "tcm.yaml: variant one: part at 0 ps: request 'a': not today",
        3,
    )


def test_a_file_of_parts_that_cannot_be_loaded_is_reported_alone_and_with_its_line(folder: Path):
    (folder / "tcm.py").write_text("x = = 1\n")
    (folder / "tcm.yaml").write_text(REQUESTS)
    before = known_parts()
    with pytest.raises(InputError) as caught:
        load_experiment(Path("tcm.yaml"))
    assert [str(p) for p in caught.value.problems] == ["tcm.py:1:5: is not Python: invalid syntax"]
    assert known_parts() == before


def test_a_file_of_parts_that_is_not_there_is_reported_at_its_entry(folder: Path):
    (folder / "tcm.yaml").write_text(REQUESTS)
    with pytest.raises(InputError) as caught:
        load_experiment(Path("tcm.yaml"))
    assert str(caught.value) == "tcm.yaml:4:9: tcm.py: cannot be read: No such file or directory"
