"""Where transfers do not meet, a transfer costs a handful of events, until somebody disturbs it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from components.fabric.flow import Flow
from components.fabric.plan import Plan
from components.fabric.timetable import Recurrences
from tests.components.fabric.bench_of_fabric import built, outcome
from tests.components.fabric.plain import PlainFlow, PlainHop, PlainLink, PlainNetwork


def line(links: int, rate: Fraction = Fraction(128), **more: object) -> PlainNetwork:
    drawn = tuple(PlainLink(i, i + 1, rate, 1000, **more) for i in range(links))
    return PlainNetwork(256, (PlainHop(2000),) * (links + 1), drawn, ())


def events_of(network: PlainNetwork, nbytes: int, window: int | None) -> int:
    """Events that the environment sees while one transfer crosses all links."""
    machine = built(network)
    done = machine.fabric.submit(Flow("f", nbytes, machine.path(range(len(network.links))), window))
    machine.env.run(done)
    return next(machine.env._eid)


@pytest.mark.parametrize("window", [None, 16, 200])
@pytest.mark.parametrize("buffer_bytes", [None, 4096])
def test_a_lone_transfer_costs_as_many_events_however_long_it_is(window: int | None, buffer_bytes: int | None):
    network = line(16, buffer_bytes=buffer_bytes)
    assert events_of(network, 1 << 20, window) <= events_of(network, 16 << 10, window) <= 6


def calls_of(method: str, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    calls: list[object] = []
    original = getattr(Recurrences, method)

    def counted(self: Recurrences, *args: object) -> object:
        result = original(self, *args)
        calls.append(result)
        return result

    monkeypatch.setattr(Recurrences, method, counted)
    return calls


@pytest.mark.parametrize("window", [None, 4, 16, 24, 1000])
def test_a_lone_transfer_without_buffers_is_never_gone_through_flit_by_flit(window, monkeypatch: pytest.MonkeyPatch):
    rates = (Fraction(256), Fraction(128), Fraction(48), Fraction(512))
    links = tuple(PlainLink(i, i + 1, rate, 1000) for i, rate in enumerate(rates))
    network = PlainNetwork(256, (PlainHop(2000),) * 5, links, (PlainFlow(1 << 20, (0, 1, 2, 3), window=window),))
    singles, guesses = calls_of("one_by_one", monkeypatch), calls_of("by_guess", monkeypatch)
    outcome(network)
    assert singles == []
    assert guesses


def test_a_transfer_that_is_disturbed_goes_on_flit_by_flit_and_is_planned_again(monkeypatch: pytest.MonkeyPatch):
    plans = []
    original = Plan.__init__

    def noted(self: Plan, leg, state, now: int) -> None:
        original(self, leg, state, now)
        plans.append((leg.flow.name, leg.time.exact_ticks(now), state.delivered))

    monkeypatch.setattr(Plan, "__init__", noted)
    machine = built(line(4))
    env, fabric = machine.env, machine.fabric
    long = fabric.submit(Flow("long", 1000 * 256, machine.path((0, 1, 2, 3)), 40))
    env.run(env.timeout(600_000))
    env.run(fabric.submit(Flow("short", 10 * 256, machine.path((1, 2)), 40)))
    env.run(long)
    assert [name for name, _, _ in plans] == ["long", "long"]
    assert plans[1][2] > 250
    assert plans[1][1] == pytest.approx(600_000 + 10 * 4000, rel=0.05)
