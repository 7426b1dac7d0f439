"""The suite notices what it is for: each check passes on a sound part and fails on one that breaks its rule."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field

from components.quantities import Ns
from components.registry import lookup, register
from simcore.kernel import Deadlock, KernelError, Part
from tests.components.contract import checks
from tests.components.contract.bench import driver_of
from tests.components.contract.echo import Echo, EchoDriver, EchoParameters
from tests.components.contract.test_contract import CHECKS

pytestmark = pytest.mark.usefixtures("own_registry")


def judge(check, part: type[Part], driver: EchoDriver | None = None) -> None:
    """Runs ``check`` on ``part``, registered as the only ``echo``."""
    register("echo")(part)
    check(lookup("echo"), driver or EchoDriver())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_a_sound_part_passes(check):
    judge(check, Echo)


# --- requests ----------------------------------------------------------------------------------------------------


class ForgetsToCount(Echo):
    def finish(self, call, token):
        super().finish(call, token)
        self.completed -= call.tag == "b"


class KeepsItsLock(Echo):
    def finish(self, call, token):
        super().finish(call, token)
        if call.tag == "c":
            self.lock.acquire(self, "for ever")


class LeavesSomebodyWaiting(Echo):
    def finish(self, call, token):
        super().finish(call, token)
        self.spawn(self.wait_for_ever(), f"after {call.tag}")

    def wait_for_ever(self):
        yield self.env.event()


class LosesBytes(Echo):
    def finish(self, call, token):
        super().finish(call, token)
        self.moved_bytes -= call.nbytes == 5


class AnswersOnlySome(Echo):
    def finish(self, call, token):
        if call.tag != "b":
            super().finish(call, token)


@pytest.mark.parametrize(
    ("check", "part"),
    [
        (checks.check_it_drains, ForgetsToCount),
        (checks.check_it_drains, KeepsItsLock),
        (checks.check_it_drains, LeavesSomebodyWaiting),
        (checks.check_it_conserves_requests, ForgetsToCount),
        (checks.check_it_conserves_requests, LosesBytes),
    ],
)
def test_a_part_that_loses_something_is_noticed(check, part):
    with pytest.raises(AssertionError):
        judge(check, part)


def test_a_part_that_leaves_a_request_unanswered_is_noticed():
    with pytest.raises(Deadlock, match=r"sip0\.dut"):
        judge(checks.check_it_drains, AnswersOnlySome)


# --- state that stays --------------------------------------------------------------------------------------------


class WarmsUp(Echo):
    def delay_ticks(self, call):
        return super().delay_ticks(call) + (self.completed < 3)


class LivesByTheClock(Echo):
    def delay_ticks(self, call):
        return super().delay_ticks(call) + self.env.now % 2


class RemembersOtherRuns(Echo):
    runs = 0

    def __init__(self, *arguments):
        super().__init__(*arguments)
        RemembersOtherRuns.runs += 1

    def delay_ticks(self, call):
        return super().delay_ticks(call) + self.runs


class WatchesItsLog(Echo):
    def delay_ticks(self, call):
        return super().delay_ticks(call) + (self.record is None)


@pytest.mark.parametrize(
    ("check", "part"),
    [
        (checks.check_a_second_batch_is_the_first_again, WarmsUp),
        (checks.check_a_second_batch_is_the_first_again, LivesByTheClock),
        (checks.check_it_starts_clean, RemembersOtherRuns),
        (checks.check_the_log_changes_nothing, WatchesItsLog),
    ],
)
def test_a_part_whose_times_depend_on_what_they_must_not_is_noticed(check, part):
    with pytest.raises(AssertionError):
        judge(check, part)


class OnlyOnce(EchoDriver):
    """Says that its part is loaded once, which an Echo is not."""

    def bench(self, *arguments):
        bench = super().bench(*arguments)
        bench.once = True
        return bench


def test_a_part_that_should_refuse_a_second_batch_and_takes_it_is_noticed():
    with pytest.raises(AssertionError, match="a second batch was not refused"):
        judge(checks.check_a_second_batch_is_the_first_again, Echo, OnlyOnce())


TELL = """if True:
    from components.registry import lookup, register
    from tests.components.contract.echo import Echo, EchoDriver
    from tests.components.contract.story import story

    class AsksTheHash(Echo):
        def delay_ticks(self, call):
            return hash(call.tag) % 1000

    register("echo", "hashed")({part})
    print(story(lookup("echo", "hashed"), EchoDriver()))
