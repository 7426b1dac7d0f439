"""The cross-check can fail: one rule is broken in one model at a time, and the difference is found and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from benches.crosscheck import Difference, compare_models
from benches.crosscheck.compare import first_difference
from components import registry
from components.core import wiring
from components.core.engine import Engine
from components.core.neuron_core import NeuronCoreParameters
from components.core.psum_bank import PsumBank
from components.core.simulate import simulate_block
from components.core.work import ENGINE, Work
from components.registry import register
from simcore.kernel import Timeout
from simcore.perfsim.estimate import prepare
from simcore.perfsim.options import PerfSimOptions
from simcore.program.engines import Lane
from simcore.program.program import Program
from simcore.schedule import Schedule
from tests.components.core.story import Instruction, act, collective, dma, dve, pe, pool, sp
from tests.simcore.perfsim.blocks import block_of, loaded, scheduled


def barrier(name: str, **more: Any) -> Instruction:
    return {"name": name, "opcode": "AllEngineBarrier", "engine": "ALL", "cost": 50, **more}


def trigger(name: str, queue: int, cost: int = 0) -> Instruction:
    transfer = {"name": f"{name}.x", "opcode": "DMACopy", "engine": "DMA", "cost": 2000}
    return {"name": name, "opcode": "DMATrigger", "engine": "SP", "queue": queue, "cost": cost, "transfer": transfer}


class HandsOverAtEnd(PsumBank):
    """A bank that is left when the instruction that holds it ends, not when it reaches its next-dispatch."""

    def wait_over(self, now: int, rank: int, on: Work) -> None:
        rest = on.end_ticks - on.dispatch_ticks
        leave = super().wait_over
        Timeout(self.env, rest).callbacks.append(lambda _: leave(self.env.now, rank, on))


class HandsOverOnce(PsumBank):
    """A bank whose every writer waits for the first instruction that touched it, not for the last before it."""

    def enrol(self, work: Work) -> None:
        if not self.accepted:
            super().enrol(work)


class ReleasesAtEnd(Engine):
    """An engine whose triggers let their consumers go when they end, as if they were no triggers."""

    def load(self, queue: Sequence[Work], program: Sequence[Work]) -> None:
        for work in queue:
            links = work.on_start or []
            work.on_start = [link for link in links if link[1] >= ENGINE] or None
            work.on_end = [*(work.on_end or ()), *(link for link in links if link[1] < ENGINE)] or None
        super().load(queue, program)


@pytest.fixture
def broken_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken parts, registered beside the shipped ones for one test."""
    shipped = {(entry.kind, entry.impl): entry for entry in registry.known_parts()}
    monkeypatch.setattr(registry, "_registered", shipped)
    register("psum_bank", "hands_over_at_end")(HandsOverAtEnd)
    register("psum_bank", "hands_over_once")(HandsOverOnce)
    register("engine", "releases_at_end")(ReleasesAtEnd)


@dataclass(frozen=True)
class Case:
    """A program, what is changed in which model, and the difference that this makes.

    ``seen``: name, field, PerfSim's value, the machine's value, and what each model says the start was bound by.
    """

    rule: str
    instructions: tuple[Instruction, ...]
    seen: tuple[str, str, Any, Any, str, str]
    arch: str = "gen3"
    core: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    run: str = "with anti-dependencies"


TWO_PE = (pe("a", 300), pe("b", 300))
TWO_DMA = (dma("a", 2000), dma("b", 2000))
RING = tuple(trigger(f"t{k}", 10) for k in range(5))
BANK = (pe("w", 300, psum_writes=[0]), dve("v", 200, psum_writes=[0]))
READ_BETWEEN = (pe("w", 300, psum_writes=[0]), act("r", 900, psum_reads=[0]), dve("v", 200, psum_writes=[0]))
COUPLED = (dve("d", 300), pool("p", 300))
CLAMP = (dve("d", 300, psum_writes=[0]), act("a", 100))
STREAMS = (collective("c0", 300, 0), collective("c1", 300, 1))
LAST_STREAM = (collective("c0", 300, 0),)
BARRIER = (sp("s", 300), barrier("b"))
TIED_BARRIER = (act("a", 300), dve("d", 300), barrier("b"))
ANTI_MASKS_BARRIER = (sp("s", 300), dma("d", 1000), barrier("b", dependencies=[["d", "Anti"]]))
ORDERED = (dma("d", 500), collective("c0", 3000, 0), collective("c1", 300, 0, dependencies=["d"]))
ORDERED += (pool("p", 100, dependencies=[["c1", "Ordered"]]),)
TRIGGER_EDGE = (trigger("t", 11, cost=400), pe("m", 100, dependencies=["t"]))
ACROSS_LANES = (pe("a", 300), dve("d", 300, dependencies=["a"]))

