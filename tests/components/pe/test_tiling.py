"""The plans of ADR-0054: which tiles a command has, in which order, and what happens to each."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.pe.commands import Epilogue, GemmCommand, MathCommand
from components.pe.stages import DmaIn, DmaOut, Fetch, Gemm, Math, Resource, Store
from components.pe.tiling import plan_gemm, plan_math, plan_of
from simcore.errors import InputError

A, B, C = 0x10_0000, 0x20_0000, 0x30_0000
TILE = 32 * 64 * 2
"""Bytes of a tile of A or B."""


def gemm(**changes: object) -> GemmCommand:
    """2 x 2 x 3 tiles of 32 x 64 x 32 in two-byte elements."""
    return replace(GemmCommand("g", 64, 192, 64, 32, 64, 32, 2, A, B, C), **changes)


def stages(plan, tile: str):
    return next(entry.stages for entry in plan if entry.name == tile)


# --- GEMM --------------------------------------------------------------------------------------------------------


def test_tiles_come_by_row_of_c_then_by_column_then_along_k():
    names = [tile.name for tile in plan_gemm(gemm())]
    assert names == [f"m{m}.n{n}.k{k}" for m in (0, 1) for n in (0, 1) for k in (0, 1, 2)]


def test_a_tile_reads_both_operands_and_multiplies_and_the_last_of_a_k_loop_writes_the_result():
    plan = plan_gemm(gemm())
    first = (DmaIn("A", A, TILE), DmaIn("B", B, TILE), Fetch(2 * TILE), Gemm(32, 64, 32))
    assert stages(plan, "m0.n0.k0") == first
    assert stages(plan, "m1.n1.k2") == (
        DmaIn("A", A + 5 * TILE, TILE),
        DmaIn("B", B + 5 * TILE, TILE),
        Fetch(2 * TILE),
        Gemm(32, 64, 32),
        Store(2048),
        DmaOut("C", C + 3 * 2048, 2048),
    )


def test_matrices_lie_tile_after_tile_row_by_row():
    plan = plan_gemm(gemm())
    where = {tile.name: [stage.address for stage in tile.stages if isinstance(stage, DmaIn)] for tile in plan}
    assert [where[f"m0.n1.k{k}"] for k in (0, 1, 2)] == [[A + k * TILE, B + (2 * k + 1) * TILE] for k in (0, 1, 2)]
    assert where["m1.n0.k1"] == [A + 4 * TILE, B + 2 * TILE]


def test_512_cubed_in_tiles_of_32_by_64_by_32_is_2048_tiles():
    assert len(plan_gemm(gemm(m=512, k=512, n=512))) == 2048


def test_the_last_tile_of_a_dimension_holds_what_is_left_and_lies_where_a_whole_one_would():
    plan = plan_gemm(gemm(m=33, k=65, n=40))
    assert [tile.name for tile in plan][-1] == "m1.n1.k1"
    assert stages(plan, "m1.n1.k1") == (
        DmaIn("A", A + 3 * TILE, 1 * 1 * 2),
        DmaIn("B", B + 3 * TILE, 1 * 8 * 2),
        Fetch(2 + 16),
        Gemm(1, 1, 8),
        Store(16),
        DmaOut("C", C + 3 * 2048, 16),
    )


def test_a_tile_larger_than_its_dimension_is_one_tile():
    (tile,) = plan_gemm(gemm(m=1, k=1, n=1))
    assert tile.stages[:4] == (DmaIn("A", A, 2), DmaIn("B", B, 2), Fetch(4), Gemm(1, 1, 1))


@pytest.mark.parametrize(
    ("pinned", "reads"), [({"a": None}, ["B"]), ({"b": None}, ["A"]), ({"a": None, "b": None}, [])]
)
def test_a_pinned_operand_is_not_read_in_but_fetched(pinned, reads):
    for tile in plan_gemm(gemm(**pinned)):
        assert [stage.operand for stage in tile.stages if isinstance(stage, DmaIn)] == reads
        assert Fetch(2 * TILE) in tile.stages


def test_a_result_without_an_address_is_stored_and_stays():
    last = plan_gemm(gemm(c=None))[-1]
    assert last.stages[-1] == Store(2048)


def test_epilogues_follow_each_k_tile_or_the_last_one_in_the_order_given():
    epilogues = (Epilogue("bias", "output_tile"), Epilogue("scale", "k_tile"), Epilogue("relu", "output_tile"))
    plan = plan_gemm(gemm(epilogues=epilogues, a=None, b=None, c=None))
    operations = [[s.operation for s in tile.stages if isinstance(s, Math)] for tile in plan]
    assert operations == [["scale"], ["scale"], ["scale", "bias", "relu"]] * 4
    assert stages(plan, "m0.n0.k2") == (
        Fetch(2 * TILE),
        Gemm(32, 64, 32),
        Math("scale", 1024),
        Math("bias", 1024),
        Math("relu", 1024),
        Store(2048),
    )


def test_gemm_and_its_epilogues_are_on_one_resource():
    assert {Gemm.resource, Math.resource} == {Resource.ACCELERATOR}
    assert len({DmaIn.resource, DmaOut.resource, Fetch.resource, Store.resource, Gemm.resource}) == 5


# --- MATH --------------------------------------------------------------------------------------------------------


def test_a_math_command_reads_works_and_writes_tile_by_tile():
    plan = plan_math(MathCommand("e", 64, 100, 32, 64, 2, "exp", A, C))
    assert [tile.name for tile in plan] == ["m0.n0", "m0.n1", "m1.n0", "m1.n1"]
    assert stages(plan, "m1.n1") == (
        DmaIn("source", A + 3 * TILE, 32 * 36 * 2),
        Fetch(32 * 36 * 2),
        Math("exp", 32 * 36),
        Store(32 * 36 * 2),
        DmaOut("destination", C + 3 * TILE, 32 * 36 * 2),
    )


def test_a_math_command_in_the_tcm_moves_nothing_by_dma():
    (tile,) = plan_of(MathCommand("e", 8, 8, 32, 64, 4, "exp", None, None))
    assert tile.stages == (Fetch(256), Math("exp", 64), Store(256))


# --- whatever the sizes ------------------------------------------------------------------------------------------

SIZES = st.integers(1, 13)
TILES = st.sampled_from([1, 3, 4, 16])


@given(SIZES, SIZES, SIZES, TILES, TILES, TILES, st.sampled_from([1, 2, 4]))
def test_a_plan_multiplies_everything_once_and_writes_each_element_once(m, k, n, tile_m, tile_k, tile_n, size):
    command = GemmCommand("g", m, k, n, tile_m, tile_k, tile_n, size, A, B, C)
    plan = plan_gemm(command)
    assert len(plan) == math.ceil(m / tile_m) * math.ceil(k / tile_k) * math.ceil(n / tile_n)
    every = [stage for tile in plan for stage in tile.stages]
    assert sum(s.m * s.k * s.n for s in every if isinstance(s, Gemm)) == m * k * n
    written = [s for s in every if isinstance(s, DmaOut)]
    assert sum(s.nbytes for s in written) == sum(s.nbytes for s in every if isinstance(s, Store)) == m * n * size
    spans = sorted((s.address, s.address + s.nbytes) for s in written)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
    columns, rows = math.ceil(n / tile_n), math.ceil(m / tile_m)
    assert sum(s.nbytes for s in every if isinstance(s, DmaIn) and s.operand == "A") == m * k * size * columns
    assert sum(s.nbytes for s in every if isinstance(s, DmaIn) and s.operand == "B") == k * n * size * rows


# --- errors ------------------------------------------------------------------------------------------------------


def test_every_fault_of_a_command_is_told_with_its_name():
    wrong = gemm(m=0, tile_k=-1, a=-5, c=2.5, epilogues=(Epilogue("relu", "k_tiles"),))
    with pytest.raises(InputError) as caught:
        plan_of(wrong)
    assert str(caught.value).splitlines() == [
        "<kernel>: g: m 0 (an int, 1 or more)",
        "<kernel>: g: tile_k -1 (an int, 1 or more)",
        "<kernel>: g: a -5 (an address: an int, 0 or more)",
        "<kernel>: g: c 2.5 (an address: an int, 0 or more)",
        "<kernel>: g: scope 'k_tiles' of an epilogue (allowed: k_tile, output_tile; did you mean \"k_tile\"?)",
    ]
    with pytest.raises(InputError, match=r"^<kernel>: e: element_bytes True \(an int, 1 or more\)$"):
        plan_of(MathCommand("e", 8, 8, 8, 8, True, "exp", None, None))
