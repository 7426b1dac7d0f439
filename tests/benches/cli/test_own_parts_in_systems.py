"""A user's own parts in a topology file of his: in ``run --memory fabric``, ``flows`` and the others that take one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benches.cli.conftest import Call
from tests.benches.cli.test_run_on_fabric import kernel
from tests.components.conftest import own_registry
from tests.simcore.perfsim.blocks import block_of

__all__ = ["own_registry"]

pytestmark = pytest.mark.usefixtures("own_registry")

PARTS = """
from components.fabric.link import Link
from components.memory.booked import BookedChannel
from components.memory.sbuf import Sbuf


@register("link", "half")
class Half(Link):
    def exact_rate(self, time):
        return 2 * super().exact_rate(time)


@register("link", "double")
class Double(Link):
    def exact_rate(self, time):
        return super().exact_rate(time) // 2


@register("sbuf", "eight_banks")
class EightBanks(Sbuf):
    def booked_channels(self):
        return BookedChannel(8), BookedChannel(8)


@register("router", "broken")
class Broken(Router):
    def enter(self, flow):
        return self.no_such_thing
"""

SYSTEM = """\
schema: kernbench.topology/1
name: own
parts: [checking_router.py]
system: {ns_per_mm: 0, flit_bytes: 256, arbitration: fifo, window_flits: 64, buffer_bytes: null, ucie_spreading: none}
graph:
  nodes:
  - name: hbm
    kind: hbm_controller
    parameters: {num_pcs: 8, pc_bw_gbs: 32, burst_bytes: 256, switch_penalty_ns: 0, overhead_ns: 0}
  - {name: noc, kind: router, impl: ROUTER, parameters: {overhead_ns: 1CHECK}}
  - {name: core, kind: neuron_core, parameters: {generation: gen3, sbuf_read_bw_gbs: 64, sbuf_write_bw_gbs: 64SBUF}}
  links:
  - {src: hbm, dst: noc, both_ways: true, bw_gbs: 256, length_mm: 0, overhead_ns: 0}
  - {src: noc, dst: core, both_ways: true, bw_gbs: 256, length_mm: 0, overhead_ns: 0LINK}
