"""The check at rest: it passes after every run of the other tests, and here it is made to fail."""

from __future__ import annotations

from fractions import Fraction

import pytest

from components.fabric.flit_run import Lane
from components.fabric.flow import Flow
from components.fabric.link import LinkBase
from components.fabric.timetable import Recurrences, Timetable
from simcore.errors import ModelBug
from tests.components.fabric.bench_of_fabric import Built, built
from tests.components.fabric.plain import PlainHop, PlainLink, PlainNetwork


@pytest.fixture
def machine() -> Built:
    links = tuple(PlainLink(i, i + 1, Fraction(64), 0, buffer_bytes=640, credit_return=9) for i in range(2))
    return built(PlainNetwork(64, (PlainHop(),) * 3, links, ()), coalesce=False)


def run_dry(machine: Built) -> None:
    """Until nothing is left to happen: the last credits come home after the flow has ended."""
    done = machine.fabric.submit(Flow("f", 320, machine.path((0, 1)), None))
    machine.env.run(done)
    machine.env.run(machine.env.timeout(1000))


def test_a_run_that_keeps_everything_passes(machine: Built):
    run_dry(machine)
    assert [link.room for link in machine.links] == [640, 640]


def test_bytes_that_a_link_did_not_move_are_found(machine: Built, monkeypatch: pytest.MonkeyPatch):
    serve = Lane.serve

    def forgetful(lane: Lane, now: int) -> None:
        serve(lane, now)
        if lane.place == 1 and lane.started == 3:
            lane.link.moved_bytes -= 64

    monkeypatch.setattr(Lane, "serve", forgetful)
    with pytest.raises(ModelBug, match=r"l1 has moved 256 bytes of 320; 320 bytes have come to n1 and 256 have gone; "):
        run_dry(machine)


def test_a_credit_that_does_not_come_home_is_found(machine: Built, monkeypatch: pytest.MonkeyPatch):
    expect_home = Lane.expect_home

    def lossy(lane: Lane, left: int) -> None:
        expect_home(lane, left)
        if lane.place == 0 and lane.started == 2:
            lane.link.room -= 64

    monkeypatch.setattr(Lane, "expect_home", lossy)
    with pytest.raises(ModelBug, match=r"come to rest, but l0 has credits for 576 bytes of 640"):
        run_dry(machine)


def test_a_link_that_serves_two_flits_at_a_time_is_found(machine: Built, monkeypatch: pytest.MonkeyPatch):
    decide = LinkBase.decide

    def hasty(link: LinkBase, now: int) -> None:
        decide(link, now)
        link.serving = None
        decide(link, now)

    monkeypatch.setattr(LinkBase, "decide", hasty)
    with pytest.raises(ModelBug, match="l0 serves f before it is free"):
        run_dry(machine)


def test_a_timetable_that_serves_two_flits_at_a_time_is_found(monkeypatch: pytest.MonkeyPatch):
    by_guess = Recurrences.by_guess

    def hasty(recurrences: Recurrences) -> Timetable | None:
        table = by_guess(recurrences)
        assert table is not None
        table.starts[1][-2] -= 1
        return table

    monkeypatch.setattr(Recurrences, "by_guess", hasty)
    links = tuple(PlainLink(i, i + 1, Fraction(64), 0) for i in range(2))
    machine = built(PlainNetwork(64, (PlainHop(),) * 3, links, ()))
    done = machine.fabric.submit(Flow("f", 6400, machine.path((0, 1)), None))
    with pytest.raises(ModelBug, match="l1 would serve f before it is free"):
        machine.env.run(done)
