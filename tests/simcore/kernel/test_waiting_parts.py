"""A part says in its own words what it waits for and who owes it, also for its processes."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ConfigDict

from simcore.kernel import Deadlock, Environment, Part, Waiting


class Nothing(BaseModel):
    model_config = ConfigDict(frozen=True)


class Engine(Part[Nothing]):
    """Its process waits for the part itself, which says what ``words`` say."""

    def __init__(self, env, name, words=()):
        super().__init__(env, name, Nothing(), {})
        self.words = list(words)
        self.spawn(self.issue(), "issue")

    def issue(self):
        yield self.env.me.waiting_on(self.env.event(), self, "I0")

    def waiting(self):
        return self.words


def deadlock_of(env):
    with pytest.raises(Deadlock) as caught:
        env.run(env.event())
    return caught.value


def test_a_process_that_waits_for_its_own_part_leaves_it_to_the_part_to_say_what_for():
    env = Environment()
    Engine(env, "core0.pe", [Waiting("the end of I4", "I5", 12_000)])
    error = deadlock_of(env)
    assert [str(wait) for wait in error.blocked] == ["core0.pe (for I5) waits since 12 ns for the end of I4"]
    assert (error.roots, error.cycle) == (error.blocked, ())


def test_a_part_that_says_nothing_leaves_the_word_to_its_process():
    env = Environment()
    Engine(env, "core0.pe")
    assert [str(wait) for wait in deadlock_of(env).blocked] == ["core0.pe.issue (for I0) waits since 0 ns for core0.pe"]


def test_who_owes_what_has_only_a_name_closes_the_circle():
    env = Environment()
    pe, act = Engine(env, "core0.pe"), Engine(env, "core0.act")
    pe.words = [Waiting("the end of I1", "I0", 0, owing=(act,))]
    act.words = [Waiting("the end of I0", "I1", 5000, owing=(pe,)), Waiting("the end of I7", "I1", 5000)]
    error = deadlock_of(env)
    assert [str(wait) for wait in error.cycle] == [
        "core0.pe (for I0) waits since 0 ns for the end of I1",
        "core0.act (for I1) waits since 5 ns for the end of I0",
    ]
    assert len(error.blocked) == 3
    assert error.exit_code == 3