"""

FLOWS = """\
schema: kernbench.traffic/1
name: f
topology: own.yaml
flows: [{name: a, src: core, dst: hbm, bytes: 4096}]
"""

Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes own.yaml as asked for; the guide's part and more, traffic and a program stand beside it."""
    monkeypatch.chdir(tmp_path)
    guide = (repository / "docs" / "systems.md").read_text()
    part = re.search(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert part is not None
    (tmp_path / "checking_router.py").write_text(part[1] + PARTS)
    (tmp_path / "f.yaml").write_text(FLOWS)
    (tmp_path / "p.json").write_text(json.dumps(block_of(*kernel(2), arch="gen3")))

    def written(router: str = "latency", check: str = "", sbuf: str = "", link: str = "") -> None:
        text = SYSTEM.replace("ROUTER", router).replace("CHECK", check).replace("SBUF", sbuf).replace("LINK", link)
        (tmp_path / "own.yaml").write_text(text)

    return written


RUN = ("run", "p.json", "--memory", "fabric", "--topology", "own.yaml", "--json", "-")


def result(kernbench: Call, *words: str) -> Any:
    code, out, err = kernbench(*words)
    assert code == 0, err
    return json.loads(out)


def test_flows_pay_what_the_guides_router_takes(write: Write, kernbench: Call):
    write()
    before = result(kernbench, "flows", "f.yaml", "--json", "-")
    write("checking", ", check_ns: 100")
    after = result(kernbench, "flows", "f.yaml", "--json", "-")
    assert before["makespan_ns"] == 16 + 1 + 1
    assert after["makespan_ns"] == before["makespan_ns"] + 100
    assert after["flows"][0]["alone_end_ns"] == after["makespan_ns"]
    assert before["notes"] == []
    assert after["notes"] == ["parts of your own: noc; fair shares take them for shipped ones with the same numbers"]


def test_flows_cross_a_link_of_ones_own(write: Write, kernbench: Call):
    write(link=", impl: half")
    assert result(kernbench, "flows", "f.yaml", "--json", "-")["makespan_ns"] == 32 + 1 + 1


def test_a_link_that_moves_more_than_the_file_says_is_the_users_fault(write: Write, kernbench: Call):
    write(link=", impl: double")
    text = Path("own.yaml").read_text()
    Path("own.yaml").write_text(text.replace("dst: noc, both_ways", "dst: noc, impl: double, both_ways"))
    code, out, err = kernbench("flows", "f.yaml")
    assert (code, out) == (2, "")
    assert err.startswith("own.yaml: the flows do not add up: ")
    assert err.endswith("(with parts of your own: hbm -> noc, noc -> hbm, noc -> core, core -> noc)\n")


def test_programs_on_the_fabric_pay_what_parts_of_ones_own_take(write: Write, kernbench: Call):
    write()
    before = result(kernbench, *RUN)["makespan_ns"]
    write("checking", ", check_ns: 100")
    # A load's command and its data pass the router, one after the other.
    assert result(kernbench, *RUN)["makespan_ns"] > before + 200
    write(link=", impl: half")
    assert result(kernbench, *RUN)["makespan_ns"] > before


def test_a_core_uses_the_sbuf_that_the_file_names(write: Write, kernbench: Call):
    write()
    before = result(kernbench, *RUN)["makespan_ns"]
    write(sbuf=", sbuf_impl: eight_banks")
    assert result(kernbench, *RUN)["makespan_ns"] < before


@pytest.mark.parametrize("words", [("flows", "f.yaml"), RUN[:-2], ("probe", "--topology", "own.yaml")])
def test_an_error_of_a_users_part_is_his_in_every_command(
    write: Write, kernbench: Call, words: tuple[str, ...], tmp_path: Path
):
    write("broken")
    code, out, err = kernbench(*words)
    line = (tmp_path / "checking_router.py").read_text().splitlines().index("        return self.no_such_thing") + 1
    assert (code, out) == (2, "")
    assert err == (
        f"{tmp_path / 'checking_router.py'}:{line}: AttributeError: 'Broken' object has no attribute 'no_such_thing'\n"
    )


def test_topology_and_probe_take_the_file(write: Write, kernbench: Call, tmp_path: Path):
    write("checking", ", check_ns: 100")
    assert kernbench("topology", "check", "own.yaml") == (0, "own: fine (3 parts, 4 links)\n", "")
    assert kernbench("topology", "draw", "own.yaml", "--out", "own.svg")[0] == 0
    code, out, _ = kernbench("topology", "show", "own.yaml", "--from", "core", "--to", "hbm", "--origin")
    assert (code, "check_ns 100" in out) == (0, True)
    assert "nothing-unexplained" in kernbench("probe", "--topology", "own.yaml")[1]


def test_faults_of_parts_reach_the_user_of_every_command_with_their_places(write: Write, kernbench: Call):
    write()
    Path("checking_router.py").write_text("x = = 1\n")
    for words in (("flows", "f.yaml"), RUN, ("topology", "show", "own.yaml"), ("probe", "--topology", "own.yaml")):
        assert kernbench(*words) == (2, "", "checking_router.py:1:5: is not Python: invalid syntax\n")


def test_equal_cores_end_in_the_order_in_which_they_were_named(write: Write, kernbench: Call):
    write()
    words = ("run", "p.json", "--memory", "fabric", "--topology", "trn2", "--json", "-", "--device")
    for named in ("nc0,nc1,nc2,nc3", "nc3,nc0,nc2,nc1"):
        report = result(kernbench, *words, named)
        assert [row["device"] for row in report["devices"]] == named.split(",")
        ends = [row["makespan_ns"] for row in report["devices"]]
        assert ends == sorted(ends) and len(set(ends)) == len(ends)


def test_a_tiles_tcm_of_ones_own_is_its_cores_sbuf(write: Write, kernbench: Call, repository: Path):
    shipped = (repository / "topology" / "systems" / "kernbench_2x4x4.yaml").read_text()
    own = """
from components.memory.tcm import Tcm, TcmParameters
from simcore.kernel import Part


class BankedParameters(TcmParameters):
    banks: int


@register("tcm", "eight_banks")
class BankedTcm(Tcm, Part[BankedParameters]):
    pass
"""
    write()
    with Path("checking_router.py").open("a") as file:
        file.write(own)
    slow = "read_bw_gbs: 8, write_bw_gbs: 8"
    text = shipped.replace("pe_tcm: {template: tcm,", f"pe_tcm: {{template: tcm, parameters: {{{slow}}},")
    device = ("--device", "sip0.cube0.pe0")
    Path("own.yaml").write_text(text)
    before = result(kernbench, *RUN, *device)
    text = text.replace(f"{{{slow}}}", f"{{{slow}, banks: 8}}, impl: eight_banks")
    Path("own.yaml").write_text(text.replace("\nsummary:", "\nparts: [checking_router.py]\nsummary:", 1))
    assert result(kernbench, *RUN, *device)["makespan_ns"] < before["makespan_ns"]
