"""A user's own file makes its parts known, or is refused with file and line and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.registry import build, known_parts, lookup
from components.user_parts import load_parts
from simcore.errors import InputError
from simcore.kernel import Environment

pytestmark = pytest.mark.usefixtures("own_registry")

LAMP = """\
from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from components.quantities import Ns
from components.registry import register
from simcore.kernel import Part


class LampParameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    warm_up_ns: Ns


@register("lamp", "led")
class Lamp(Part[LampParameters]):
    pass
"""

SLOW_TCM = """\
from components.memory.tcm import Tcm
from components.registry import register


@register("tcm", "mine")
class Mine(Tcm):
    pass
"""


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_part_of_a_users_file_is_built_like_any_other(tmp_path: Path):
    (entry,) = load_parts(written(tmp_path, LAMP))
    assert (entry.kind, entry.impl) == ("lamp", "led")
    assert lookup("lamp") == entry
    lamp = build(Environment(), "lamp", "lamp0", {"warm_up_ns": 1.5}, {})
    assert type(lamp) is entry.part
    with pytest.raises(InputError, match=r"lamp1\.warm_up: unknown parameter .*did you mean \"warm_up_ns\""):
        build(Environment(), "lamp", "lamp1", {"warm_up": 1}, {})


def test_a_user_adds_an_impl_beside_the_shipped_ones_and_the_default_stays(tmp_path: Path):
    (entry,) = load_parts(written(tmp_path, SLOW_TCM))
    assert lookup("tcm", "mine") == entry
    assert lookup("tcm").impl == "dual_channel"


def test_a_file_is_read_once(tmp_path: Path):
    first = load_parts(written(tmp_path, LAMP))
    assert load_parts(str(tmp_path / "mine.py")) == first


def test_two_files_of_one_name_are_two_files(tmp_path: Path):
    (tmp_path / "other").mkdir()
    load_parts(written(tmp_path, LAMP))
    load_parts(written(tmp_path / "other", SLOW_TCM))
    assert lookup("lamp").part.__module__ != lookup("tcm", "mine").part.__module__


def test_nothing_is_written_beside_a_users_file(tmp_path: Path):
    load_parts(written(tmp_path, LAMP))
    assert [path.name for path in tmp_path.rglob("*")] == ["mine.py"]


@pytest.mark.parametrize(
    ("text", "place_and_message"),
    [
        ("x = 1\ny = = 2\n", ":2:5: is not Python: invalid syntax"),
        ("\n\nimport simcore.no_such\n", ":3: ModuleNotFoundError: No module named 'simcore.no_such'"),
        ("def f():\n    raise ValueError('a\\nb')\n\nf()\n", ":2: ValueError: a b"),
        ("import sys\nsys.exit()\n", ":2: SystemExit"),
        ("import json\n\njson.loads('[')\n", ":3: JSONDecodeError: Expecting value: line 1 column 2 (char 1)"),
        ("open('no such file')\n", ":1: FileNotFoundError: [Errno 2] No such file or directory: 'no such file'"),
        ("x = 1\n", ": registers no part (put @register(kind, impl) before its class)"),
        (
            LAMP + "\n\nregister('tcm', 'two_banks')(Lamp)\n",
            ":21: tcm/two_banks is already registered by components.memory.tcm_alternatives.TwoBankTcm",
        ),
    ],
)
def test_a_fault_of_a_users_file_names_file_and_line_and_leaves_no_part(
    tmp_path: Path, text: str, place_and_message: str
):
    before = known_parts()
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_parts(path)
    assert str(caught.value) == f"{path}{place_and_message}"
    assert known_parts() == before


def test_a_corrected_file_is_read_again(tmp_path: Path):
    with pytest.raises(InputError):
        load_parts(written(tmp_path, LAMP.replace('"led"', '"LED"')))
    assert [entry.impl for entry in load_parts(written(tmp_path, LAMP))] == ["led"]


def test_a_file_that_is_not_there_is_an_input_error(tmp_path: Path):
    with pytest.raises(InputError) as caught:
        load_parts(tmp_path / "gone.py")
    assert str(caught.value) == f"{tmp_path / 'gone.py'}: cannot be read: No such file or directory"


def test_a_file_that_is_no_text_is_an_input_error(tmp_path: Path):
    path = tmp_path / "mine.py"
    path.write_bytes(b"x = '\xff\xfe'\n")
    with pytest.raises(InputError, match=r"mine\.py.*is not Python: "):
        load_parts(path)


def test_two_parts_of_two_files_cannot_share_a_name(tmp_path: Path):
    load_parts(written(tmp_path, LAMP))
    with pytest.raises(InputError, match=r"again\.py:16: lamp/led is already registered by user_parts_0_mine\.Lamp"):
        load_parts(written(tmp_path, LAMP, "again.py"))
