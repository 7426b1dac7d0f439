"""Collectives of programs that run at once on the cores of one system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benches.run_report.delays import largest
from benches.run_report.execute import MachineBlock
from simcore.kernel import Deadlock
from simcore.perfsim.estimate import Estimate
from tests.benches.run_report.collective_programs import as_late_as_drawn, collective_programs
from tests.benches.run_report.fabric_runs import estimate_of, free_site_of, ran, site_of
from tests.benches.run_report.test_attribution import assert_all_add_up
from tests.benches.run_report.test_on_fabric_equality import assert_as_ideal
from tests.benches.run_report.two_cores import two_cores
from tests.simcore.perfsim.blocks import block_of, loaded
from tests.topology.random_cores import core_systems
from topology.loader import load_system
from topology.machine.site import Site

SQUARE = [f"sip0.cube{cube}.pe0" for cube in (0, 1, 4, 5)]
ALGORITHMS = ("ring", "torus", "hierarchical")

STAR = two_cores("star", ("a", 256), ("b", 256), buffer_bytes="null")


@pytest.fixture
def star(tmp_path: Path) -> Site:
    path = tmp_path / "star.yaml"
    path.write_text(STAR)
    return Site(load_system(path))


def access(nbytes: int) -> dict[str, Any]:
    return {"space": "DRAM", "partitions": 1, "elements": nbytes, "dtype": "uint8"}


def cc(name: str, nbytes: int = 1024, **more: Any) -> dict[str, Any]:
    """An all-reduce that costs nothing unless it says so."""
    fields = {"kind": "AllReduce", "cost": 0, "ins": [access(nbytes)], "outs": [access(nbytes)], **more}
    return {"name": name, "opcode": "CollectiveCompute", "engine": "Pool", **fields}


def work(name: str, cost: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "opcode": "Iota", "engine": "Pool", "cost": cost, **more}


def program(*instructions: dict[str, Any]) -> Estimate:
    return estimate_of(loaded(block_of(*instructions)))


def blocks_of(site: Site, *programs: Estimate) -> list[MachineBlock]:
    run = ran(site, ["a", "b"], *programs)
    assert_all_add_up(run)
    return [device.blocks[0] for device in run.devices]


def split(block: MachineBlock, event: int) -> dict[str, int]:
    attribution = block.attribution()
    assert attribution is not None
    return {why.label: ticks for why, ticks in attribution.split(event).items()}


def test_a_collective_lasts_as_long_as_its_sends(star: Site) -> None:
    """Two steps of 512 bytes, two flits each, at 256 GB/s over two links: 3 ns each."""
    for block in blocks_of(star, program(cc("cc"))):
        assert block.schedule.duration.tolist() == [6000]
        found = split(block, 0)
        assert set(found) <= {"link a>r", "link r>b", "link b>r", "link r>a"}
        assert sum(found.values()) == 6000


def test_what_the_oracle_costs_goes_on_from_the_first_arrival(star: Site) -> None:
    """A given cost is a stream: it begins with the first flit, which is there after 2 ns. gen3 has 3/4 on stream 0."""
    (a, _) = blocks_of(star, program(cc("cc", cost=12)))
    assert a.schedule.duration.tolist() == [18_000]
    assert sum(split(a, 0).values()) == 2000


def test_the_fixed_part_of_a_cost_comes_behind_and_pays_for_the_start_of_engines() -> None:
    """The oracle's 10000 ns; a ring of two has two steps, of which the second pays the start of two engines itself."""
    collective = {key: value for key, value in cc("cc", 4096).items() if key != "cost"}
    (a, _) = (d.blocks[0] for d in ran(site_of("trn2"), ["nc0", "nc1"], program(collective)).devices)
    # 10000 + 4096 sqrt(2) / 400, of which stream 0 has 3/4; first: one flit of 512 bytes over four links at 23 GB/s.
    first_ps = int(a.schedule.duration[0]) - 13_352_000
    assert 0 < first_ps == sum(split(a, 0).values())
    given = program({**collective, "cost": 13_352})
    (b, _) = (d.blocks[0] for d in ran(site_of("trn2"), ["nc0", "nc1"], given).devices)
    assert int(b.schedule.duration[0]) == 17_802_000 + 2_600_000 + first_ps
    assert split(b, 0)["overhead nc0.dma0"] == 2_600_000


def test_who_comes_first_waits_for_its_peers_and_says_so(star: Site) -> None:
    early = program(cc("cc"), work("after", 10, dependencies=["cc"]))
    late = program(work("w", 100), cc("cc", dependencies=["w"]))
    a, b = blocks_of(star, early, late)
    assert a.schedule.duration.tolist() == [106_000, 10_000]
    assert b.schedule.duration.tolist() == [100_000, 6_000]
    assert split(a, 0)["collective_peers"] == 100_000
    assert "collective_peers" not in split(b, 1)
    assert split(a, 1) == split(a, 0)
    cause = largest(dict(a.stretches[0].end))
    assert cause is not None and cause.word == "collective_peers"


