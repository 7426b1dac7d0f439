"""GEMM, MATH and fetch/store on their own: what a stage costs, what is refused (ADR-0053, ADR-0055)."""

from __future__ import annotations

import pytest

from components.pe.commands import MathCommand
from components.pe.gemm import PeGemmParameters, gemm_cycles
from components.pe.math import PeMathParameters, math_cycles
from components.pe.stages import Fetch, Gemm, Math, Store
from components.pe.tile_token import Stations, TileToken
from simcore.errors import InputError
from simcore.kernel import Channel, Countdown, PartError
from tests.components.pe.pe_bench import PeBench, ns, pe_bench


def run(bench: PeBench, *tiles: tuple[object, ...]) -> list[str]:
    """Sends tiles of these stages, all at once, and tells when each is over."""
    stations = Stations(
        {name: bench.ports[name] for name in ("dma", "fetch_store", "gemm", "math")}, Channel(bench.env, "slot")
    )
    left, told = Countdown(bench.env, len(tiles), "tiles"), []

    def finished(tile: TileToken) -> None:
        told.append(f"{ns(bench.env.now)} {tile.name}")
        left.arrive()

    for number, stages in enumerate(tiles):
        TileToken(f"t{number}", stages, stations, finished).begin()
    bench.env.run(left)
    return told


# --- GEMM --------------------------------------------------------------------------------------------------------

ARRAY = PeGemmParameters(mac_m=32, mac_k=4, mac_n=16, clock_ghz=1)


@pytest.mark.parametrize(
    ("tile", "cycles"),
    [
        (Gemm(32, 4, 16), 1),
        (Gemm(1, 1, 1), 1),
        (Gemm(33, 4, 16), 2),
        (Gemm(32, 5, 17), 4),
        (Gemm(64, 64, 64), 2 * 16 * 4),
    ],
)
def test_a_product_takes_a_cycle_for_each_block_of_the_array_that_covers_it(tile, cycles):
    assert gemm_cycles(tile, ARRAY) == cycles


def test_a_tile_of_the_published_size_takes_16_cycles_on_the_array_that_is_assumed():
    assert gemm_cycles(Gemm(32, 64, 32), PeGemmParameters(mac_m=32, mac_k=4, mac_n=32, clock_ghz=1)) == 16


@pytest.mark.parametrize(("clock_ghz", "told"), [(1, "16"), (2, "8"), (1.4, "11.429"), (0.7, "22.857")])
def test_cycles_become_time_in_one_exact_product_rounded_once(clock_ghz, told):
    assert run(pe_bench({"pe_gemm": {"clock_ghz": clock_ghz}}), (Gemm(32, 64, 32),)) == [f"{told} t0"]


def test_tiles_compute_one_after_the_other_and_the_engine_counts_its_cycles():
    bench = pe_bench()
    assert run(bench, (Gemm(32, 64, 32),), (Gemm(1, 1, 1),), (Gemm(32, 8, 32),)) == ["16 t0", "17 t1", "19 t2"]
    assert bench.parts["pe_gemm"].cycles == 19


# --- MATH --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("elements", "cycles"), [(1, 1), (64, 1), (65, 2), (1024, 16)])
def test_an_operation_takes_a_cycle_for_each_vector(elements, cycles):
    assert math_cycles(Math("exp", elements), PeMathParameters(vector_width=64, clock_ghz=1)) == cycles


def test_gemm_and_math_wait_for_the_one_slot_in_the_order_in_which_their_tiles_come():
    stages = [(Math("exp", 64),), (Gemm(32, 64, 32),), (Math("exp", 128),), (Gemm(1, 1, 1),)]
    assert run(pe_bench(), *stages) == ["1 t0", "17 t1", "19 t2", "20 t3"]


def test_a_tile_keeps_the_slot_from_gemm_to_math():
    assert run(pe_bench(), (Gemm(1, 1, 1), Math("relu", 64)), (Gemm(1, 1, 1), Math("relu", 64))) == ["2 t0", "4 t1"]


# --- fetch/store -------------------------------------------------------------------------------------------------


def test_a_fetch_takes_the_overhead_and_the_time_of_the_tcm():
    bench = pe_bench({"pe_fetch_store": {"overhead_ns": 2.5}})
    assert run(bench, (Fetch(4096),), (Fetch(512),), (Store(1024),)) == ["4.5 t2", "10.5 t0", "14 t1"]
    assert bench.parts["pe_fetch_store"].moved_bytes == 4096 + 512 + 1024


def test_an_empty_fetch_takes_its_turn():
    assert run(pe_bench(), (Fetch(4096),), (Fetch(0),)) == ["8 t0", "8 t1"]


def test_a_tile_that_changes_sides_frees_the_first_one():
    assert run(pe_bench(), (Fetch(512), Store(512)), (Fetch(512), Store(512))) == ["2 t0", "3 t1"]


# --- errors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("station", "stage", "what"),
    [
        ("gemm", Fetch(8), "tile 't0' comes for 'fetch', which is for the station fetch_store"),
        ("math", Gemm(1, 1, 1), "tile 't0' comes for 'gemm', which is for the station gemm"),
        ("fetch_store", Math("exp", 1), "tile 't0' comes for 'exp', which is for the station math"),
        ("dma", Store(8), "tile 't0' comes for 'store', which is for the station fetch_store"),
    ],
)
def test_a_tile_that_comes_to_the_wrong_station_is_refused(station, stage, what):
    bench = pe_bench()
    stations = Stations({}, Channel(bench.env, "slot"))
    with pytest.raises(PartError) as caught:
        bench.ports[station].put(TileToken("t0", (stage,), stations, lambda _: None))
    assert str(caught.value) == f"{bench.ports[station].receiver.name} at 0 ps: {what}"


@pytest.mark.parametrize(
    ("kind", "key", "value", "what"),
    [
        ("pe_gemm", "clock_ghz", 0, "must be above 0, not 0"),
        ("pe_math", "vector_width", 0, "input should be greater than or equal to 1, not 0"),
        ("pe_gemm", "mac_m", 2.5, "input should be a valid integer, not 2.5"),
    ],
)
def test_a_parameter_that_makes_no_engine_is_refused(kind, key, value, what):
    with pytest.raises(InputError) as caught:
        pe_bench({kind: {key: value}})
    assert str(caught.value) == f"<parts>: {kind}.{key}: {what}"


def test_a_command_with_faults_names_the_command_and_where_it_was_found():
    bench = pe_bench()
    with pytest.raises(InputError) as caught:
        bench.run(MathCommand("e", 0, 1, 1, 1, 2, "exp", None, None))
    assert str(caught.value) == "<kernel>: e: m 0 (an int, 1 or more)"
    assert caught.value.__notes__ == ["in pe_scheduler.e at 1 ns"]
