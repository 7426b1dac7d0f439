"""The TCM of ADR-0040, as stories of requests and the picosecond at which each is done."""

from __future__ import annotations

from fractions import Fraction

import pytest

from components.memory.tcm import TcmParameters, TcmRequest
from components.registry import build
from components.transaction import Transaction
from simcore.kernel import Environment, PartError, Port, undrained
from tests.components.actor import Actor
from tests.components.memory.bench_of_tcm import Access, tcm_bench, times

SLOW = {"read_bw_gbs": 2, "write_bw_gbs": 1}
"""500 ps a byte read, 1000 ps a byte written."""


# --- D1: two channels --------------------------------------------------------------------------------------------


def test_the_first_action_creates_two_channels_of_one_slot():
    bench = tcm_bench()
    assert [(channel.name, channel.capacity) for channel in bench.env.channels] == [("tcm.read", 1), ("tcm.write", 1)]
    assert not bench.env.processes


def test_requests_of_one_direction_are_served_one_after_the_other():
    story = [Access(0, "read", 10, "a"), Access(0, "read", 20, "b"), Access(1000, "read", 4, "c")]
    assert times(story, SLOW) == [(5000, "a"), (15000, "b"), (17000, "c")]


def test_a_read_and_a_write_overlap():
    story = [Access(0, "read", 10, "r"), Access(0, "write", 10, "w"), Access(0, "read", 2, "r2")]
    assert times(story, SLOW) == [(5000, "r"), (6000, "r2"), (10000, "w")]


def test_requests_are_served_in_order_of_arrival_even_if_a_later_one_is_shorter():
    story = [Access(0, "write", 5, "long"), Access(1, "write", 4, "first"), Access(2, "write", 1, "second")]
    assert times(story, SLOW) == [(5000, "long"), (9000, "first"), (10000, "second")]


def test_a_request_that_arrives_as_the_channel_falls_free_does_not_overtake_one_that_waits():
    story = [Access(0, "write", 5, "a"), Access(1, "write", 3, "b"), Access(5000, "write", 1, "c")]
    assert times(story, SLOW) == [(5000, "a"), (8000, "b"), (9000, "c")]


def test_the_channel_is_free_again_when_the_client_learns_that_its_request_is_done():
    bench = tcm_bench(SLOW)
    channel = bench.tcm.ways["write"].channel

    def client():
        first, second = bench.send("write", 3, "a"), bench.send("write", 3, "b")
        yield first.done & second.done
        assert not channel.holders
        yield bench.send("write", 3, "c").done
        assert not channel.holders

    def waits_from_the_start():
        yield waiting.done
        assert not channel.holders

    bench.env.run(bench.env.spawn(client(), "client"))
    bench.send("write", 3, "d")
    waiting = bench.send("write", 3, "e")
    bench.env.run(bench.env.spawn(waits_from_the_start(), "another"))
    assert bench.done == [(3000, "a"), (6000, "b"), (9000, "c"), (12000, "d"), (15000, "e")]
    assert channel.wait_ticks == 3000 + 3000


# --- D2: the time on a channel -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nbytes", "bw_gbs", "ticks"),
    [(512, 512, 1000), (1, 512, 2), (513, 512, 1002), (1, 3, 334), (1, 0.1, 10000), (7, Fraction(7, 3), 3000)],
)
def test_a_request_takes_its_bytes_over_the_bandwidth_rounded_up_to_a_picosecond(nbytes, bw_gbs, ticks):
    assert times([Access(0, "read", nbytes)], {"read_bw_gbs": bw_gbs}) == [(ticks, "")]
    assert times([Access(0, "write", nbytes)], {"write_bw_gbs": bw_gbs}) == [(ticks, "")]


def test_zero_bytes_wait_for_the_channel_and_release_it_at_once():
    log = []
    bench = tcm_bench(SLOW, log=log)
    bench.env.run(
        bench.play([Access(0, "read", 10, "a"), Access(1000, "read", 0, "empty"), Access(2000, "read", 4, "b")])
    )
    assert bench.done == [(5000, "a"), (5000, "empty"), (7000, "b")]
    assert [row for row in log if row[3] == "empty"] == [
        (5000, "tcm.read", "grant", "empty", "tcm"),
        (5000, "tcm.read", "release", "empty", "tcm"),
        (5000, "tcm", "done", "empty", "read", 0),
    ]


@pytest.mark.parametrize(("nbytes", "bw_gbs"), [(0, 1), (8, 0)])
def test_what_takes_no_time_on_a_free_channel_has_released_it_before_the_sender_goes_on(nbytes, bw_gbs):
    bench = tcm_bench({"read_bw_gbs": bw_gbs})
    request = bench.send("read", nbytes)
    assert (bench.tcm.completed, len(bench.tcm.ways["read"].channel.holders)) == (1, 0)
    bench.env.run(request.done)
    assert bench.env.now == 0


def test_zero_bytes_on_a_free_channel_are_done_at_once_and_hold_nobody_up():
    story = [Access(7, "read", 0, "empty"), Access(7, "read", 10, "a")]
    assert times(story, SLOW) == [(7, "empty"), (5007, "a")]


def test_a_bandwidth_of_zero_means_no_delay():
    story = [Access(3, "read", 10**9, "r"), Access(3, "read", 10**9, "r2"), Access(3, "write", 10, "w")]
    assert times(story, {"read_bw_gbs": 0, "write_bw_gbs": 1}) == [(3, "r"), (3, "r2"), (10003, "w")]


# --- D3: its bandwidths ------------------------------------------------------------------------------------------


