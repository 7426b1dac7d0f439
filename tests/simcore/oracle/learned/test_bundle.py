"""A bundle on disk: the same bytes every time, and a located error for everything that can be wrong with it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from simcore.errors import InputError
from simcore.oracle import cost_block
from simcore.oracle.learned.bundle import MANIFEST, load_bundle, save_bundle
from simcore.oracle.learned.features import NAMES
from simcore.oracle.learned.profiles import fitted, read_profiles
from simcore.staged_files import StagedFiles
from tests.simcore.oracle.blocks import columns_of, inst, sb
from tests.simcore.oracle.learned.small_profiles import copies, written

WEIGHTS = f"latency_models_{len(NAMES)}.npy"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bundle fitted to two profiles of copies."""
    profiles = [
        written(tmp_path, "a.json", copies(64, 128, 256)),
        written(tmp_path, "b.json", copies(64, 512)),
    ]
    return saved(tmp_path / "bundle", profiles)


def saved(folder: Path, profiles: list[Path]) -> Path:
    folder.mkdir()
    bundle, weights = fitted(read_profiles(profiles))
    with StagedFiles() as staged:
        save_bundle(folder, bundle, weights, staged)
    return folder


def problem(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_bundle(folder)
    return str(caught.value)


def change(folder: Path, **values) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | values))


def test_a_bundle_reads_back_as_it_was_fitted(folder: Path):
    bundle = load_bundle(folder)
    (law,) = bundle.laws
    assert (law.opcode, law.form, round(law.constant, 6)) == ("TensorCopy", "linear", 100)
    assert {name: round(weight, 9) for name, weight in law.weights.items()} == {"elements": 2}
    assert bundle.manifest.models[0].confidence == "EXACT"
    assert [(p.file, p.samples) for p in bundle.manifest.profiles] == [("a.json", 3), ("b.json", 2)]
    assert bundle.manifest.held_out.beats == {"hwm": True, "public": True}


def test_the_array_is_plain_float64_with_a_row_per_law(folder: Path):
    weights = np.load(folder / WEIGHTS, allow_pickle=False)
    assert (weights.dtype, weights.shape) == (np.float64, (1, len(NAMES) + 1))
    assert np.flatnonzero(weights[0]).tolist() == [0, 1 + NAMES.index("elements")]


def test_the_same_profiles_give_the_same_bytes(folder: Path, tmp_path: Path):
    again = saved(tmp_path / "again", [tmp_path / "a.json", tmp_path / "b.json"])
    for name in (MANIFEST, WEIGHTS):
        assert (again / name).read_bytes() == (folder / name).read_bytes()


def test_a_block_is_costed_by_name(folder: Path):
    columns = columns_of([inst("TensorCopy", "DVE", [sb(128)], [sb(128)])])
    assert cost_block(columns, arch="gen3", timing=f"learned:{folder}").total_ns.tolist() == [356]


def test_a_bundle_says_nothing_about_another_generation(folder: Path):
    columns = columns_of([inst("TensorCopy", "DVE", [sb(128)], [sb(128)])])
    with pytest.raises(InputError, match=f"{MANIFEST}: was fitted to gen3 and says nothing about core_v4"):
        cost_block(columns, arch="trn3", timing=f"learned:{folder}")


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path):
    assert problem(tmp_path) == (
        f"{tmp_path}: is no learned oracle (expected a folder with a learned.json, from kernbench calibrate train)"
    )


def test_another_schema_is_named(folder: Path):
    change(folder, schema="kernbench.learned-oracle/2")
    assert "its schema is 'kernbench.learned-oracle/2' (expected 'kernbench.learned-oracle/1')" in problem(folder)


def test_other_features_ask_for_a_new_fit(folder: Path):
    change(folder, features=[*NAMES, "colour"], weights=f"latency_models_{len(NAMES) + 1}.npy")
    assert problem(folder) == (
        f"{folder / MANIFEST}: features: other features than this release's "
        f"({len(NAMES) + 1} and {len(NAMES)}): fit the bundle again from its profiles"
    )


def test_unknown_words_of_a_manifest_are_all_told(folder: Path):
    manifest = json.loads((folder / MANIFEST).read_text())
    model = manifest["models"][0]
    change(
        folder,
        arch="gen33",
        weights="weights.npy",
        models=[model | {"opcode": "TensorCoppy"}, model | {"features": ["elementz"]}, model],
    )
    lines = problem(folder).splitlines()
    assert len(lines) == 5
    assert [line.split(": ", 2)[1] for line in lines] == [
        "arch",
        "weights",
        "models[0].opcode",
        "models[1]",
        "models[2].opcode",
    ]
    assert 'did you mean "TensorCopy"?' in lines[2]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("max_abs_residual", float("nan"), "$.models[0].fit.max_abs_residual: nan is not a finite number"),
        ("max_abs_residual", -1, "$.models[0].fit: a count or a residual below 0"),
        ("n_points", -1, "$.models[0].fit: a count or a residual below 0"),
        ("ranges", {"elements": [1, float("inf")]}, "$.models[0].fit.ranges.elements[1]: inf is not a finite number"),
        ("ranges", {"elements": [512, 64]}, "$.models[0].fit: the range of elements runs from 512 down to 64"),
    ],
)
def test_numbers_that_no_fit_has_are_refused(folder: Path, key: str, value: object, expected: str):
    models = json.loads((folder / MANIFEST).read_text())["models"]
    models[0]["fit"][key] = value
    change(folder, models=models)
    assert problem(folder) == f"{folder / MANIFEST}: {expected}"


def test_a_damaged_manifest_is_located(folder: Path):
    (folder / MANIFEST).write_text('{"schema": ')
    assert problem(folder).startswith(f"{folder / MANIFEST}:1:")


def test_a_missing_array_is_named(folder: Path):
    (folder / WEIGHTS).unlink()
    assert problem(folder) == f"{folder / WEIGHTS}: cannot be read: No such file or directory"


def test_an_array_that_the_manifest_does_not_describe_is_refused(folder: Path):
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-8])
    assert problem(folder) == f"{folder / WEIGHTS}: is not the array that learned.json describes (its sha256 differs)"


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array([{}], dtype=object), "is no array of numpy"),
        (np.zeros((1, 3)), f"is not an array of float64[1, {len(NAMES) + 1}]"),
        (np.zeros((1, len(NAMES) + 1), dtype=np.float32), "is not an array of float64"),
        (np.full((1, len(NAMES) + 1), np.nan), "holds numbers that are not finite"),
    ],
)
def test_arrays_that_cannot_be_weights_are_refused(folder: Path, array: np.ndarray, said: str):
    np.save(folder / WEIGHTS, array, allow_pickle=True)
    change(folder, weights_sha256=hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest())
    assert said in problem(folder)
