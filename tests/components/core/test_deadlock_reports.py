"""A core that stands still says who holds whom, for which instruction, since when; one that spins says what spins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict

from components.core.barrier_lane import BarrierLane
from components.core.descriptor_ring import DescriptorRing
from components.core.engine import Engine
from components.core.neuron_core import NeuronCore, NeuronCoreParameters
from components.core.psum_bank import PsumBank
from components.core.semaphore import Semaphores
from components.core.simulate import simulate_block
from components.core.work import BANK, Work
from components.registry import register
from simcore.kernel import Deadlock, Environment, Livelock, Part, PartError
from simcore.program.columns import Columns
from simcore.program.engines import Lane
from tests.components.core.story import act, barrier, dma, dve, pe, sp, tell, trigger
from tests.simcore.perfsim.blocks import block_of, loaded

pytestmark = pytest.mark.usefixtures("own_registry")


def deadlock_of(*instructions, **changes) -> Deadlock:
    with pytest.raises(Deadlock) as caught:
        tell(*instructions, **changes)
    return caught.value


def waits(error: Deadlock) -> list[str]:
    """The waits that explain the standstill."""
    return [str(wait) for wait in error.cycle or error.roots]


# --- parts that keep what they should hand over -------------------------------------------------------------------


class KeepingBank(PsumBank):
    """Hears that its holder leaves, and does not hand over."""

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        """Nothing."""


class Numbered(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int


class DeafBank(Part[Numbered]):
    """A bank of somebody's own, which makes writers wait and listens to nobody."""

    def hold_back(self, work: Work) -> None:
        work.waits += 1

    def enrol(self, work: Work) -> None:
        self.accepted += 1


WRITERS = (
    act("x", 700),
    pe("w", 300, psum_writes=[3]),
    dve("v", 200, dependencies=["x"], psum_writes=[3]),
    sp("s", 10),
)


def test_a_bank_that_does_not_hand_over_is_named_with_who_waits_for_it():
    register("psum_bank", "keeping")(KeepingBank)
    error = deadlock_of(*WRITERS, impls={"psum_bank": "keeping"})
    assert str(error) == "\n".join(
        [
            "deadlock at 700 ns, the model's fault: nothing is left to happen, but the program is not done"
            " (1 blocked, 0 idle)",
            "  nobody will end these waits:",
            "    core.DVE (for v) waits since 0 ns for core.psum3",
            "  left in the machine:",
            "    part core: 1 of 4 requests in flight",
            "    part core.DVE: 1 of 1 requests in flight",
            "    part core.psum3: 2 of 2 requests in flight",
        ]
    )
    assert (error.fault, error.exit_code, error.now_ticks) == ("model", 3, 700_000)


def test_a_bank_that_never_listened_is_named_too():
    register("psum_bank", "deaf")(DeafBank)
    error = deadlock_of(pe("w", 300, psum_writes=[3]), dve("v", 200, psum_writes=[1, 3]), impls={"psum_bank": "deaf"})
    assert waits(error) == [
        "core.PE (for w) waits since 0 ns for core.psum3",
        "core.DVE (for v) waits since 0 ns for core.psum1",
        "core.DVE (for v) waits since 0 ns for core.psum3",
    ]
    assert error.exit_code == 3


def test_a_part_that_has_passed_everything_on_is_not_suspected():
    register("psum_bank", "keeping")(KeepingBank)
    error = deadlock_of(*WRITERS, impls={"psum_bank": "keeping"}, semaphore_latency_ns=5)
    assert waits(error) == ["core.DVE (for v) waits since 0 ns for core.psum3"]


