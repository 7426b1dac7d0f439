"""Which law is found behind samples of a known one."""

from __future__ import annotations

import numpy as np
import pytest

from simcore.oracle.learned.features import NAMES
from simcore.oracle.learned.samples import Samples
from simcore.oracle.learned.train import train
from simcore.program.opcodes import Opcode
from simcore.timing.confidence import Level


def samples(rows: list[tuple[dict[str, float], int]], opcode: Opcode = Opcode.TensorCopy) -> Samples:
    features = np.zeros((len(rows), len(NAMES)))
    for row, (facts, _) in zip(features, rows, strict=True):
        for name, value in facts.items():
            row[NAMES.index(name)] = value
    count = len(rows)
    return Samples(
        file="made",
        arch="gen3",
        block=np.zeros(count, dtype=np.int64),
        event=np.arange(count),
        opcode=np.full(count, opcode, dtype=np.uint8),
        features=features,
        measured_ns=np.array([ns for _, ns in rows], dtype=np.int64),
        left_out={},
    )


def sized(elements: int, **more: float) -> dict[str, float]:
    return {"elements": elements, "log2_elements": np.log2(1 + elements), **more}


def matrix(*facts: dict[str, float]) -> np.ndarray:
    return samples([(f, 1) for f in facts]).features


def test_an_affine_law_is_recovered_and_called_exact():
    (law,) = train([samples([(sized(n), 100 + 2 * n) for n in (64, 128, 256, 512)])])
    assert (law.opcode, law.form, law.constant) == ("TensorCopy", "linear", pytest.approx(100))
    assert law.weights == {"elements": pytest.approx(2)}
    assert law.predict(matrix(sized(300))).tolist() == pytest.approx([700])
    assert law.levels(matrix(sized(300), sized(513), sized(64, strided=1))).tolist() == [
        Level.EXACT,
        Level.EXTRAPOLATED,
        Level.EXTRAPOLATED,
    ]


def test_a_power_of_a_size_is_recovered_in_the_logarithm():
    sizes = (63, 255, 1023, 4095, 16383)
    (law,) = train([samples([(sized(n), 100 * round((n + 1) ** 0.5)) for n in sizes])])
    assert law.form == "log"
    assert list(law.weights) == ["log2_elements"]
    assert law.predict(matrix(sized(99))).tolist() == pytest.approx([1000])


def test_a_word_is_taken_beside_a_size_if_it_tells_more():
    rows = [
        (sized(n, **{f"engine:{e}": 1.0}), 50 * (e == "PE") + 100 + n) for n in (64, 128, 256) for e in ("PE", "DVE")
    ]
    (law,) = train([samples(rows)])
    assert set(law.weights) == {"elements", "engine:PE"} or set(law.weights) == {"elements", "engine:DVE"}
    seen = matrix(sized(200, **{"engine:PE": 1.0}), sized(200, **{"engine:DVE": 1.0}))
    assert law.predict(seen).tolist() == pytest.approx([350, 300])


def test_equal_points_are_one_point_with_their_median():
    (law,) = train([samples([(sized(64), 100), (sized(64), 101), (sized(64), 9000)])])
    assert (law.weights, law.constant) == ({}, 101)
    assert (law.fit.n_points, law.fit.n_distinct_points, law.left_out_error_pct) == (3, 1, None)
    assert law.fit.is_degenerate
    assert law.levels(matrix(sized(64))).tolist() == [Level.INTERPOLATED]


def test_a_feature_that_only_fits_its_own_points_is_not_taken():
    noise = [(sized(0, partitions=p), ns) for p, ns in ((1, 100), (2, 104), (3, 98), (4, 103), (5, 99), (6, 101))]
    (law,) = train([samples(noise)])
    assert law.weights == {}
    assert law.predict(matrix(sized(0, partitions=1000))).tolist() == pytest.approx([100.8], abs=0.5)


def test_a_law_that_falls_below_zero_predicts_zero_and_one_that_explodes_stays_finite():
    (falling,) = train([samples([(sized(n), 1000 - n) for n in (100, 200, 300, 400)])])
    assert falling.predict(matrix(sized(5000))).tolist() == [0]
    (rising,) = train([samples([(sized(n), (n + 1) ** 2) for n in (63, 127, 255, 511)])])
    assert rising.predict(matrix({"log2_elements": 1e6})).tolist() == [pytest.approx(10**12 + 1)]


def test_each_opcode_has_its_own_law_and_the_order_of_samples_changes_nothing():
    copies = samples([(sized(n), 100 + 2 * n) for n in (64, 128, 256)])
    waits = samples([({}, 40)], Opcode.EventSemaphore)
    laws = train([copies, waits])
    assert [law.opcode for law in laws] == ["EventSemaphore", "TensorCopy"]
    assert train([waits, copies]) == laws
