"""Drives a NeuronCore: instructions on four lanes, an edge, a PSUM bank handed over, a ring of depth one, a barrier."""

from __future__ import annotations

from collections.abc import Mapping

from simpy.events import Event

from components.core.neuron_core import NeuronCore
from components.core.work import BARRIER, TRIGGERED, Work
from components.registry import Registered, build
from simcore.kernel import Environment
from simcore.program.engines import BARRIER_LANES, Lane
from tests.components.contract.bench import Bench
from tests.components.contract.lane_bench import works_on

PROGRAM = [
    (Lane.SP, 64),
    (Lane.DMA, 2000),
    (Lane.SP, 64),
    (Lane.DMA, 2500),
    (Lane.PE, 700),
    (Lane.Activation, 300),
    (Lane.PE, 200),
    (Lane.ALL, 100),
]
"""(lane, cost in ns); a transfer follows its trigger."""


def parameters(impl: str) -> dict[str, object]:
    return {
        "compute_overlap_ns": 64,
        "dma_overlap_ns": 1200,
        "ring_depths": {12: 1},
        "psum_banks": 2,
        "coupled": False,
        "collective_shares": ((3, 4), (1, 4)),
        "barrier_lanes": BARRIER_LANES,
        "early_ordered": True,
        "semaphore_latency_ns": 0,
        "impls": {"engine": "in_order"},
    }


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    core = build(env, entry.kind, name, parameters, {}, entry.impl)
    assert isinstance(core, NeuronCore)

    def send_batch() -> Event:
        works = program()
        done = core.start(works)
        for work in works:
            work.tell_end((note, 0))
        return done

    def program() -> list[Work]:
        works = []
        for i, (lane, cost_ns) in enumerate(PROGRAM):
            (work,) = works_on(core.lane(lane), [cost_ns])
            work.index, work.name = i, f"I{i}"
            works.append(work)
        for trigger, transfer in ((works[0], works[1]), (works[2], works[3])):
            transfer.waits += 1
            trigger.tell_start((transfer, TRIGGERED))
            core.rings[12].enrol(trigger, transfer)
        works[4].waits += 1
        works[1].tell_end((works[4], 0))
        for writes, work in ((True, works[4]), (False, works[5]), (True, works[6])):
            if writes:
                core.banks[1].hold_back(work)
            core.banks[1].enrol(work)
        for rank, last in enumerate((works[6], works[5], works[2])):
            works[7].waits += 1
            last.tell_dispatch((works[7], BARRIER + rank))
        return works

    def start_while_it_runs() -> None:
        send_batch()
        send_batch()

    board = Bench(core, send_batch, len(PROGRAM), {"a program while another runs": start_while_it_runs})
    note = Note(env, board.answers)
    return board


class Note:
    """Is told of every end."""

    via = None

    def __init__(self, env: Environment, answers: list[tuple[int, str]]) -> None:
        self.env = env
        self.answers = answers

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        self.answers.append((now, on.name))

    def followers(self, on: Work) -> tuple[Work, ...]:
        return ()