def test_who_is_held_up_behind_a_transfer_in_a_ring_is_told_through_which():
    register("psum_bank", "keeping")(KeepingBank)
    held_up = trigger("t0", 10, 2000, queue=12)
    held_up["transfer"]["dependencies"] = ["v"]
    error = deadlock_of(*WRITERS, held_up, trigger("t1", 10, 50, queue=12), impls={"psum_bank": "keeping"})
    assert waits(error) == ["core.DVE (for v) waits since 0 ns for core.psum3"]
    assert [str(wait) for wait in error.blocked] == [
        "core.ring12.write (for t1.x) waits since 0 ns for channel core.ring12.slots,"
        " held by core.DMA (for t0.x) since 0 ns",
        "core.DMA (for t0.x) waits since 0 ns for the end of v on core.DVE",
        "core.DVE (for v) waits since 0 ns for core.psum3",
        "core.SP (for t1) waits since 20 ns for the next-dispatch of t0.x on core.DMA, through core.ring12",
    ]


def test_a_bank_that_hands_over_but_keeps_no_account_is_found_at_the_programs_end():
    class Forgetful(PsumBank):
        """Does not count who leaves."""

        def wait_over(self, now: int, rank: int, on: Work) -> None:
            super().wait_over(now, rank, on)
            self.completed = 0

    register("psum_bank", "forgetful")(Forgetful)
    with pytest.raises(PartError) as caught:
        tell(*WRITERS, impls={"psum_bank": "forgetful"})
    assert str(caught.value) == "core.psum3 at 900000 ps: 2 of 2 requests are left at the program's end"


def test_a_ring_that_does_not_free_its_slot_is_named_with_the_transfer_that_holds_it():
    class Clogged(DescriptorRing):
        """No transfer ever leaves."""

        def transferred(self, descriptor: object) -> None:
            """Nothing."""

    register("descriptor_ring", "clogged")(Clogged)
    error = deadlock_of(
        trigger("t0", 10, 2000, queue=12),
        dma("l", 5),
        trigger("t1", 10, 50, queue=12),
        impls={"descriptor_ring": "clogged"},
    )
    assert waits(error) == [
        "core.ring12.write (for t1.x) waits since 0 ns for channel core.ring12.slots,"
        " held by core.DMA (for t0.x) since 0 ns",
        "core.DMA (for t1.x) waits since 705 ns for the start of t1 on core.SP",
        "core.SP (for t1) waits since 10 ns for core.ring12",
    ]
    assert error.exit_code == 3


def test_an_engine_that_never_ends_an_instruction_is_named_with_it():
    class Endless(Engine):
        """Its instructions start and stay."""

        def end(self, work: Work) -> None:
            """Nothing."""

    register("engine", "endless")(Endless)
    error = deadlock_of(pe("a", 300), dve("b", 10, dependencies=["a"]), dve("c", 10), impls={"engine": "endless"})
    assert waits(error) == ["core.DVE (for b) waits since 0 ns for the end of a on core.PE"]
    assert (error.exit_code, error.now_ticks) == (3, 300_000)


def test_a_semaphore_that_loses_the_news_is_named():
    class Lossy(Semaphores):
        """Forgets whom it should tell."""

        def towards(self, consumer: Work):
            told = super().towards(consumer)
            told.consumer = Work(-1, "nobody", consumer.lane, 0, 0, 2)
            return told

    register("semaphore", "lossy")(Lossy)
    error = deadlock_of(
        pe("a", 300), dve("b", 10, dependencies=["a"]), impls={"semaphore": "lossy"}, semaphore_latency_ns=5
    )
    assert waits(error) == ["core.DVE (for b) waits since 0 ns for core.semaphores"]
    assert error.exit_code == 3


def test_a_wait_that_nobody_owes_is_told_as_such():
    core = NeuronCore(Environment(), "core", NeuronCoreParameters.of_generation("gen3", 30), {})
    with pytest.raises(Deadlock) as caught:
        core.run([Work(0, "a", core.lane(Lane.PE), 10, 10, waits=1)])
    assert waits(caught.value) == ["core.PE (for a) waits since 0 ns for something that nobody in the program owes it"]


