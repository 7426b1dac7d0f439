"""IO CPU and M CPU on their own: who decodes when, what is gathered, the M CPU's DMA, what is refused (ADR-0048)."""

from __future__ import annotations

import pytest

from components.host.orders import (
    Assignment,
    Errand,
    Letter,
    MapPages,
    Order,
    PeReport,
    PeWork,
    Report,
    RunKernel,
    UnmapPages,
)
from components.host.post import Post, unloaded_ticks
from components.host.start_barrier import farthest_ticks, with_start
from components.memory.request import MemoryRequest
from components.registry import build
from simcore.kernel import Deadlock, Environment, Part, PartError, Port, undrained
from tests.components.actor import Actor
from tests.components.host.small_machine import SmallMachine
from tests.components.pe.pe_bench import ns

RUN = RunKernel(())


class CpuBench:
    """A CPU whose letters are noted, not carried."""

    def __init__(self, kind: str, overhead_ns: float = 5, *, with_dma: bool = False) -> None:
        self.env = env = Environment()
        self.inbox, outbox = Port(env, "post->cpu", Letter), Port(env, "cpu->post", Letter)
        self.inbox.attach("out", Actor("post"))
        outbox.attach("in", Actor("post"))
        self.sent: list[str] = []
        self.letters: list[Letter] = []
        outbox.hand_to(self._note)
        ports: dict[str, Port] = {"inbox": self.inbox, "outbox": outbox}
        if with_dma:
            ports |= {"dma_requests": Port(env, "host->dma", MemoryRequest), "memory": Port(env, "m", MemoryRequest)}
            ports["dma_requests"].attach("out", Actor("host"))
            ports["memory"].attach("in", Actor("memory"))
            ports["memory"].hand_to(self._answer)
        self.ports = ports
        self.done: list[str] = []
        self.cpu: Part = build(env, kind, "cpu", {"overhead_ns": overhead_ns}, ports)

    def order(self, tag: str, *receivers: str, body: Order | PeWork = RUN, travel_ticks: int = 0) -> None:
        errands = tuple([Errand(receiver, travel_ticks, body) for receiver in receivers])
        self.inbox.put(Letter("host", "cpu", Order(tag, errands)))

    def report(self, tag: str, sender: str) -> None:
        self.inbox.put(Letter(sender, "cpu", Report(tag, (PeReport(f"pe of {sender}", 0, 0, None),))))

    def run(self, until_ns: int) -> list[str]:
        self.env.run(self.env.timeout(until_ns * 1000))
        return self.sent

    def move(self, direction: str, nbytes: int, tag: str) -> None:
        request = MemoryRequest(direction, 0, nbytes, self.env.event(), tag)
        request.done.callbacks.append(lambda _: self.done.append(f"{ns(self.env.now)} {tag}"))
        self.ports["dma_requests"].put(request)

    def _note(self, letter: Letter) -> None:
        what = type(letter.body).__name__
        self.letters.append(letter)
        self.sent.append(f"{ns(self.env.now)} {what} {letter.body.tag} to {letter.receiver}")

    def _answer(self, request: MemoryRequest) -> None:
        self.env.succeed_in(request.done, 100 * 1000, request)


@pytest.mark.parametrize("kind", ["io_cpu", "m_cpu"])
def test_orders_are_decoded_one_after_the_other_and_then_go_to_all_their_receivers_at_once(kind):
    bench = CpuBench(kind)
    bench.order("a", "x", "y")
    bench.order("b", "x")
    assert bench.run(100) == ["5 Assignment a to x", "5 Assignment a to y", "10 Assignment b to x"]


@pytest.mark.parametrize("kind", ["io_cpu", "m_cpu"])
def test_a_report_goes_back_when_the_last_receiver_has_reported_in_the_order_of_the_errands(kind):
    bench = CpuBench(kind)
    bench.order("a", "x", "y")
    bench.run(10)
    bench.report("a", "y")
    assert bench.run(10)[2:] == []
    bench.report("a", "x")
    assert bench.run(10)[2:] == ["20 Report a to host"]
    assert [report.pe for report in bench.letters[-1].body.reports] == ["pe of x", "pe of y"]
    assert (bench.cpu.accepted, bench.cpu.completed, undrained(bench.env)) == (1, 1, ())


def test_who_owes_a_report_is_told_when_the_machine_stands_still():
    bench = CpuBench("m_cpu")
    bench.order("a", "x", "y")
    bench.run(10)
    bench.report("a", "x")
    with pytest.raises(Deadlock) as caught:
        bench.env.run(bench.env.event())
    assert "cpu (for a) waits since 0 ns for the report of y" in str(caught.value)


