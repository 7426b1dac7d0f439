"""Machines of shipped systems: which way transfers take, when they are over, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest

from simcore.errors import InputError
from simcore.kernel import Environment
from topology.machine.hops import Waypoint, hop_of
from topology.machine.launch import launch, launch_targets, travel_ticks
from topology.machine.machine import Place, Site
from topology.system import NodeSpec, System

PE0 = "sip0.cube0.pe0.pe_dma"


@pytest.fixture(scope="module")
def small(mesh_4x4_small: System) -> Site:
    return Site(mesh_4x4_small)


@pytest.fixture(scope="module")
def large(kernbench_2x4x4: System) -> Site:
    return Site(kernbench_2x4x4)


def latency_ps(site: Site, src: str, dst: str, nbytes: int, *, whole: bool = False) -> int:
    env = Environment()
    route = site.route(src, dst)
    machine = site.machine(env, None if whole else [route])
    env.run(machine.fabric.submit(machine.flow("lone", nbytes, machine.path(route))))
    return env.now


def requested_ps(site: Site, origin: str, direction: str, place: Place, nbytes: int, *, whole: bool = False) -> int:
    env = Environment()
    machine = site.machine(env, None if whole else [site.route(origin, place.node)])
    env.run(machine.request(origin, direction, place, nbytes, "lone").done)
    return env.now


def test_zero_load_latency_of_every_pair_of_the_small_mesh_is_two_ns_a_router_and_thirty_ps_a_link(small: Site):
    for src, dst in permutations(small.system.graph, 2):
        hops = len(small.route(src, dst).links)
        assert latency_ps(small, src, dst, 0) == 2000 * (hops + 1) + 30 * hops
        assert latency_ps(small, src, dst, 256) == 2000 * (hops + 1) + 2030 * hops


def test_turning_every_transfer_of_the_symmetric_mesh_round_changes_nothing(small: Site):
    for src, dst in permutations(small.system.graph, 2):
        assert latency_ps(small, src, dst, 8192) == latency_ps(small, dst, src, 8192)


def test_parts_beside_the_route_change_nothing(small: Site):
    ends = "mesh.r0c0", "mesh.r3c3"
    assert latency_ps(small, *ends, 32768, whole=True) == latency_ps(small, *ends, 32768)


def test_a_whole_large_machine_says_what_its_route_alone_says(large: Site):
    place = Place("sip0.cube5.hbm_ctrl.pe3", 0x1000)
    alone = requested_ps(large, PE0, "write", place, 4096)
    assert requested_ps(large, PE0, "write", place, 4096, whole=True) == alone


def test_an_own_slice_is_written_at_256_gbs_plus_one_flit_and_one_burst(large: Site):
    # 32 KiB: 128 ns + 1 ns on the second link + 8 ns of the last burst; 1.5 ps of wire round up to 2 on each way.
    assert requested_ps(large, PE0, "write", Place("sip0.cube0.hbm_ctrl.pe0", 0x1000), 32768) == 137_004


def test_an_address_names_the_memory_that_a_request_goes_to(large: Site):
    address = large.resolver.encode_hbm(1, 5, 3, 0x4000)
    assert large.place(address) == Place("sip1.cube5.hbm_ctrl.pe3", 0x4000)
    env = Environment()
    machine = large.machine(env, [large.route(PE0, "sip1.cube5.hbm_ctrl.pe3")])
    way = machine.memory_way(PE0, address)
    assert (way.memory.name, way.address) == ("sip1.cube5.hbm_ctrl.pe3", 0x4000)
    assert [link.destination.name for link in way.homeward][-1] == PE0


def test_a_read_of_another_package_is_held_as_a_whole_at_both_endpoints(large: Site):
    place = Place("sip1.cube0.hbm_ctrl.pe0", 0)
    once = requested_ps(large, "sip1.io0.pcie_ep", "read", place, 65536)
    assert requested_ps(large, PE0, "read", place, 65536) > once + 2 * 512_000


def test_the_dma_of_an_m_cpu_keeps_out_of_pe_tiles(large: Site):
    nodes = large.route("sip0.cube0.m_cpu", "sip0.cube0.hbm_ctrl.pe7").nodes
    assert not [name for name in nodes if ".pe_" in name]
    assert requested_ps(large, "sip0.cube0.m_cpu", "write", Place(nodes[-1], 0), 0) > 0


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (16 << 42, "<address>: address 0x400000000000 is in an IO chiplet, which holds no memory"),
        (1 << 51, "<address>: address 0x8000000000000 does not fit 51 bits"),
    ],
)
def test_an_address_that_holds_no_memory_is_refused(large: Site, address: int, message: str):
    with pytest.raises(InputError) as refused:
        large.place(address)
    assert str(refused.value) == message


def test_a_request_to_a_part_that_is_no_memory_is_refused_at_its_line(large: Site):
    env = Environment()
    machine = large.machine(env, [large.route(PE0, "sip0.cube0.r5c5")])
    with pytest.raises(InputError, match=r"yaml:\d+:\d+: sip0.cube0.r5c5 \(router\) is no memory"):
        machine.request(PE0, "read", Place("sip0.cube0.r5c5", 0), 64, "lone")


def test_a_way_without_a_way_back_is_refused(small: Site):
    one_way = replace(small.system, graph=small.system.graph.copy())
    one_way.graph.remove_edge("mesh.r0c1", "mesh.r0c0")
    site = Site(one_way)
    route = site.route("mesh.r0c0", "mesh.r0c1")
    machine = site.machine(Environment(), [route])
    with pytest.raises(InputError, match=r"no way back: no link leads from mesh.r0c1 to mesh.r0c0"):
        machine.back(machine.path(route))


def test_a_part_that_does_not_say_what_it_costs_is_refused_at_its_line(large: Site):
    node = large.system.node("sip0.cube0.m_cpu")
    silent = NodeSpec(node.name, node.kind, node.impl, {}, node.pos_mm, node.origin)
    with pytest.raises(InputError, match=r'\d+: m_cpu sip0.cube0.m_cpu: parameter "overhead_ns" is missing'):
        hop_of(Environment(), silent)


def test_a_part_with_a_process_of_its_own_is_a_waypoint_that_keeps_account(large: Site):
    env = Environment()
    machine = large.machine(env, [large.route(PE0, "sip0.cube0.hbm_ctrl.pe0")])
    env.run(machine.request(PE0, "write", Place("sip0.cube0.hbm_ctrl.pe0", 0), 1000, "lone").done)
    dma = machine.hops[PE0]
    assert isinstance(dma, Waypoint)
    assert (dma.transfers, dma.nbytes) == (2, 1000)


def test_a_finite_buffer_makes_links_credited_and_is_no_hindrance_if_it_is_large(small: Site):
    buffered = Site(replace(small.system, buffer_bytes=1 << 20))
    ends = "mesh.r0c0", "mesh.r3c3"
    assert latency_ps(buffered, *ends, 65536) == latency_ps(small, *ends, 65536)
    tight = Site(replace(small.system, buffer_bytes=256))
    assert latency_ps(tight, *ends, 65536) > latency_ps(small, *ends, 65536)


def test_a_launch_starts_every_pe_when_the_last_one_has_its_command(large: Site):
    env = Environment()
    targets = launch_targets(large, 0, range(16))
    machine = large.machine(env, [route for target in targets for route in target.routes])
    state = launch(machine, targets, run_ticks=1000)
    env.run(state.done)
    assert len(state.started) == 128
    assert set(state.started.values()) == {state.start_at} == {max(state.arrived.values())}
    assert min(state.arrived.values()) < state.start_at
    assert env.now == max(state.ended.values())


def test_the_barrier_is_the_farthest_way_from_the_io_cpu(large: Site):
    env = Environment()
    targets = launch_targets(large, 0, (0, 15), pes=(0,))
    assert [target.pe_cpu for target in targets] == ["sip0.cube0.pe0.pe_cpu", "sip0.cube15.pe0.pe_cpu"]
    machine = large.machine(env, [route for target in targets for route in target.routes])
    state = launch(machine, targets)
    env.run(state.done)
    near, far = (travel_ticks(machine, target.routes[1:]) for target in targets)
    to_io_cpu = state.arrived[targets[0].pe_cpu] - near
    assert state.start_at == to_io_cpu + far > to_io_cpu + near
    # PCIe endpoint 5 ns, IO CPU 10 ns and the wire between them.
    assert Fraction(to_io_cpu, 1000) == pytest.approx(15, abs=0.2)


def test_a_cube_that_is_not_there_cannot_be_launched_on(large: Site):
    with pytest.raises(InputError, match=r"no cube 16 \(allowed: 0 to 15\)"):
        launch_targets(large, 0, (16,))