def test_a_barrier_names_every_lane_that_it_waits_for():
    class Endless(Engine):
        """Its instructions start and stay."""

        def _issue(self):
            yield self.env.event()

    register("engine", "endless")(Endless)
    error = deadlock_of(pe("p", 300), sp("s", 10), barrier("b", 10), impls={"engine": "endless"})
    assert [str(wait) for wait in error.blocked if wait.instruction == "b"] == [
        "core.ALL (for b) waits since 0 ns for the next-dispatch of p on core.PE",
        "core.ALL (for b) waits since 0 ns for the next-dispatch of s on core.SP",
    ]


# --- circles ------------------------------------------------------------------------------------------------------


def with_edges(columns: Columns, *edges: tuple[int, int]) -> Columns:
    """``columns`` with these Flow edges (consumer, producer) alone, in whatever order."""
    count = np.bincount([consumer for consumer, _ in edges], minlength=len(columns)).astype(np.uint32)
    producers = np.array([producer for _, producer in sorted(edges)], dtype=np.int32)
    return replace(columns, dep_count=count, dep_on=producers, dep_kind=np.full(len(edges), 4, dtype=np.uint8))


def run_with_edges(program, *edges: tuple[int, int]):
    ((_, block),) = loaded(block_of(*program)).blocks
    columns = with_edges(block.columns, *edges)
    return simulate_block(columns, columns.cost_ns, NeuronCoreParameters.of_generation("gen3", 30))


FOUR = (pe("a", 300), pe("b", 10), dve("c", 200), dve("d", 10))


def test_a_program_whose_edges_lead_into_a_circle_over_two_engines_is_at_fault():
    # a waits for d, which is behind c; c waits for b, which is behind a.
    with pytest.raises(Deadlock) as caught:
        run_with_edges(FOUR, (0, 3), (2, 1))
    error = caught.value
    assert str(error) == "\n".join(
        [
            "deadlock at 0 ns, the program's fault: nothing is left to happen, but the program is not done"
            " (2 blocked, 0 idle)",
            "  each waits for the next, the last for the first:",
            "    core.PE (for a) waits since 0 ns for the end of d on core.DVE",
            "    core.DVE (for c) waits since 0 ns for the end of b on core.PE",
            "  left in the machine:",
            "    part core: 4 of 4 requests in flight",
            "    part core.PE: 2 of 2 requests in flight",
            "    part core.DVE: 2 of 2 requests in flight",
        ]
    )
    assert (error.fault, error.exit_code) == ("program", 2)