def test_the_defaults_are_those_of_the_decision():
    assert TcmParameters() == TcmParameters(read_bw_gbs=512, write_bw_gbs=512, overhead_ns=0)
    assert times([Access(0, "read", 5120, "r"), Access(0, "write", 5120, "w")]) == [(10000, "r"), (10000, "w")]


# --- D4: the request ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "nbytes", "what"),
    [
        ("raed", 8, "direction 'raed' (allowed: read, write; did you mean \"read\"?)"),
        (1, 8, "direction 1 (allowed: read, write)"),
        ("read", -1, "nbytes -1 (an int, 0 or more)"),
        ("read", 1.0, "nbytes 1.0 (an int, 0 or more)"),
        ("write", True, "nbytes True (an int, 0 or more)"),
    ],
)
def test_a_request_that_cannot_be_served_is_refused_in_the_name_of_the_tcm(direction, nbytes, what):
    bench = tcm_bench()
    with pytest.raises(PartError) as caught:
        bench.send(direction, nbytes, "fetch7")
    assert str(caught.value) == f"tcm at 0 ps: request 'fetch7': {what}"
    assert (bench.tcm.accepted, undrained(bench.env)) == (0, ())


def test_a_request_that_cannot_be_answered_is_refused():
    bench = tcm_bench()
    used = bench.send("read", 8, "first").done
    with pytest.raises(PartError, match=r"request 'again': done was already made to happen"):
        bench.requests.put(TcmRequest("write", 8, used, "again"))
    with pytest.raises(PartError, match=r"request 'none': done is of type NoneType \(an event\)"):
        bench.requests.put(TcmRequest("write", 8, None, "none"))


def test_a_request_whose_answer_somebody_else_gives_while_it_waits_is_an_error():
    bench = tcm_bench(SLOW)
    bench.send("read", 8, "first")
    bench.send("read", 8, "second").done.succeed()
    with pytest.raises(PartError) as caught:
        bench.env.run(bench.env.timeout(10**6))
    assert str(caught.value) == (
        "tcm at 4000 ps: request 'second': done was made to happen by somebody else while it waited"
    )
    assert caught.value.__notes__ == ["in tcm at 4 ns"]


# --- D5: what passes through -------------------------------------------------------------------------------------


def passing(parameters, sent):
    """(time, tag) of the transactions that come out, of (time, tag) that go in; a read keeps its channel busy."""
    bench = tcm_bench(parameters)
    out = []
    bench.transactions_out.hand_to(lambda t: out.append((bench.env.now, t)))
    transactions = [(at, Transaction(100, tag)) for at, tag in sent]

    def router():
        for at, transaction in transactions:
            yield bench.env.timeout(at - bench.env.now)
            bench.transactions_in.put(transaction)

    bench.env.spawn(router(), "router")
    bench.env.run(bench.play([Access(0, "read", 1000, "r"), Access(0, "write", 1000, "w")]))
    assert sorted(bench.done) == [(500_000, "r"), (1_000_000, "w")]
    assert [id(t) for _, t in out] == [id(t) for _, t in transactions]
    assert (bench.tcm.passed_bytes, bench.tcm.completed) == (100 * len(sent), len(sent) + 2)
    return [(at, t.tag) for at, t in out]


def test_transactions_pass_through_after_the_overhead_beside_each_other_and_take_no_channel():
    sent = [(0, "a"), (10, "b"), (10, "c")]
    assert passing(SLOW | {"overhead_ns": 2.5}, sent) == [(2500, "a"), (2510, "b"), (2510, "c")]
    assert passing(SLOW, sent) == sent


def test_a_request_pays_no_overhead():
    assert times([Access(0, "read", 10)], SLOW | {"overhead_ns": 100}) == [(5000, "")]


def test_a_tcm_may_stand_off_the_fabric_but_not_with_one_transaction_port():
    env = Environment()
    port = Port(env, "client->tcm", TcmRequest)
    port.attach("out", Actor("client"))
    into = Port(env, "router->tcm", Transaction)
    with pytest.raises(PartError, match=r"tcm0 at 0 ps: a transaction that comes in must go out"):
        build(env, "tcm", "tcm0", {}, {"requests": port, "transactions_in": into})
    other = Port(env, "client->tcm1", TcmRequest)
    assert list(build(env, "tcm", "tcm1", {}, {"requests": other}).ports) == ["requests"]


# --- D6 and the account ------------------------------------------------------------------------------------------


def test_bytes_are_counted_by_direction_and_nothing_is_left():
    bench = tcm_bench(SLOW)
    bench.env.run(
        bench.play([Access(0, "read", 10), Access(0, "write", 6), Access(0, "read", 0), Access(9, "read", 5)])
    )
    read, write = bench.tcm.ways["read"], bench.tcm.ways["write"]
    assert (read.moved_bytes, write.moved_bytes) == (15, 6)
    assert (read.channel.busy_ticks, write.channel.busy_ticks) == (7500, 6000)
    assert (read.channel.wait_ticks, write.channel.wait_ticks) == (5000 + 4991, 0)
    assert (bench.tcm.accepted, bench.tcm.completed, undrained(bench.env)) == (4, 4, ())


def test_while_it_works_its_account_shows_what_is_in_flight():
    bench = tcm_bench(SLOW)
    bench.send("read", 10, "a")
    bench.send("read", 10, "b")
    assert undrained(bench.env) == (
        "part tcm: 2 of 2 requests in flight",
        "channel tcm.read: 1 of 1 slots held, 1 waiting",
    )
