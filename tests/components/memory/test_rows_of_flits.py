"""A row of flits served at once ends as if each had been asked for alone, whatever stood before it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.fabric.hop import RowAccess
from components.memory.terminal import Terminal
from components.registry import build
from simcore.kernel import Environment

HBM = {"num_pcs": 4, "burst_bytes": 16, "pc_bw_gbs": 0.7, "switch_penalty_ns": 1.5, "overhead_ns": 0}
SRAM = {"bw_gbs": 0.3, "overhead_ns": 0}


def memories() -> list[tuple[str, dict[str, object]]]:
    return [
        ("hbm_controller", HBM),
        ("hbm_controller", {**HBM, "pc_bw_gbs": 0}),
        ("hbm_controller", {**HBM, "num_pcs": 1}),
        ("sram", SRAM),
        ("sram", {**SRAM, "bw_gbs": 0}),
    ]


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["read", "write"]),
        st.sampled_from([0, 16, 32, 48, 96, 5, 24]),
        st.sampled_from([16, 32, 48, 8, 20]),
        st.integers(0, 3),
        st.lists(st.sampled_from([0, 0, 1, 999, 30_000, 200_000]), min_size=1, max_size=12),
    ),
    min_size=1,
    max_size=4,
)


@given(st.sampled_from(memories()), ROWS)
def test_a_row_ends_as_its_flits_do_one_by_one_and_leaves_the_same_behind(memory, rows):
    kind, given_ = memory
    one_by_one, at_once = (build(Environment(), kind, "memory", given_, {}) for _ in range(2))
    assert isinstance(one_by_one, Terminal)
    now = 0
    for direction, address, flit_bytes, first, gaps in rows:
        at = []
        for gap in gaps:
            now += gap
            at.append(now)
        size = flit_bytes * (first + len(at)) + 1  # one more flit is to come, as when the fabric asks for a row
        single, row = (m.access(direction, address, size, flit_bytes) for m in (one_by_one, at_once))
        assert isinstance(row, RowAccess)
        told = row.serve_row(first, flit_bytes, np.array(at, np.int64))
        assert told.dtype == np.int64
        assert told.tolist() == [single.serve(first + i, flit_bytes, tick) for i, tick in enumerate(at)]
        assert at_once.save() == one_by_one.save()


@pytest.mark.parametrize(("kind", "given_"), memories())
def test_moments_near_the_end_of_64_bits_are_right_too(kind, given_):
    one_by_one, at_once = (build(Environment(), kind, "memory", given_, {}) for _ in range(2))
    at = [(1 << 60) + i for i in range(5)]
    single, row = (m.access("read", 0, 1000, 16) for m in (one_by_one, at_once))
    assert row.serve_row(0, 16, np.array(at, np.int64)).tolist() == [single.serve(i, 16, t) for i, t in enumerate(at)]
    assert at_once.save() == one_by_one.save()
