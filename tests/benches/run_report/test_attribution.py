"""Every instruction's delay on real memory is the sum of named pieces, whatever the program and the system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benches.run_report.execute import MachineBlock
from benches.run_report.on_fabric import FabricRun, place, run_on_fabric
from components.memory.sbuf import SbufParameters
from simcore.explain.relations import Moment
from simcore.explain.why import HIDDEN, HIDDEN_AT_END, PARAMETERS, Why
from tests.benches.run_report.fabric_runs import estimate_of, ran, site_of
from tests.benches.run_report.two_cores import two_cores
from tests.reference.random_programs import programs
from tests.simcore.perfsim.blocks import block_of, loaded
from tests.topology.infinite import with_parameters
from tests.topology.random_cores import ARCHES, core_systems
from topology.loader import load_system
from topology.machine.devices import devices_of
from topology.machine.site import Site

BELOW_ZERO = {HIDDEN, HIDDEN_AT_END}
TILES = [f"sip0.cube0.pe{k}" for k in range(3)]


def assert_adds_up(block: MachineBlock) -> None:
    attribution, ideal, machine = block.attribution(), block.ideal, block.schedule
    assert attribution is not None and ideal is not None
    assert (machine.duration >= ideal.duration).all()
    assert (machine.start >= ideal.start).all()
    assert (machine.next_dispatch - machine.start >= ideal.next_dispatch - ideal.start).all()
    assert machine.makespan >= ideal.makespan
    late = (machine.end - ideal.end).tolist()
    splits = attribution.splits()
    for event, ticks in enumerate(late):
        delay = attribution.delay(event)
        assert delay.total == ticks
        assert sum(delay.own.values()) == int(machine.duration[event] - ideal.duration[event])
        assert sum(delay.own.values()) + delay.inherited + sum(delay.start.values()) == ticks
        assert splits[event] == attribution.split(event)
        assert sum(splits[event].values()) == ticks
        dispatch = int(machine.next_dispatch[event] - ideal.next_dispatch[event])
        assert sum(attribution.split(event, Moment.next_dispatch).values()) == dispatch
        for why, length in splits[event].items():
            assert (length < 0) == (why.word in BELOW_ZERO), why
            assert why.word != PARAMETERS
    total = attribution.of_makespan()
    assert sum(total.values()) == machine.makespan - ideal.makespan


def assert_all_add_up(run: FabricRun) -> None:
    for device in run.devices:
        for block in device.blocks:
            assert_adds_up(block)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, str, Sequence[str]]:
    """A program, and a system's text with its cores."""
    document = draw(programs().filter(lambda drawn: drawn["arch"] in ARCHES))
    text, cores = draw(core_systems(document["arch"]))
    return document, text, cores


@settings(max_examples=120)
@given(cases())
def test_delays_add_up_on_drawn_systems(case: tuple[Any, str, list[str]]) -> None:
    document, text, cores = case
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.yaml"
        path.write_text(text)
        site = Site(load_system(path))
    assert_all_add_up(ran(site, cores, estimate_of(loaded(document))))


@settings(max_examples=40)
@given(programs())
def test_delays_add_up_on_tiles_that_share_a_mesh(document: Any) -> None:
    assert_all_add_up(ran(site_of("kernbench_2x4x4"), TILES, estimate_of(loaded(document))))


SLOW_NEIGHBOUR = two_cores("slow_neighbour", ("fast", 256), ("slow", 2), buffer_bytes="1024")


def load_of(name: str, nbytes: int, **more: Any) -> dict[str, Any]:
    """A Load of ``nbytes``."""
    shape = {"partitions": 1, "elements": nbytes, "dtype": "uint8"}
    operands = {"ins": [{"space": "DRAM", **shape}], "outs": [{"space": "SB", **shape}]}
    return {"name": name, "opcode": "Load", "engine": "DMA", "cost": 0, **operands, **more}


def test_a_core_behind_the_same_full_buffer_as_a_slow_one_waits_for_the_buffer(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(SLOW_NEIGHBOUR)
    both = ran(Site(load_system(path)), ["slow", "fast"], estimate_of(loaded(block_of(load_of("ld", 65536)))))
    assert_all_add_up(both)
    slow, fast = (device.blocks[0].attribution() for device in both.devices)
    assert slow is not None and fast is not None
    assert max(slow.of_makespan().items(), key=lambda item: item[1])[0] == Why("link", "r>slow")
    assert max(fast.of_makespan().items(), key=lambda item: item[1])[0] == Why("router_buffer", "hbm>r")


def test_a_lone_load_is_late_by_what_its_way_takes(tmp_path: Path) -> None:
    """512 bytes, two flits, at 256 GB/s over two links: the last one is there after 3 ns."""
    path = tmp_path / "t.yaml"
    path.write_text(SLOW_NEIGHBOUR)
    site = Site(load_system(path))
    ((block,),) = (
        device.blocks for device in ran(site, ["fast"], estimate_of(loaded(block_of(load_of("ld", 512))))).devices
    )
    attribution = block.attribution()
    assert attribution is not None
    assert attribution.split(0) == {Why("link", "hbm>r"): 2000, Why("link", "r>fast"): 1000}
    # The first flit is there after 2 ns, and what costs 2 ns goes on for so long from then on.
    paid = ran(site, ["fast"], estimate_of(loaded(block_of(load_of("ld", 512, cost=2))))).devices[0].blocks[0]
    assert paid.schedule.duration.tolist() == [4000]


@pytest.mark.parametrize("channel_gbs", [32, 24, 16, 8])
def test_what_a_slow_memory_adds_is_laid_to_the_memory(channel_gbs: int) -> None:
    """Eight channels hand eight flits on at one moment; the link behind them, which is no slower, is not to blame."""
    system = with_parameters(load_system("kernbench_2x4x4"), "hbm_controller", pc_bw_gbs=Fraction(channel_gbs))
    block = ran(Site(system), TILES[:1], estimate_of(loaded(block_of(load_of("ld", 1 << 18))))).devices[0].blocks[0]
    assert_adds_up(block)
    attribution = block.attribution()
    assert attribution is not None
    largest, ticks = max(attribution.split(0).items(), key=lambda item: item[1])
    assert largest == Why("hbm", "sip0.cube0.hbm_ctrl.pe0")
    assert ticks >= (1 << 18) * 1000 // (8 * channel_gbs)


def test_a_scratchpad_of_two_banks_is_not_to_blame_for_what_it_keeps_up_with(tmp_path: Path) -> None:
    """Each bank moves 160 GB/s, less than the link, and both together more than it."""
    path = tmp_path / "t.yaml"
    path.write_text(SLOW_NEIGHBOUR)
    load = estimate_of(loaded(block_of(load_of("ld", 1 << 16))))
    site = Site(load_system(path))
    rates = SbufParameters(read_bw_gbs=Fraction(160), write_bw_gbs=Fraction(160))
    device = replace(devices_of(site, ["fast"])[0], sbuf=rates, sbuf_impl="two_banks")
    attribution = run_on_fabric(site, place(site, [(device, load)])).devices[0].blocks[0].attribution()
    assert attribution is not None
    assert max(attribution.split(0).items(), key=lambda item: item[1])[0] == Why("link", "hbm>r")