MACHINE_BROKEN = (
    Case(
        "overlap window",
        TWO_PE,
        ("a", "next_dispatch", 200, 250, "none", "none"),
        core={"compute_overlap_ns": 50},
    ),
    Case("no overlap window", TWO_PE, ("a", "next_dispatch", 200, 300, "none", "none"), core={"compute_overlap_ns": 0}),
    Case("DMA window", TWO_DMA, ("a", "next_dispatch", 700, 1900, "none", "none"), core={"dma_overlap_ns": 100}),
    Case("ring depth", RING, ("t3", "start", 0, 700, "none", "ring on t0.x"), core={"ring_depths": {10: 3, 12: 1}}),
    Case("ring that never fills", RING, ("t4", "start", 700, 0, "ring on t0.x", "none"), core={"ring_depths": {12: 1}}),
    Case(
        "bank handed over at the end",
        BANK,
        ("v", "start", 200, 300, "psum_bank on w", "psum_bank on w"),
        core={"impls": {"psum_bank": "hands_over_at_end"}},
    ),
    Case(
        "bank handed over in another order",
        READ_BETWEEN,
        ("v", "start", 800, 200, "psum_bank on r", "psum_bank on w"),
        core={"impls": {"psum_bank": "hands_over_once"}},
    ),
    Case(
        "coupling of Pool and DVE",
        COUPLED,
        ("p", "start", 200, 0, "band_coupling on d", "none"),
        arch="sunda",
        core={"coupled": False},
    ),
    Case(
        "coupling where there is none",
        COUPLED,
        ("p", "start", 0, 200, "none", "band_coupling on d"),
        core={"coupled": True},
    ),
    Case(
        "activation clamp",
        CLAMP,
        ("a", "start", 300, 0, "band_coupling on d", "none"),
        arch="sunda",
        core={"coupled": False},
    ),
    Case(
        "share of a stream",
        STREAMS,
        ("c1", "duration", 1200, 600, "none", "none"),
        core={"collective_shares": ((3, 4), (1, 2))},
    ),
    Case(
        "lanes of a barrier",
        BARRIER,
        ("b", "start", 200, 0, "barrier on s", "none"),
        core={"barrier_lanes": (Lane.Activation, Lane.DVE, Lane.PE, Lane.Pool)},
    ),
    Case(
        "which of two equal lanes a barrier names",
        TIED_BARRIER,
        ("b", "on", "a", "d", "barrier on a", "barrier on d"),
        core={"barrier_lanes": (Lane.DVE, Lane.Activation, Lane.PE, Lane.Pool, Lane.SP)},
    ),
    Case(
        "lanes of a barrier, hidden by an anti-dependency",
        ANTI_MASKS_BARRIER,
        ("b", "start", 200, 0, "barrier on s", "none"),
        core={"barrier_lanes": (Lane.Activation, Lane.DVE, Lane.PE, Lane.Pool)},
        run="without anti-dependencies",
    ),
    Case(
        "ordered edge",
        ORDERED,
        ("p", "start", 500, 4400, "dependency on c1", "dependency on c1"),
        core={"early_ordered": False},
    ),
    Case(
        "edge of a trigger",
        TRIGGER_EDGE,
        ("m", "start", 0, 400, "none", "dependency on t"),
        core={"impls": {"engine": "releases_at_end"}},
    ),
    Case(
        "edge between lanes",
        ACROSS_LANES,
        ("d", "start", 300, 305, "dependency on a", "dependency on a"),
        core={"semaphore_latency_ns": 5},
    ),
)

PERFSIM_BROKEN = (
    Case(
        "overlap window",
        TWO_PE,
        ("a", "next_dispatch", 250, 200, "none", "none"),
        options={"compute_overlap_ns": 50},
    ),
    Case("DMA window", TWO_DMA, ("a", "next_dispatch", 1900, 700, "none", "none"), options={"dma_overlap_ns": 100}),
    Case("engine order", TWO_PE, ("b", "start", 0, 200, "none", "engine on a"), options={"engine_order": False}),
    Case("ring depth", RING, ("t2", "start", 700, 0, "ring on t0.x", "none"), options={"ring_depths": {10: 2}}),
    Case("banks", BANK, ("v", "start", 0, 200, "none", "psum_bank on w"), options={"psum_banks": False}),
    Case(
        "coupling of Pool and DVE",
        COUPLED,
        ("p", "start", 0, 200, "none", "band_coupling on d"),
        arch="sunda",
        options={"pool_dve_coupling": False},
    ),
    Case(
        "activation clamp",
        CLAMP,
        ("a", "start", 0, 300, "none", "band_coupling on d"),
        arch="sunda",
        options={"pool_dve_coupling": False},
    ),
    Case(
        "share of a stream",
        LAST_STREAM,
        ("c0", "duration", 300, 600, "none", "none"),
        arch="core_v4",
        options={"collective_share": "max_stream"},
    ),
    Case("barrier", BARRIER, ("b", "start", 0, 200, "none", "barrier on s"), options={"barriers": False}),
    Case(
        "collective reflow",
        STREAMS,
        ("c0", "duration", 500, 400, "none", "none"),
        options={"collective_reflow": "overlap"},
    ),
)