def test_edges_to_later_instructions_are_no_fault_where_they_close_no_circle():
    schedule = run_with_edges(FOUR, (1, 3))
    assert (schedule.start // 1000).tolist() == [0, 200, 0, 100]
    assert (run_with_edges(FOUR, (0, 2)).start // 1000).tolist() == [200, 400, 0, 100]


def test_a_circle_that_a_part_closes_is_the_models_fault():
    class Reversed(PsumBank):
        """Makes the first writer wait for the second."""

        def enrol(self, work: Work) -> None:
            self.accepted += 1
            if self._last is not None:
                self._last.waits += 1
                work.tell_dispatch((self._last, BANK))
            self._last = work

        def hold_back(self, work: Work) -> None:
            """Nothing."""

    register("psum_bank", "reversed")(Reversed)
    error = deadlock_of(
        pe("w", 300, psum_writes=[0]),
        dve("v", 200, dependencies=["w"], psum_writes=[0]),
        impls={"psum_bank": "reversed"},
    )
    assert waits(error) == [
        "core.PE (for w) waits since 0 ns for the next-dispatch of v on core.DVE",
        "core.DVE (for v) waits since 0 ns for the end of w on core.PE",
    ]
    assert (error.fault, error.exit_code) == ("model", 3)


def test_the_part_that_would_pass_the_news_on_is_named():
    class Stuck(Engine):
        """Starts nothing."""

        def _issue(self):
            yield self.env.me.waiting_on(self.env.event(), "a coin", self.queue[0].name)

    register("engine", "stuck")(Stuck)
    error = deadlock_of(
        pe("w", 300, psum_writes=[0]),
        barrier("b", 10, psum_writes=[0], dependencies=["w"]),
        impls={"engine": "stuck"},
        semaphore_latency_ns=5,
    )
    assert [str(wait) for wait in error.blocked] == [
        "core.PE.issue (for w) waits since 0 ns for a coin",
        "core.ALL (for b) waits since 0 ns for the next-dispatch of w on core.PE",
        "core.ALL (for b) waits since 0 ns for the next-dispatch of w on core.PE, through core.psum0",
        "core.ALL (for b) waits since 0 ns for the end of w on core.PE, through core.semaphores",
    ]
    assert waits(error) == ["core.PE.issue (for w) waits since 0 ns for a coin"]


def test_a_wait_that_the_program_asked_a_part_for_is_the_programs_fault():
    class WaitsForTheHost(Engine):
        """Its instructions wait for a semaphore that only a program could raise."""

        def _issue(self):
            yield self.env.me.waiting_on(self.env.event(), "semaphore 3", self.queue[0].name, by_program=True)

    register("engine", "host")(WaitsForTheHost)
    error = deadlock_of(pe("a", 300), dve("b", 10, dependencies=["a"]), impls={"engine": "host"})
    assert waits(error) == [
        "core.PE.issue (for a) waits since 0 ns for semaphore 3",
        "core.DVE.issue (for b) waits since 0 ns for semaphore 3",
    ]
    assert (error.fault, error.exit_code) == ("program", 2)


# --- spinning -----------------------------------------------------------------------------------------------------


def livelock_of(monkeypatch, *instructions, **impls: str) -> Livelock:
    monkeypatch.setattr("components.core.simulate.INSTANT_LIMIT", 5000)
    ((_, block),) = loaded(block_of(*instructions)).blocks
    core = NeuronCoreParameters.of_generation("gen3", 30).model_copy(update={"impls": impls})
    with pytest.raises(Livelock) as caught:
        simulate_block(block.columns, block.columns.cost_ns, core)
    return caught.value


def test_an_engine_that_polls_without_delay_is_a_livelock(monkeypatch):
    class Polling(Engine):
        """Asks again and again whether its first instruction may go."""

        def _issue(self):
            yield self.env.timeout(2000)
            while self.queue[0].waits:
                yield self.env.timeout(0)

    register("engine", "polling")(Polling)
    error = livelock_of(monkeypatch, pe("a", 300), dve("b", 10, dependencies=["a"]), engine="polling")
    assert str(error) == (
        "livelock at 2 ns: more than 5000 events at one instant; these repeat:\n"
        "    core.DVE.issue woken by a delay of 0 ps, 1000 times"
    )
    assert (error.now_ticks, error.fault, error.exit_code) == (2000, "model", 3)


def test_a_barrier_lane_that_starts_one_barrier_for_ever_is_a_livelock(monkeypatch):
    class Restless(BarrierLane):
        """Starts a barrier again instead of ending it."""

        def end(self, work: Work) -> None:
            self.go(work)

    register("barrier_lane", "restless")(Restless)
    error = livelock_of(monkeypatch, barrier("b", 0), barrier_lane="restless")
    assert [what for what, _ in error.repeating] == [
        "core.ALL woken by a delay of 0 ps",
        "core.ALL woken by an event",
    ]


def test_a_block_of_a_great_many_free_instructions_is_no_livelock(monkeypatch):
    monkeypatch.setattr("components.core.simulate.INSTANT_LIMIT", 1)
    program = loaded(
        block_of(
            *(pe(f"p{k}", 0) for k in range(40)),
            *(barrier(f"b{k}", 0, dependencies=[f"p{i}" for i in range(40)]) for k in range(200)),
        )
    )
    ((_, block),) = program.blocks
    core = NeuronCoreParameters.of_generation("gen3", 30)
    for latency in (0, 3):
        schedule = simulate_block(
            block.columns, block.columns.cost_ns, core.model_copy(update={"semaphore_latency_ns": latency})
        )
        assert schedule.makespan == latency * 1000
