"""The platform file: what is refused, and where; that it comes back as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.staged_files import StagedFiles
from simcore.timing.device import load_device_platform_file
from simcore.timing.device.files import device_platform_json, stage_device_platform
from topology.platforms import load_device_platform, shipped_platforms


@pytest.fixture
def document() -> dict[str, object]:
    return json.loads(device_platform_json(load_device_platform("trn2")))


def test_a_platform_comes_back_from_its_file(tmp_path: Path):
    trn2 = load_device_platform("trn2")
    with StagedFiles() as staged:
        file = stage_device_platform(staged, trn2, tmp_path / "mine")
        assert not file.exists()
    assert load_device_platform_file(file) == trn2
    assert load_device_platform(tmp_path / "mine") == trn2
    assert file.read_bytes() == device_platform_json(trn2)


def test_every_constant_of_the_shipped_platform_says_where_it_comes_from(document: dict[str, object]):
    seen = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            if "obtained" in value:
                seen.append(value)
            else:
                for inner in value.values():
                    walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(document)
    assert len(seen) > 90
    for constant in seen:
        assert constant["source"]
        assert (constant["points"] > 0) == (constant["obtained"] in ("measured", "fitted"))


def test_the_shipped_platform_follows_from_the_four_profiles_byte_for_byte(shared: Path, repository: Path):
    from simcore.program.read import load_program
    from simcore.timing.device import fit_device_platform

    files = sorted((shared / "data" / "trn2-profiles").glob("*.json.gz"))
    assert len(files) == 4
    platform = fit_device_platform([load_program(file) for file in reversed(files)], name="trn2")
    shipped = repository / "topology" / "platforms" / "trn2" / "platform.json"
    assert device_platform_json(platform) == shipped.read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "kernbench.device_platform/2"}, "its schema is 'kernbench.device_platform/2'"),
        ({"colour": "red"}, "colour"),
        ({"arch": None}, "arch"),
    ],
)
def test_a_wrong_file_is_refused_at_its_place(
    tmp_path: Path, document: dict[str, object], change: dict[str, object], message: str
):
    file = tmp_path / "platform.json"
    file.write_text(json.dumps({**document, **change}))
    with pytest.raises(InputError) as refused:
        load_device_platform_file(file)
    assert message in str(refused.value)
    assert str(file) in str(refused.value)


def test_a_damaged_and_a_missing_file_are_refused(tmp_path: Path):
    file = tmp_path / "platform.json"
    file.write_text('{"schema": ')
    for path in (file, tmp_path / "none.json"):
        with pytest.raises(InputError, match=path.name):
            load_device_platform_file(path)


def test_an_unknown_platform_is_refused_with_the_nearest_name():
    assert shipped_platforms() == ("trn2",)
    with pytest.raises(InputError, match=r'unknown platform "trn22".*did you mean "trn2"'):
        load_device_platform("trn22")


def _at(document: dict[str, object], place: str) -> tuple[dict[str, object] | list[object], str | int]:
    """(what holds the value at ``place``, its key there)."""
    steps: list[str | int] = [int(step) if step.isdigit() else step for step in place.split(".")]
    inside: object = document
    for step in steps[:-1]:
        inside = inside[step]  # type: ignore[index]
    return inside, steps[-1]  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("engines", [], "no record of PE, Activation, DVE, Pool, SP, DMA (allowed: one of each of PE,"),
        ("engines.1.engine", "PE", "given more than once: PE"),
        (
            "engines.1.engine",
            "Actuation",
            'unknown word "Actuation" (allowed: PE, Activation,',
        ),
        ("engines.0.control_ns.value", -1, "-1 ns (allowed: 0 or more)"),
        ("engines.0.start_ns.value", 1e18, "1e+18 ns (allowed: at most a millisecond, 1e+06 ns)"),
        ("engines.0.start_ns.value", float("nan"), "input should be a finite number, not nan"),
        ("engines.0.start_ns", None, "expected a mapping, got nothing (null)"),
        ("engines.0.event_ns.points", 0, "measured from 0 points"),
        ("engines.0.event_ns.low", None, "low None, high"),
        ("engines.0.event_ns.low", 1e5, "low 100000 is above high"),
        ("operations.0.opcode", "TensorCpy", 'did you mean "TensorCopy"'),
        ("operations.0.dtype", "float31", "float31"),
        ("throttle.window_ns.value", 0, "0 ns (allowed: 1 to 1e+06)"),
        ("throttle.needed_share.value", 1.5, "1.5 (allowed: 0 to 1)"),
        ("dma.packet_gbs.value", 0, "0 (allowed: above 0"),
        ("pe.classes.0.cycles_per_documented.value", -2, "-2 (allowed: above 0"),
        ("dma.stagger_ns.3", -1, "-1 ns (allowed: 0 or more)"),
        ("hbm.first.0.lost_ns", [1.0, 2.0], "2 numbers (allowed: 16, one for each DMA engine)"),
        ("hbm.first.0.lost_ns.3", -1, "-1 ns (allowed: 0 or more)"),
        ("engines.0.start_ns.value", True, "input should be a valid number, not true"),
        ("engines.0.start_ns.value", "5", 'input should be a valid number, not "5"'),
        ("operations.0.pointer", 1, "input should be a valid boolean, not 1"),
        ("pe.classes.0.passes", 10**18, "input should be less than or equal to 16, not 1000000000000000000"),
        ("arch", "gen4", 'unknown word "gen4" (allowed: inferentia, sunda, gen3, core_v4; did you mean "gen3"'),
    ],
)
def test_a_number_or_word_that_no_device_has_is_refused_at_its_place(
    tmp_path: Path, document: dict[str, object], place: str, value: object, message: str
):
    inside, key = _at(document, place)
    inside[key] = value  # type: ignore[index]
    file = tmp_path / "platform.json"
    file.write_text(json.dumps(document))
    with pytest.raises(InputError) as refused:
        load_device_platform_file(file)
    (problem,) = refused.value.problems
    assert message in problem.message
    assert problem.where is not None and place.startswith(problem.where)


def test_every_fault_of_a_platform_file_is_told_at_once(tmp_path: Path, document: dict[str, object]):
    for place in ("engines.0.control_ns.value", "dma.packet_gbs.value", "throttle.window_ns.value"):
        inside, key = _at(document, place)
        inside[key] = -1  # type: ignore[index]
    file = tmp_path / "platform.json"
    file.write_text(json.dumps(document))
    with pytest.raises(InputError) as refused:
        load_device_platform_file(file)
    assert [problem.where for problem in refused.value.problems] == [
        "engines.0.control_ns",
        "throttle.window_ns",
        "dma.packet_gbs",
    ]


def test_two_classes_of_the_same_operations_are_refused(tmp_path: Path, document: dict[str, object]):
    document["operations"].append(document["operations"][0])  # type: ignore[index, union-attr]
    file = tmp_path / "platform.json"
    file.write_text(json.dumps(document))
    with pytest.raises(InputError, match="operations: given more than once"):
        load_device_platform_file(file)
