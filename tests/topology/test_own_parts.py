"""``parts`` of topology files and sets of templates: loaded before they are named, or refused at their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.registry import known_parts
from tests.components.conftest import own_registry
from tests.topology.small import HEAD, LINE, TRAY, loaded, problems_of, written
from topology.check import check_file
from topology.own_parts import own_parts

__all__ = ["own_registry"]

pytestmark = pytest.mark.usefixtures("own_registry")

PARTS = """\
from components.fabric.link import Link
from components.fabric.router import Router, RouterParameters
from components.quantities import Ns
from components.registry import register
from simcore.kernel import Part


class SlowParameters(RouterParameters):
    check_ns: Ns


@register("router", "slow")
class Slow(Router, Part[SlowParameters]):
    pass


@register("link", "half")
class Half(Link):
    pass


@register("lamp")
class Lamp(Router):
    pass
"""


def system(parts: str, *rows: str) -> str:
    """A file whose parts stand in line 4, nodes in line 6, and links from line 8 on."""
    nodes, *links = rows
    lines = "".join(f"  - {link}\n" for link in links)
    return f"{HEAD}parts: {parts}\ngraph:\n  nodes: [{nodes}]\n  links:\n{lines}"


AB = f"{{src: a, dst: b, both_ways: true, {LINE}}}"
SLOW = "{name: b, kind: router, impl: slow, parameters: {overhead_ns: 1, check_ns: 2}}"


def test_kinds_and_impls_of_a_users_file_can_be_named(tmp_path: Path):
    written(tmp_path, PARTS, "mine.py")
    a = "{name: a, kind: lamp, parameters: {overhead_ns: 1}}"
    text = system("[mine.py]", f"{a}, {SLOW}, c", AB.replace("dst: b", "dst: b, impl: half"), AB.replace("b,", "c,"))
    assert problems_of(tmp_path, text) == []
    found = loaded(tmp_path, text)
    assert own_parts(found) == ["a", "b", "a -> b", "b -> a"]
    assert [link.impl for link in found.links()] == ["half", None, "half", None]


def test_parameters_of_a_users_part_are_checked_by_his_model(tmp_path: Path):
    written(tmp_path, PARTS, "mine.py")
    text = system("[mine.py]", f"a, {SLOW.replace('check_ns', 'chek_ns')}", AB)
    assert problems_of(tmp_path, text) == [
        "6:30: router: check_ns: is missing (it has no default)",
        '6:88: router: chek_ns: unknown parameter (allowed: overhead_ns, check_ns; did you mean "check_ns"?)',
    ]


def test_faults_of_parts_stand_at_their_entries_or_in_their_files_and_all_at_once(tmp_path: Path):
    written(tmp_path, "x = = 1\n", "broken.py")
    written(tmp_path, "x = 1\n", "empty.py")
    path = written(tmp_path, system("[gone.py, broken.py, 3, empty.py]", "a, {name: b, kind: wobble, impl: x}",
                                    AB.replace("bw_gbs: 100", "bw_gbs: 0, impl: nix")))  # fmt: skip
    before = known_parts()
    at = f"{tmp_path}/"
    assert [str(problem) for problem in check_file(path).problems] == [
        f"{path}:4:9: parts: {at}gone.py: cannot be read: No such file or directory",
        f"{path}:4:29: parts: expected the name of a Python file, got the number 3",
        f"{path}:4:32: parts: {at}empty.py: registers no part (put @register(kind, impl) before its class)",
        f"{path}:8:47: bw_gbs: must be above 0 GB/s, not 0",
        f"{at}broken.py:1:5: is not Python: invalid syntax",
    ]
    assert known_parts() == before


def test_unknown_impls_of_parts_and_links_are_found_beside_other_faults(tmp_path: Path):
    written(tmp_path, PARTS, "mine.py")
    text = system("[mine.py]", f"a, {SLOW.replace('slow', 'slov')}", AB.replace("100", "0, impl: halv"))
    assert problems_of(tmp_path, text) == [
        '6:44: unknown impl "slov" of router (allowed: latency, slow; did you mean "slow"?)',
        "8:47: bw_gbs: must be above 0 GB/s, not 0",
        '8:56: unknown impl "halv" of link (allowed: credited, half, unbounded; did you mean "half"?)',
    ]


def test_parts_must_be_a_list(tmp_path: Path):
    assert problems_of(tmp_path, system("mine.py", "a, b", AB)) == [
        '4:8: parts: expected a list of Python files, got the text "mine.py"'
    ]


def test_a_set_of_templates_brings_its_parts_from_its_own_folder(tmp_path: Path):
    (tmp_path / "sets").mkdir()
    written(tmp_path / "sets", PARTS, "mine.py")
    template = "slow: {kind: router, impl: slow, parameters: {overhead_ns: 1, check_ns: 2}}"
    head = "schema: kernbench.templates/1\nname: set\nparts: [mine.py]\n"
    written(tmp_path / "sets", f"{head}templates:\n  {template}\n", "set.yaml")
    text = system("[]", "a, {name: b, template: slow}", AB) + "use: [sets/set.yaml]\n"
    assert problems_of(tmp_path, text) == []
    assert own_parts(loaded(tmp_path, text)) == ["b"]


def test_a_template_of_a_link_may_name_its_impl_and_one_of_a_wire_may_not(tmp_path: Path):
    written(tmp_path, PARTS, "mine.py")
    text = TRAY.replace("name: tray\n", "name: tray\nparts: [mine.py]\n")
    half = text.replace("line: {kind: link,", "line: {kind: link, impl: half,")
    assert {link.impl for link in loaded(tmp_path, half).links()} == {None, "half"}
    wire = text.replace("wire: {kind: wire,", "wire: {kind: wire, impl: half,")
    assert problems_of(tmp_path, wire)[0] == "7:22: impl: a wire has none"


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ("sbuf_read_bw_gbs: 1, sbuf_write_bw_gbs: 1, sbuf_impl: two_banks", []),
        (
            "sbuf_impl: two_banks",
            ["neuron_core: sbuf_impl: needs sbuf_read_bw_gbs and sbuf_write_bw_gbs: without rates an SBUF takes "
             "no time"],
        ),
        (
            "sbuf_read_bw_gbs: 1, sbuf_write_bw_gbs: 1, sbuf_impl: two_bank",
            ['neuron_core: sbuf_impl: unknown impl "two_bank" of sbuf (allowed: dual_channel, shared_channel, '
             'two_banks; did you mean "two_banks"?)'],
        ),
        (
            "sbuf_read_bw_gbs: 1, sbuf_write_bw_gbs: 1, sbuf_impl: 2",
            ["neuron_core: sbuf_impl: expected a word, got the number 2"],
        ),
    ],
)  # fmt: skip
def test_a_core_may_name_its_sbuf(tmp_path: Path, rates: str, expected: list[str]):
    core = f"{{name: b, kind: neuron_core, parameters: {{generation: gen3, {rates}}}}}"
    found = problems_of(tmp_path, system("[]", f"a, {core}", AB))
    assert [problem.split(": ", 1)[1] for problem in found] == expected