@pytest.mark.parametrize(
    ("letters", "what"),
    [
        ([Order("a", ())], "order 'a' from host is for nobody"),
        ([Order("a", (Errand("x", 0, RUN), Errand("x", 0, RUN)))], "order 'a' from host names a receiver twice"),
        ([Order("a", (Errand("x", 0, RUN),))] * 2, "order 'a' from host is out already"),
        ([Report("a", ())], "host reports on 'a', of which it owes no report"),
        ([Assignment("a", RUN)], "a letter from host is neither an order nor a report: Assignment(tag='a', "),
    ],
)
@pytest.mark.parametrize("kind", ["io_cpu", "m_cpu"])
def test_what_a_cpu_cannot_make_sense_of_is_refused(kind, letters, what):
    bench = CpuBench(kind)
    with pytest.raises(PartError) as caught:
        for body in letters:
            bench.inbox.put(Letter("host", "cpu", body))
    assert str(caught.value).startswith(f"cpu at 0 ps: {what}")


# --- the start barrier -------------------------------------------------------------------------------------------


def two_cubes() -> Order:
    """PEs that need 3 + 2, 3 + 9 and 8 + 1 ticks."""
    near = Order("k", (Errand("p0", 2, RUN), Errand("p1", 9, RUN)))
    far = Order("k", (Errand("p2", 1, RUN), Errand("p3", 1, MapPages(0, 0, 4096))))
    return Order("k", (Errand("c0", 3, near), Errand("c1", 8, far)))


def test_the_farthest_target_is_the_longest_way_over_both_cpus():
    assert farthest_ticks(two_cubes()) == 12


def test_the_start_is_stamped_on_kernels_alone():
    (near, far) = with_start(two_cubes(), 70).errands
    assert [errand.body for errand in near.body.errands] == [RunKernel((), 70)] * 2
    assert [errand.body for errand in far.body.errands] == [RunKernel((), 70), MapPages(0, 0, 4096)]


def test_the_io_cpu_sets_the_start_when_it_has_decoded_and_the_m_cpu_leaves_it():
    bench = CpuBench("io_cpu")
    bench.inbox.put(Letter("host", "cpu", two_cubes()))
    bench.run(10)
    assert bench.letters[0].body.errands[0].body == RunKernel((), 5012)
    other = CpuBench("m_cpu")
    other.inbox.put(Letter("io", "cpu", bench.letters[0].body))
    other.run(10)
    assert [letter.body.work.start_ticks for letter in other.letters] == [5012, 5012]


def test_unmapping_knows_no_start():
    body = Order("u", (Errand("p", 1, UnmapPages(0, 4096)),))
    assert with_start(body, 9) == body


# --- the DMA of an M CPU -----------------------------------------------------------------------------------------


def test_transfers_are_scheduled_by_the_cpu_and_hold_their_channel_for_the_round_trip():
    bench = CpuBench("m_cpu", with_dma=True)
    bench.move("read", 256, "a")
    bench.move("read", 256, "b")
    bench.move("write", 64, "c")
    bench.run(1000)
    assert bench.done == ["105 a", "115 c", "205 b"]
    assert bench.cpu.moved_bytes == {"read": 512, "write": 64}
    assert undrained(bench.env) == ()


def test_an_order_waits_for_the_cpu_while_it_schedules_a_transfer():
    bench = CpuBench("m_cpu", with_dma=True)
    bench.move("read", 256, "a")
    bench.order("o", "x")
    assert bench.run(100) == ["10 Assignment o to x"]


def test_a_dma_with_one_port_is_refused():
    env = Environment()
    ports = {"inbox": Port(env, "a", Letter), "outbox": Port(env, "b", Letter), "memory": Port(env, "m", MemoryRequest)}
    with pytest.raises(PartError, match=r"^cpu at 0 ps: a DMA needs both its ports: connect dma_requests and memory"):
        build(env, "m_cpu", "cpu", {"overhead_ns": 0}, ports)


# --- the post ----------------------------------------------------------------------------------------------------


def test_a_letter_takes_what_a_transfer_without_payload_takes():
    machine = SmallMachine()
    came = []
    machine.post.deliver_to("pcie_ep", lambda letter: came.append(machine.env.now))
    machine.post.deliver_to("c1.r", lambda letter: came.append(machine.env.now))
    machine.post.send(Letter("pcie_ep", "c1.r", Report("r", ())))
    machine.env.run(machine.env.timeout(10**6))
    assert came == [unloaded_ticks(machine.path("pcie_ep", "c1.r"))] == [5000 + 5 * 500 + 2 * 8000]


def test_a_letter_to_itself_takes_no_time():
    machine = SmallMachine()
    came = []
    machine.post.deliver_to("noc", lambda letter: came.append(machine.env.now))
    machine.post.send(Letter("noc", "noc", Report("r", ())))
    machine.env.run(machine.env.timeout(1))
    assert came == [0]
    assert unloaded_ticks(()) == 0


def test_a_letter_to_somebody_without_a_box_is_refused():
    machine = SmallMachine()
    post = Post("empty", machine.fabric, machine)
    post.deliver_to("c0.m_cpu", print)
    with pytest.raises(PartError) as caught:
        post.send(Letter("io_cpu", "c1.m_cpu", Report("r", ())))
    assert str(caught.value) == (
        'empty at 0 ps: io_cpu writes to c1.m_cpu, who has no box (allowed: c0.m_cpu; did you mean "c0.m_cpu"?)'
    )