def test_a_stream_does_its_collectives_one_after_the_other_and_streams_share_links(star: Site) -> None:
    same = program(cc("x", 65536), cc("y", 65536))
    apart = program(cc("x", 65536), cc("y", 65536, stream_id=1))
    one, _ = blocks_of(star, same)
    two, _ = blocks_of(star, apart)
    alone = int(one.schedule.duration[0])
    assert one.schedule.start.tolist() == [0, alone]
    assert two.schedule.start.tolist() == [0, 0]
    assert int(two.schedule.duration.max()) > 1.9 * alone


def test_a_collective_crosses_other_traffic(star: Site) -> None:
    load = {"name": "ld", "opcode": "Load", "engine": "DMA", "cost": 0, "ins": [access(1 << 20)]}
    load["outs"] = [{**access(1 << 20), "space": "SB"}]
    alone, _ = blocks_of(star, program(cc("cc", 65536)))
    crossed, _ = blocks_of(star, program(load, cc("cc", 65536)))
    assert int(crossed.schedule.duration[1]) > 1.4 * int(alone.schedule.duration[0])


def test_links_and_engines_carry_every_byte_of_a_collective() -> None:
    nbytes = 1 << 20
    run = ran(site_of("trn2"), ["nc0", "nc1", "nc2", "nc3"], program(cc("cc", nbytes)))
    for device in run.devices:
        sent = [engine.moved_bytes for engine in device.surroundings.engines]
        assert sum(sent) == 2 * 3 * nbytes // 4
        assert max(sent) - min(sent) <= 6 * run.machine.site.system.flit_bytes
        name = device.placed.device.name
        assert sum(run.machine.links[f"{name}.dma{k}", name].moved_bytes for k in range(16)) == 2 * 3 * nbytes // 4


def test_sixteen_engines_are_nearly_sixteen_times_as_fast_as_one() -> None:
    run = ran(site_of("trn2"), ["nc0", "nc1"], program(cc("cc", 64 << 20)))
    ns = run.ticks / 1000
    assert (64 << 20) / (16 * 23) < ns < 1.05 * (64 << 20) / (16 * 23)


def test_a_core_that_waits_for_one_that_never_comes_is_the_programs_fault(star: Site) -> None:
    """Each device does the two streams in another order, and the second only after the first."""
    ab = program(cc("x"), cc("y", stream_id=1, dependencies=["x"]))
    ba = program(cc("y", stream_id=1), cc("x", dependencies=["y"]))
    with pytest.raises(Deadlock) as error:
        ran(star, ["a", "b"], ab, ba)
    assert error.value.exit_code == 2
    assert "a.core0.CCStream0.issue (for x) waits since 0 ns for the other ranks of collective x" in str(error.value)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Any], str, Sequence[str]]:
    """A program for each core of a system, and the system's text with its 2 to 4 cores."""
    document = draw(collective_programs())
    text, cores = draw(core_systems(document["arch"], 2, 4))
    return [draw(as_late_as_drawn(document)) for _ in cores], text, cores


@settings(max_examples=60, deadline=None)
@given(cases())
def test_delays_add_up_on_drawn_systems(case: tuple[list[Any], str, list[str]]) -> None:
    documents, text, cores = case
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.yaml"
        path.write_text(text)
        site = Site(load_system(path))
    assert_all_add_up(ran(site, cores, *[estimate_of(loaded(document)) for document in documents]))


@settings(max_examples=30, deadline=None)
@given(st.data(), collective_programs(), st.sampled_from(ALGORITHMS))
def test_delays_add_up_on_cubes_by_any_algorithm(data: st.DataObject, document: Any, algorithm: str) -> None:
    documents = [data.draw(as_late_as_drawn(document)) for _ in SQUARE]
    estimates = [estimate_of(loaded(drawn)) for drawn in documents]
    assert_all_add_up(ran(site_of("kernbench_2x4x4"), SQUARE, *estimates, algorithm=algorithm))


@settings(max_examples=40, deadline=None)
@given(collective_programs())
def test_equal_devices_without_limits_run_as_on_ideal_memory(document: Any) -> None:
    estimate = estimate_of(loaded(document))
    chip = {"sunda": "trn1", "gen3": "trn2", "core_v4": "trn3"}[estimate.prepared.arch]
    assert_as_ideal(free_site_of(chip), ["nc0", "nc1"], estimate)
    assert_as_ideal(free_site_of("kernbench_2x4x4"), SQUARE[:3], estimate)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_without_limits_is_ideal(algorithm: str) -> None:
    estimate = program(work("w", 70), cc("x", 10_000, cost=300, dependencies=["w"]), cc("y", 3, kind="ReduceScatter"))
    devices = ran(free_site_of("kernbench_2x4x4"), SQUARE, estimate, algorithm=algorithm).devices
    assert all(device.blocks[0].stretches == {} for device in devices)
    assert sum(engine.moved_bytes for device in devices for engine in device.surroundings.engines) > 10_000
