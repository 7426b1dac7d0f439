"""The formulas give the published whole numbers, for a number and for an array."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.oracle import exec_latency, latency, overhead
from simcore.oracle.helpers import (
    collective,
    collectives,
    dma_fallback,
    dma_flat,
    dma_tiled,
    matmult_k,
    matmult_rows,
    memset_n,
)
from simcore.program.limits import MAX_DIM

MULTS = st.sampled_from(
    [Fraction(1), Fraction(2), Fraction(3), Fraction(8), Fraction(1, 2), Fraction(1, 8), Fraction(13, 3)]
)
CLOCKS = st.sampled_from([96, 100, 112, 120, 140, 240, 280])


@pytest.mark.parametrize(("freq", "expected"), [(140, [142, 165, 188, 325]), (120, [166, 193, 220, 380])])
def test_matmult_gives_the_published_values(freq, expected):
    assert [matmult_k(k, freq) for k in (1, 64, 128, 512)] == expected
    assert matmult_k(np.array([1, 64, 128, 512]), freq).tolist() == expected


@pytest.mark.parametrize(
    ("freq", "expected"),
    [(112, [45, 101, 158, 501, 1873]), (96, [53, 118, 185, 585, 2185]), (120, [42, 95, 148, 468, 1748])],
)
def test_memset_gives_the_published_values(freq, expected):
    assert [memset_n(n, freq) for n in (1, 64, 128, 512, 2048)] == expected
    assert memset_n(np.array([1, 64, 128, 512, 2048]), freq).tolist() == expected


@pytest.mark.parametrize(
    ("partitions", "nep", "nbytes", "trn1", "trn2"),
    [(128, 512, 4, 963, 712), (128, 2048, 2, 1927, 1424), (1, 512, 4, 120, 89), (17, 512, 2, 120, 89)],
)
def test_a_tiled_transfer_gives_the_published_values(partitions, nep, nbytes, trn1, trn2):
    assert (dma_tiled(partitions, nep, nbytes, 17), dma_tiled(partitions, nep, nbytes, 23)) == (trn1, trn2)


def test_a_flat_transfer_shares_its_bytes_over_sixteen_engines():
    assert [dma_flat(128, 512, 1, gbs) for gbs in (17, 23)] == [65536 // 272, 65536 // 368] == [240, 178]


def test_a_transfer_without_addresses_moves_three_hundred_bytes_per_ns():
    assert dma_fallback(128, 512, 4) == 873


@given(k=st.integers(0, MAX_DIM), freq=CLOCKS)
def test_matmult_and_memset_are_the_published_expressions(k, freq):
    assert matmult_k(k, freq) == 20 * (5 * (k >> 1) + 1000) // freq
    assert memset_n(k, freq) == (100 * k + 5000) // freq


@given(nep=st.integers(0, MAX_DIM), mult=MULTS, base=st.integers(0, 10_000), freq=CLOCKS)
def test_the_three_helpers_floor_the_exact_rational_value(nep, mult, base, freq):
    assert latency(nep, mult, base, freq) == math.floor((nep * mult + base) * 100 / Fraction(freq))
    assert exec_latency(nep, mult, freq) == math.floor(nep * mult * 100 / Fraction(freq))
    assert overhead(base, freq) == math.floor(Fraction(base * 100, freq))
    one = np.array([nep], dtype=np.int64)
    assert latency(one, mult, base, freq).tolist() == [latency(nep, mult, base, freq)]
    assert exec_latency(one, mult, np.array([freq])).tolist() == [exec_latency(nep, mult, freq)]


def test_the_helpers_take_whole_multipliers_too():
    assert (latency(100, 2, 50, 96), exec_latency(100, 2, 96), overhead(50, 96)) == (260, 208, 52)


@given(nbytes=st.integers(0, 10**20), accesses=st.integers(1, 70_000))
def test_a_collective_floors_the_exact_square_root(nbytes, accesses):
    ns = collective(nbytes, accesses)
    assert (400 * ns) ** 2 <= nbytes**2 * accesses < (400 * (ns + 1)) ** 2


def test_collectives_beyond_the_largest_cost_are_cut_there():
    nbytes = np.array([4000, 4000, 10**20], dtype=object)
    assert collectives(nbytes, np.array([4, 1, 2]), 10**12).tolist() == [20, 10, 10**12]


def test_a_matmul_takes_at_least_the_rows_of_its_stationary_operand_up_to_64():
    stationary, moving = np.array([128, 32, 128, 16]), np.array([16, 16, 512, 0])
    assert matmult_rows(stationary, moving).tolist() == [64, 32, 512, 16]
