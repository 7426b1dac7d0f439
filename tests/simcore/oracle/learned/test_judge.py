"""The judgement on held-out instructions, on the measured profiles and on made ones that a law cannot win."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.oracle.learned.judge import HeldOut, judged, leave_one_profile_out
from simcore.oracle.learned.profiles import fitted, read_profiles
from simcore.perfsim.estimate import prepare
from tests.simcore.oracle.learned.small_profiles import copies, written
from tests.simcore.program.profile.small import row


@pytest.fixture(scope="module")
def measured(shared: Path) -> HeldOut:
    paths = sorted((shared / "data" / "trn2-profiles").glob("*.json.gz"))
    bundle, _ = fitted(read_profiles(paths))
    return bundle.manifest.held_out


def test_the_learned_oracle_beats_both_tables_on_profiles_left_out(measured: HeldOut):
    assert measured.beats == {"hwm": True, "public": True}
    assert measured.overall.instructions == 482
    errors = measured.overall.errors
    assert errors["learned"].mean_pct < 6 < 40 < errors["hwm"].mean_pct < errors["public"].mean_pct
    assert errors["learned"].of_time_pct < 11 < 40 < errors["hwm"].of_time_pct < errors["public"].of_time_pct
    assert measured.costed.errors["learned"].of_time_pct < measured.costed.errors["hwm"].of_time_pct / 3


def test_every_opcode_and_profile_has_its_row_and_they_add_up(measured: HeldOut):
    assert [row.name for row in measured.opcodes] == [
        "Activation",
        "DMATrigger",
        "EventSemaphore",
        "Load",
        "LoadActFuncSet",
        "Matmult",
        "NoOp",
        "Reciprocal",
        "Save",
        "TensorCopy",
        "TensorReduce",
        "TensorScalarPtr",
    ]
    for rows in (measured.opcodes, measured.profiles):
        assert sum(row.instructions for row in rows) == measured.overall.instructions
        assert sum(row.measured_ns for row in rows) == measured.overall.measured_ns


def test_where_a_table_is_better_the_verdict_names_it(measured: HeldOut):
    assert measured.beaten_at == {"hwm": (), "public": ("Load",)}
    assert "public is better at Load" in measured.verdict


def test_a_profile_that_contradicts_the_others_is_lost_and_the_verdict_says_so(tmp_path: Path):
    slow = read_profiles([written(tmp_path, "slow.json", copies(64, 128, 256, 512, fixed=3_000, rate=10))])[0]
    true = read_profiles([written(tmp_path, "true.json", as_the_table_says(tmp_path))])[0]
    held = judged(leave_one_profile_out([slow.profile, true.profile])[1:])
    assert held.beats == {"hwm": False, "public": False}
    assert held.verdict.startswith("The learned oracle does not beat hwm (mean error ")
    assert held.overall.errors["hwm"].mean_pct == 0


def as_the_table_says(tmp_path: Path) -> dict:
    """Copies that take exactly what hwm costs them."""
    sizes = (64, 128, 256)
    program = read_profiles([written(tmp_path, "sizes.json", copies(*sizes))])[0].profile.program
    costs = prepare(program).blocks[0].costs.total_ns.tolist()
    document = copies(*sizes)
    for made, cost in zip(document["instruction"], costs, strict=True):
        made["duration"] = cost
    return document


def test_an_opcode_that_the_other_profiles_lack_falls_back_and_is_counted(tmp_path: Path):
    plain = copies(64, 128, 256)
    wide = copies(64, 128)
    wide["instruction"].append(row(9, "I-9", 5000, opcode="RECIPROCAL"))
    profiles = read_profiles([written(tmp_path, "a.json", plain), written(tmp_path, "b.json", wide)])
    held = judged(leave_one_profile_out([p.profile for p in profiles]))
    (reciprocal,) = [r for r in held.opcodes if r.name == "Reciprocal"]
    assert (reciprocal.instructions, reciprocal.fallback) == (1, 1)
    assert reciprocal.errors["learned"] == reciprocal.errors["hwm"]
