"""A model attached to a part: what it charges, what it keeps, what that is worth."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from simcore.kernel import Environment, Part, Port, PortSpec, Story
from simcore.timing.attach import Firing, TimedDelay, attached
from simcore.timing.clock import Clock
from simcore.timing.confidence import Level
from simcore.timing.corpus import corpus_of
from simcore.timing.fit import fit_linear
from simcore.timing.loop import LoopModel
from simcore.timing.model import Row

CLOCK = Clock.of_hz(100e6)


def test_a_part_without_a_model_is_charged_nothing_and_keeps_no_record() -> None:
    delay = TimedDelay("memory", CLOCK)
    assert delay.ticks({"n": 4}) == 0
    delay.record({"n": 4}, 0, 10)
    assert delay.firings is None
    assert delay.confidence.level is Level.UNCALIBRATED


def test_a_firing_is_kept_with_the_delay_that_was_charged() -> None:
    delay = TimedDelay("loop", CLOCK, LoopModel("cycles", "n", 5, 1, from_seed=True))
    assert delay.ticks({"n": 8}) == 120_000
    delay.record({"n": 8}, 1_000, 200_000)
    assert delay.firings == [Firing({"n": 8}, 1_000, 200_000, 120_000)]


def test_the_model_is_asked_once_for_each_kind_of_firing() -> None:
    asked: list[Row] = []

    class Counting(LoopModel):
        def cycles(self, row: Row) -> float:
            asked.append(row)
            return super().cycles(row)

    delay = TimedDelay("loop", CLOCK, Counting("cycles", "n", 5, 1, from_seed=True))
    assert [delay.ticks({"n": n}) for n in (8, 9, 8, 8)] == [120_000, 130_000, 120_000, 120_000]
    assert asked == [{"n": 8}, {"n": 9}]


def test_what_a_run_rests_on_is_its_weakest_firing() -> None:
    model = fit_linear(corpus_of({"n": [1, 2, 3, 4], "cycles": [5, 7, 9, 11]}), "cycles", ["n"]).model
    delay = TimedDelay("loop", CLOCK, model)
    delay.ticks({"n": 2})
    assert delay.confidence.level is Level.EXACT
    delay.ticks({"n": 20})
    assert delay.confidence.level is Level.EXTRAPOLATED
    assert delay.confidence.facts.weakest == ("n=20",)


@dataclass(frozen=True)
class Job:
    """What a part of the machine is asked to do."""

    n: int


class NoParameters(BaseModel):
    model_config = ConfigDict(frozen=True)


class Filter(Part[NoParameters]):
    """A part whose compute delay comes from a model: takes a job, charges it, is done."""

    port_specs = (PortSpec("jobs", "in", Job),)

    def __init__(self, env: Environment, name: str, jobs: Port[Job], timing: TimedDelay) -> None:
        super().__init__(env, name, NoParameters(), {"jobs": jobs})
        self.timing = timing
        self.work = self.spawn(self._work(), "work")

    def _work(self) -> Story:
        job = yield self.ports["jobs"].get()
        start, row = self.env.now, {"n": job.n}
        yield self.env.timeout(self.timing.ticks(row))
        self.timing.record(row, start, self.env.now)


class Client:
    name = "client"


def test_a_part_of_the_machine_charges_its_model_and_is_found_with_its_firings() -> None:
    env = Environment()
    jobs = Port(env, "client->filter", Job)
    jobs.attach("out", Client())
    timing = TimedDelay("filter", CLOCK, LoopModel("cycles", "n", 5, 1, from_seed=True))
    part = Filter(env, "filter", jobs, timing)
    jobs.put(Job(8))
    env.run(part.work)
    assert env.now == 120_000
    (found,) = attached(env.parts)
    assert found.firings == [Firing({"n": 8}, 0, 120_000, 120_000)]
    assert found.confidence.level is Level.UNCALIBRATED


def test_the_timed_parts_of_a_machine_are_found() -> None:
    class Untimed:
        pass

    class Timed:
        def __init__(self, timing: TimedDelay) -> None:
            self.timing = timing

    model = LoopModel("cycles", "n", 5, 1, from_seed=True)
    with_model = TimedDelay("a", CLOCK, model)
    assert list(attached([Untimed(), Timed(with_model), Timed(TimedDelay("b", CLOCK))])) == [with_model]
