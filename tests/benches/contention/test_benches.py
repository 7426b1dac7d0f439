"""Every bench agrees with its analysis, by default and at other parameters, and notices a machine that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import topology.machine.machine as machine_module
from benches.contention import memories
from benches.contention.registry import all_benches, find_bench
from benches.contention.report import BenchReport, run_bench
from benches.experiments.closed_loop import ClosedLoop
from components.memory.hbm import HbmController
from components.memory.tcm import Tcm
from simcore.errors import InputError
from topology.routes.cubes import CubeWays

SMALL = {
    "bisection": ["kib=32"],
    "cc-streams": ["kib=256", "streams=gen3"],
    "disjoint-flows": ["kib=16"],
    "duplex": ["kib=64"],
    "elephant-and-mice": ["mice=4"],
    "h2d-and-dma": ["dmas=1", "host_kib=256", "dma_kib=256"],
    "head-of-line": ["kib=128"],
    "hot-target": ["issuers=1,4", "kib=128"],
    "parking-lot": ["flows=3"],
    "ring-all-gather": ["cubes=3", "kib=768"],
    "ring-all-reduce": ["cubes=2", "kib=512"],
    "transpose": ["kib=32"],
    "ucie-spreading": ["kib=64"],
}
"""Benches of links, smaller than by default."""


def report(name: str, *settings: str) -> BenchReport:
    found = find_bench(name)
    return run_bench(found, found.values(settings))


def failing(found: BenchReport) -> list[str]:
    return [row.quantity for row in found.rows if row.verdict == "FAIL"]


@pytest.mark.parametrize("name", [found.name for found in all_benches()])
def test_a_bench_agrees_with_its_analysis_and_says_what_it_shows(name: str):
    found = report(name)
    assert failing(found) == []
    assert found.verdict == "PASS" and found.rows
    assert all(text.strip() for text in (found.says, found.analysis, found.tolerance_because))
    assert {row.unit for row in found.rows} <= {"ns", "GB/s", "1/ns", "times"}
    assert all(row.tolerance <= row.analytic / 10 for row in found.rows)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *SMALL.items(),
        ("cc-streams", ["streams=1"]),
        ("elephant-and-mice", ["mice=32", "mouse_kib=2", "gbs=100/3"]),
        ("h2d-and-dma", ["dmas=0", "host_kib=64"]),
        ("hbm-read-write", ["topology=trn2", "turn_ns=7.5", "groups=1,3"]),
        ("hbm-read-write", ["turn_ns=0", "groups=2"]),
        ("head-of-line", ["hot=5", "hot_gbs=4", "buffer_flits=2", "kib=64"]),
        ("hot-target", ["topology=mesh_4x4_small", "issuers=1,15"]),
        ("hot-target", ["topology=mesh_4x4_small", "issuers=2..4,15", "arbitration=port_round_robin"]),
        ("hot-target", ["topology=trn1", "issuers=32"]),
        ("parking-lot", ["shape=merge", "flows=8", "gbs=33.3"]),
        ("parking-lot", ["shape=cross", "flows=16"]),
        ("parking-lot", ["shape=unequal", "flows=6"]),
        ("pseudo-channels", ["topology=trn3", "direction=write", "strides=1,5,32", "accesses=100"]),
        ("ring-depth", ["rings=4", "depths=1..8", "service_ns=0.3", "delay_ns=7/3", "transactions=64"]),
        ("tcm-overlap", ["reads=1", "writes=5", "kib=3"]),
    ],
)
def test_a_bench_agrees_at_other_parameters(name: str, settings: list[str]):
    assert failing(report(name, *settings)) == []


@pytest.mark.parametrize("name", SMALL)
def test_links_that_are_a_tenth_slower_than_they_say_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch):
    alter_links(monkeypatch, lambda given: {"bw_gbs": Fraction(given["bw_gbs"]) * Fraction(9, 10)})
    assert failing(report(name, *SMALL[name])) != []


@pytest.mark.parametrize(
    ("name", "arbitration"),
    [
        ("hot-target", "port_round_robin"),
        ("hot-target", "fifo"),
        ("parking-lot", "port_round_robin"),
        ("parking-lot", "flow_round_robin"),
        ("parking-lot", "fifo"),
        ("transpose", "port_round_robin"),
        ("elephant-and-mice", "fifo"),
    ],
)
def test_turns_that_others_take_than_they_should_are_noticed(
    name: str, arbitration: str, monkeypatch: pytest.MonkeyPatch
):
    settings = {"hot-target": ["issuers=8", "kib=128"], "parking-lot": ["flows=4"]}.get(name, [])
    alter_links(monkeypatch, lambda given: {"arbitration": arbitration})
    assert failing(report(name, *settings)) != []


def alter_links(monkeypatch: pytest.MonkeyPatch, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
    """Builds every link of a machine other than its system says."""
    right = machine_module.link_parameters

    def wrong(system: Any, link: Any) -> tuple[dict[str, Any], str | None]:
        parameters, impl = right(system, link)
        return {**parameters, **change(parameters)}, impl

    monkeypatch.setattr(machine_module, "link_parameters", wrong)


def test_buffers_that_are_not_there_are_noticed(monkeypatch: pytest.MonkeyPatch):
    right = machine_module.link_parameters
    monkeypatch.setattr(
        machine_module, "link_parameters", lambda system, link: right(replace(system, buffer_bytes=None), link)
    )
    assert failing(report("head-of-line")) == ["shared buffers: victim ends"]


def test_channels_that_turn_for_nothing_are_noticed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(HbmController, "_turned", lambda self, channel, direction: self._free_at[channel])
    assert len(failing(report("hbm-read-write"))) == 6


def test_addresses_that_pick_too_few_channels_are_noticed(monkeypatch: pytest.MonkeyPatch):
    right = HbmController.serve

    def half(self: HbmController, direction: str, bursts: range, nbytes: int, at_ticks: int) -> int:
        return right(self, direction, range(2 * bursts.start, 2 * bursts.start + len(bursts)), nbytes, at_ticks)

    monkeypatch.setattr(HbmController, "serve", half)
    assert len(failing(report("pseudo-channels", "strides=1,2,4"))) == 3


def test_memory_channels_that_are_slower_than_they_say_are_noticed(monkeypatch: pytest.MonkeyPatch):
    right = memories.hbm_numbers
    monkeypatch.setattr(
        "benches.contention.cases.pseudo_channels.hbm_numbers",
        lambda node, name: replace(right(node, name), channel_gbs=right(node, name).channel_gbs * Fraction(101, 100)),
    )
    assert len(failing(report("pseudo-channels"))) == 6


def test_a_tcm_whose_directions_share_a_channel_is_noticed(monkeypatch: pytest.MonkeyPatch):
    right = Tcm.channels
    monkeypatch.setattr(Tcm, "channels", lambda self: (right(self)[0],) * 2)
    assert failing(report("tcm-overlap")) == ["both at once"]


def test_rings_that_are_one_deeper_than_they_say_are_noticed(monkeypatch: pytest.MonkeyPatch):
    right = ClosedLoop._ring
    monkeypatch.setattr(
        ClosedLoop,
        "_ring",
        lambda self, env, number: right(self.model_copy(update={"depth": self.depth + 1}), env, number),
    )
    assert failing(report("ring-depth", "depths=1,2,64")) == ["depth 1", "depth 2"]


def test_spreading_that_does_not_spread_is_noticed(monkeypatch: pytest.MonkeyPatch):
    right = CubeWays._exits

    def together(self: CubeWays, *asked: Any) -> Any:
        return right(replace(self, spread=False), *asked)

    monkeypatch.setattr(CubeWays, "_exits", together)
    assert failing(report("ucie-spreading", "kib=64")) == ["spreading is faster"]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("bisection", ["topology=trn1"], "needs a system of one mesh without holes, such as mesh_4x4_small"),
        ("transpose", ["topology=kernbench_2x4x4"], "needs a system of one mesh without holes"),
        ("cc-streams", ["topology=mesh_4x4_small"], "needs a system with packages and cubes, such as kernbench_2x4x4"),
        ("h2d-and-dma", ["topology=trn2"], "needs a system with packages and cubes"),
        ("h2d-and-dma", ["dmas=9"], "needs an IO chiplet and 9 PE tiles in a cube, not 8"),
        ("ring-all-gather", ["cubes=17"], "has 16 cubes in a package, not 17"),
        ("ucie-spreading", ["topology=trn3"], "needs a system with packages and cubes"),
        ("hbm-read-write", ["topology=mesh_4x4_small"], "needs a system with a part of kind hbm_controller"),
        ("tcm-overlap", ["topology=trn2"], "needs a system with a part of kind tcm"),
        ("hot-target", ["topology=mesh_4x4_small"], "has 15 parts that could write to mesh.r1c1, not 16"),
        ("hot-target", ["topology=tnr2"], 'did you mean "trn2"'),
        ("head-of-line", ["hot_gbs=64"], "trunk_gbs must be more than"),
        ("elephant-and-mice", ["mice=64", "mouse_kib=64"], "do not fit one after the other"),
        ("ring-depth", ["transactions=100"], "at least twice the largest depth, 128"),
        ("ring-depth", ["service_ns=0"], "above 0"),
    ],
)
def test_a_system_or_a_parameter_that_does_not_fit_is_refused(name: str, settings: list[str], message: str):
    with pytest.raises(InputError) as error:
        report(name, *settings)
    assert message in str(error.value)


def test_the_same_bench_says_the_same_every_time():
    assert report("h2d-and-dma", *SMALL["h2d-and-dma"]) == report("h2d-and-dma", *SMALL["h2d-and-dma"])
