"""What the fabric refuses, and in whose name."""

from __future__ import annotations

from fractions import Fraction

import pytest

from components.fabric.flow import Flow
from components.registry import build
from simcore.errors import InputError
from simcore.kernel import Deadlock, Environment, PartError
from tests.components.fabric.bench_of_fabric import built
from tests.components.fabric.plain import PlainHop, PlainLink, PlainNetwork


@pytest.fixture
def machine():
    links = (
        PlainLink(0, 1, Fraction(64), 0),
        PlainLink(1, 2, Fraction(64), 0, buffer_bytes=63),
        PlainLink(2, 0, Fraction(64), 0),
    )
    return built(PlainNetwork(64, (PlainHop(),) * 3, links, ()))


def test_a_path_that_does_not_hang_together(machine):
    with pytest.raises(PartError, match=r"^l2 at 0 ps: starts at n2, but the link before it on a path ends at n1"):
        machine.fabric.submit(Flow("f", 1, machine.path((0, 2)), None))


def test_a_path_that_goes_round_in_circles(machine):
    with pytest.raises(PartError, match=r"^l0 at 0 ps: stands twice on one path"):
        machine.fabric.submit(Flow("f", 1, machine.path((0, 1, 2, 0)), None))


def test_a_flit_that_no_buffer_on_the_path_could_hold(machine):
    with pytest.raises(PartError, match=r"^l1 at 0 ps: .*\(63 bytes\) can never hold a flit of 64 bytes"):
        machine.fabric.submit(Flow("f", 65, machine.path((0, 1)), None))
    machine.env.run(machine.fabric.submit(Flow("g", 63, machine.path((0, 1)), None)))


def test_a_link_of_another_fabric(machine):
    stranger = build(
        machine.env,
        "link",
        "stranger",
        {"bw_gbs": 1, "propagation_ns": 0, "overhead_ns": 0, "arbitration": "fifo"},
        {},
    )
    with pytest.raises(PartError, match=r"^stranger at 0 ps: is not connected in fabric"):
        machine.fabric.submit(Flow("f", 1, (stranger,), None))


def test_a_refused_flow_leaves_nothing_behind(machine):
    with pytest.raises(PartError):
        machine.fabric.submit(Flow("f", -1, machine.path((0,)), None))
    machine.env.run(machine.fabric.submit(Flow("g", 64, machine.path((0,)), None)))
    assert machine.fabric.accepted == machine.fabric.completed == 1


def test_an_arbitration_that_does_not_exist():
    given = {"bw_gbs": 1, "propagation_ns": 0, "overhead_ns": 0, "arbitration": "round_robin"}
    with pytest.raises(InputError, match="'flow_round_robin', 'port_round_robin' or 'fifo'"):
        build(Environment(), "link", "l", given, {})


def test_buffers_that_wait_for_each_other_in_a_circle_are_a_deadlock_that_names_the_links():
    # Three links in a circle, room for one flit behind each; every flow wants to cross two of them and an exit.
    links = tuple(PlainLink(i, (i + 1) % 3, Fraction(64), 0, buffer_bytes=64) for i in range(3))
    machine = built(PlainNetwork(64, (PlainHop(),) * 3, links, ()))
    flows = [Flow(f"f{i}", 640, machine.path((i, (i + 1) % 3)), None) for i in range(3)]
    done = machine.env.all_of([machine.fabric.submit(flow) for flow in flows])
    with pytest.raises(Deadlock) as caught:
        machine.env.run(done)
    assert {wait.waiter for wait in caught.value.cycle} == {"l0", "l1", "l2"}
    assert {wait.on for wait in caught.value.cycle} == {"l0", "l1", "l2"}
    assert "part fabric: 3 of 3 requests in flight" in str(caught.value)