"""


@pytest.mark.parametrize(("part", "stories"), [("Echo", 1), ("AsksTheHash", 2)])
def test_a_story_that_depends_on_the_hash_seed_shows(repository: Path, part: str, stories: int):
    told = set()
    for seed in ("1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", TELL.replace("{part}", part)]
        done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=True)
        told.add(done.stdout)
    assert len(told) == stories


# --- errors ------------------------------------------------------------------------------------------------------


class TakesAnything(Echo):
    def accept(self, call):
        self.accepted += 1
        self.spawn(self.serve(call), call.tag)


class SpeaksOfSomebody(Echo):
    def accept(self, call):
        raise KernelError("somebody", self.env.now, "will not")


class SaysNothing(EchoDriver):
    """Knows no bad request and does not say why."""

    def bench(self, *arguments):
        bench = super().bench(*arguments)
        bench.bad_requests = {}
        return bench


@pytest.mark.parametrize(
    ("part", "driver", "what"),
    [
        (TakesAnything, EchoDriver(), "a negative size was not refused"),
        (SpeaksOfSomebody, EchoDriver(), r"a negative size: the error does not name sip0\.dut: somebody at 0 ps"),
        (Echo, SaysNothing(), "the driver knows no request that the part refuses"),
    ],
)
def test_an_error_that_does_not_come_or_does_not_say_who_is_noticed(part, driver, what):
    with pytest.raises(AssertionError, match=what):
        judge(checks.check_it_names_itself_in_errors, part, driver)


def test_a_kind_without_a_driver_is_noticed():
    with pytest.raises(AssertionError, match=r"lamp is registered but has no driver: write tests/.*/drivers/lamp\.py"):
        driver_of("lamp")


# --- parameters --------------------------------------------------------------------------------------------------


class Lax(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TakesNegatives(Lax):
    delay_ns: float = Field(allow_inf_nan=False, strict=True)


class TakesNan(Lax):
    delay_ns: float = Field(ge=0, allow_inf_nan=True, strict=True)


class TakesTruth(Lax):
    delay_ns: int = Field(ge=0)


class HasNoUnit(Lax):
    delay: Ns


class HasASecretDefault(Lax):
    delay_ns: Ns = Field(3)


class QuotesARecordThatSaysOtherwise(Lax):
    delay_ns: Ns = Field(3, description="ADR-0040 D3")


def part_with(model: type[BaseModel]) -> type[Part]:
    """A part of these parameters."""

    class Some(Part[model]):  # type: ignore[valid-type]
        pass

    return Some


@pytest.mark.parametrize("model", [TakesNegatives, TakesNan, TakesTruth])
def test_parameters_that_take_what_is_no_quantity_are_noticed(model: type[BaseModel]):
    with pytest.raises(AssertionError, match="delay_ns does not refuse"):
        judge(checks.check_it_refuses_wrong_parameters, part_with(model), EchoDriver({"delay_ns": 2}))


def test_a_driver_that_leaves_a_parameter_out_is_noticed():
    with pytest.raises(AssertionError, match="the driver gives every parameter"):
        judge(checks.check_it_refuses_wrong_parameters, part_with(EchoParameters), EchoDriver({"x": 2}))


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (HasNoUnit, "delay has no unit in its name"),
        (HasASecretDefault, "delay_ns has a default of 3, but no ADR in its description"),
        (QuotesARecordThatSaysOtherwise, r"0040-tcm-dual-channel\.md does not state 3 for `delay_ns`"),
    ],
)
def test_a_quantity_that_is_not_declared_is_noticed(model: type[BaseModel], what: str, repository: Path):
    def check(entry, driver):
        checks.check_its_quantities_are_declared(entry, repository / "docs" / "adr")

    with pytest.raises(AssertionError, match=what):
        judge(check, part_with(model))