def difference_of(case: Case) -> Difference | None:
    program = loaded(block_of(*case.instructions, arch=case.arch))
    prepared = prepare(program)
    core = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
    options = PerfSimOptions(**case.options)
    return compare_models(prepared, options, lambda _: core.model_copy(update=dict(case.core))).first_difference


@pytest.mark.usefixtures("broken_parts")
@pytest.mark.parametrize("case", MACHINE_BROKEN, ids=lambda case: case.rule)
def test_a_rule_broken_in_the_machine_is_named(case: Case) -> None:
    check(case)


@pytest.mark.parametrize("case", PERFSIM_BROKEN, ids=lambda case: case.rule)
def test_a_rule_broken_in_perfsim_is_named(case: Case) -> None:
    check(case)


def check(case: Case) -> None:
    found = difference_of(case)
    assert found is not None
    bounds = str(found.perfsim_bound), str(found.machine_bound)
    assert (found.name, found.field, found.perfsim, found.machine, *bounds) == case.seen
    assert found.run == case.run
    assert difference_of(replace(case, core={}, options={})) is None


def test_a_lane_that_only_the_machine_takes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an instruction runs is read off the machine: its lane is the one that ran it, not the program's word."""
    lanes_of = wiring.lanes_of
    case = Case("lane", (pe("a", 300), dve("d", 200)), ("d", "lane", "DVE", "Pool", "none", "none"))
    assert difference_of(case) is None
    monkeypatch.setattr(wiring, "lanes_of", lambda c: np.where(lanes_of(c) == Lane.DVE, Lane.Pool, lanes_of(c)))
    found = difference_of(case)
    assert found is not None
    assert (found.name, found.field, found.perfsim, found.machine) == case.seen[:4]


def test_a_difference_says_in_words_what_each_model_did() -> None:
    case = Case("", COUPLED, ("", "", 0, 0, "", ""), arch="sunda", core={"coupled": False})
    assert str(difference_of(case)) == (
        "p: start is 200 ns in PerfSim and 0 ns in the machine; its start is bound by band_coupling on d in PerfSim "
        "and by none in the machine (with anti-dependencies, instructions that differ: 1)"
    )


FIELDS = ("lane", "duration", "start", "next_dispatch", "cause", "on", "ready_at", "ready_on")


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_of_every_instruction_is_compared(name: str) -> None:
    program = loaded(block_of(dma("d", 500), collective("c", 300, 0, dependencies=["d"])))
    perfsim, machine = both(program)
    columns = program.blocks[0][1].columns
    assert first_difference(columns, perfsim, machine, include_anti_deps=True) is None
    for event in range(2):
        changed = getattr(machine, name).copy()
        changed[event] = (int(changed[event]) + 1) % 2 if name in ("on", "ready_on") else changed[event] + 1
        spoilt = replace(machine, **{name: changed})
        found = first_difference(columns, perfsim, spoilt, include_anti_deps=True)
        if name.startswith("ready") and event == 0:
            assert found is None  # kept for collectives only
        else:
            assert found is not None
            assert (found.name, found.field, found.differing) == ("dc"[event], name, 1)


def test_a_difference_of_less_than_a_nanosecond_is_one() -> None:
    program = loaded(block_of(pe("a", 300)))
    perfsim, machine = both(program)
    late = replace(machine, start=machine.start + 1)
    found = first_difference(program.blocks[0][1].columns, perfsim, late, include_anti_deps=False)
    assert found is not None
    assert (str(found.perfsim), str(found.machine), found.run) == ("0", "0.001", "without anti-dependencies")


def test_of_several_differences_the_first_in_program_order_is_told_and_all_are_counted() -> None:
    program = loaded(block_of(dma("d", 9000), pe("a", 300), pe("b", 300), pe("c", 300)))
    perfsim, machine = both(program)
    late = replace(machine, start=machine.start + np.array([0, 0, 7000, 7000]))
    found = first_difference(program.blocks[0][1].columns, perfsim, late, include_anti_deps=True)
    assert found is not None
    assert (found.name, found.field, found.perfsim, found.machine, found.differing) == ("b", "start", 200, 207, 2)


def both(program: Program) -> tuple[Schedule, Schedule]:
    """Both models' schedules of the program's only block."""
    ((_, block),) = program.blocks
    core = NeuronCoreParameters.of_generation(program.arch, program.arch_version)
    return scheduled(program, block), simulate_block(block.columns, block.columns.cost_ns, core)
