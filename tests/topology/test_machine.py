"""Machines of shipped systems: which way transfers take, when they are over, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest

from components.fabric.router import Router
from components.host.messages import KernelLaunchMsg, KernelRef, MemoryReadMsg, MemoryWriteMsg, Response
from components.memory.dma_engine import DmaEngine
from components.pe.commands import Busy, Command
from components.registry import parts_kept_only_on_success, register
from simcore.errors import InputError
from simcore.kernel import Environment
from topology.loader import load_system
from topology.machine.hops import Waypoint, hop_of
from topology.machine.site import Place, Site
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
    env.run(machine.ask(origin, direction, place, nbytes, "lone"))
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
    way = machine.places.memory_way(PE0, address)
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
        machine.ask(PE0, "read", Place("sip0.cube0.r5c5", 0), 64, "lone")


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
    silent = NodeSpec("port", "link_port", None, {}, node.pos_mm, node.origin)
    with pytest.raises(InputError, match=r'\d+: link_port port: parameter "overhead_ns" is missing'):
        hop_of(Environment(), silent)


def test_a_dma_engine_starts_a_request_once_and_moves_no_more_than_it_does_in_practice():
    site = Site(load_system("trn2"))
    # 1300 ns, 64 KiB at 23 GB/s, the noc's flit of 512 bytes at 2900 GB/s, and the memory's burst of 256 at 90.625.
    expected = 1300 + 65536 / 23 + 512 / 2900 + 256 / 90.625
    for direction in ("write", "read"):
        assert requested_ps(site, "nc0.dma0", direction, Place("hbm", 0), 65536) / 1000 == pytest.approx(
            expected, abs=0.01
        )


def test_a_part_that_is_not_run_is_a_waypoint_that_keeps_account():
    site = Site(load_system("trn2"))
    env = Environment()
    machine = site.machine(env, [site.route("nc0", "hbm")])
    env.run(machine.ask("nc0", "write", Place("hbm", 0), 1000, "lone"))
    core = machine.hops["nc0"]
    assert isinstance(core, Waypoint)
    assert (core.transfers, core.nbytes) == (2, 1000)
    engine = machine.hops[site.route("nc0", "hbm").nodes[1]]
    assert isinstance(engine, DmaEngine)
    assert (engine.accepted, engine.completed, engine.passed_bytes) == (2, 2, 1000)


def test_a_dma_engine_with_a_wrong_number_is_refused_at_its_line():
    system = load_system("trn2")
    node = system.node("nc0.dma0")
    graph = system.graph.copy()
    graph.nodes[node.name]["spec"] = replace(node, parameters={**node.parameters, "practical_gbs": Fraction(0)})
    site = Site(replace(system, graph=graph))
    with pytest.raises(InputError, match=r"trn2.yaml:\d+:\d+: nc0.dma0: practical_gbs: must be above 0"):
        site.machine(Environment(), [site.route("nc0.dma0", "hbm")])


def test_a_dma_engine_that_does_not_say_when_it_starts_is_refused():
    system = load_system("trn2")
    node = system.node("nc0.dma0")
    graph = system.graph.copy()
    graph.nodes[node.name]["spec"] = replace(node, impl="silent", parameters={"overhead_ns": Fraction(1)})
    site = Site(replace(system, graph=graph))
    with (
        pytest.raises(InputError, match=r"nc0.dma0: RouterParameters is not derived from DmaEngineParameters"),
        parts_kept_only_on_success(),
    ):
        register("dma_engine", "silent")(type("Silent", (Router,), {}))
        site.machine(Environment(), [site.route("nc0.dma0", "hbm")])


def test_a_finite_buffer_makes_links_credited_and_is_no_hindrance_if_it_is_large(small: Site):
    buffered = Site(replace(small.system, buffer_bytes=1 << 20))
    ends = "mesh.r0c0", "mesh.r3c3"
    assert latency_ps(buffered, *ends, 65536) == latency_ps(small, *ends, 65536)
    tight = Site(replace(small.system, buffer_bytes=256))
    assert latency_ps(tight, *ends, 65536) > latency_ps(small, *ends, 65536)


def launched(site: Site, cubes: tuple[int, ...], *commands: Command) -> Response:
    """The host's answer to a launch of ``commands`` on every PE of ``cubes``."""
    env = Environment()
    routes = [route for pe in range(8) for found in site.launch_routes(0, cubes, pe) for route in found]
    host = site.machine(env, routes).host({"kernel": lambda _message, _cube, _pe: commands})
    message = KernelLaunchMsg(
        correlation_id="c", request_id="r", sip=0, kernel_ref=KernelRef("kernel"), target_cubes=cubes
    )
    response = env.run(host.submit(message))
    assert isinstance(response, Response)
    return response


def test_a_launch_starts_every_pe_of_every_cube_at_once(large: Site):
    response = launched(large, tuple(range(16)), Busy(Fraction(100)))
    assert len(response.reports) == 128
    assert len({report.began_ticks for report in response.reports}) == 1
    assert response.kernel_ns == 100
    # There: PCIe endpoint 5, IO CPU 10, M_CPU 5, PE CPU 2, 8 UCIe ports of 8 ns on the way to the last row, and wire.
    assert Fraction(response.reports[0].began_ticks, 1000) == pytest.approx(5 + 10 + 5 + 2 + 64, abs=1.5)


def test_a_launch_on_a_cube_that_is_not_there_is_refused(large: Site):
    with pytest.raises(InputError, match=r"die 16 is outside this system \(allowed: 0 to 15\)"):
        large.launch_routes(0, (16,), 0)
    with pytest.raises(InputError, match=r"no PE tile 8 \(allowed: 0 to 7\)"):
        large.launch_routes(0, (0,), 8)


def test_a_machine_built_for_other_routes_says_what_it_lacks(large: Site):
    machine = large.machine(Environment(), [large.route(PE0, "sip0.cube0.hbm_ctrl.pe0")])
    with pytest.raises(InputError, match=r"sip0.cube0.m_cpu takes no orders in this machine"):
        machine.places.m_cpu(0, 0)
    with pytest.raises(InputError, match=r"sip0.cube1.pe0 does not run in this machine"):
        machine.tile("sip0.cube1.pe0")


def test_the_host_writes_and_reads_by_messages_as_by_requests(large: Site):
    memory = "sip0.cube4.hbm_ctrl.pe0"
    for direction, kind, end in (("write", MemoryWriteMsg, "dst"), ("read", MemoryReadMsg, "src")):
        env = Environment()
        machine = large.machine(env, [large.route("sip0.io0.pcie_ep", memory)])
        names = {f"{end}_sip": 0, f"{end}_cube": 4, f"{end}_pe": 0, f"{end}_pa": large.address(Place(memory, 0x1000))}
        message = kind(correlation_id="c", request_id="r", nbytes=32768, **names)
        env.run(machine.host({}).submit(message))
        assert env.now == requested_ps(large, "sip0.io0.pcie_ep", direction, Place(memory, 0x1000), 32768)


def test_an_address_and_its_place_are_the_same_thing(large: Site):
    for place in (Place("sip1.cube15.hbm_ctrl.pe7", 12345), Place("sip0.cube3.sram", 77)):
        assert large.place(large.address(place)) == place
    with pytest.raises(InputError, match=r"sip0.cube0.r0c0 holds no memory with an address"):
        large.address(Place("sip0.cube0.r0c0", 0))
