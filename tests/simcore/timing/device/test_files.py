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
