"""Devices of a system: which cores there are, what stands around them, and where operands lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.errors import InputError
from tests.topology.small import HEAD, TRAY, loaded
from topology.loader import load_system
from topology.machine.devices import Device, device_names, devices_of
from topology.machine.placement import DevicePlacement, Shelves
from topology.machine.site import Site
from topology.system import System

CORE = "{{name: nc, kind: neuron_core, parameters: {{generation: trn2{more}}}}}"
LINE = "both_ways: true, bw_gbs: 100, length_mm: 1, overhead_ns: 0"
HBM = (
    "kind: hbm_controller, "
    "parameters: {num_pcs: 4, burst_bytes: 512, pc_bw_gbs: 8, switch_penalty_ns: 0, overhead_ns: 0}"
)


def one_core(folder: Path, more: str = "") -> Site:
    text = (
        HEAD
        + "graph:\n  nodes:\n  - a\n"
        + f"  - {{name: far, {HBM}}}\n  - {{name: near, {HBM}}}\n  - {CORE.format(more=more)}\n"
        + f"  links:\n  - {{src: a, dst: nc, {LINE}}}\n  - {{src: near, dst: a, {LINE}}}\n"
        + f"  - {{src: far, dst: near, {LINE}}}\n"
    )
    return Site(loaded(folder, text))


def only(site: Site) -> Device:
    (device,) = devices_of(site, ["all"])
    return device


def test_the_cores_of_a_chip_have_their_dma_engines_and_its_hbm() -> None:
    site = Site(load_system("trn2"))
    assert device_names(site) == [f"nc{k}" for k in range(8)]
    (device,) = devices_of(site, ["nc5"])
    assert device.engines == tuple(f"nc5.dma{k}" for k in range(16))
    assert (device.home, device.sbuf, device.generation) == ("hbm", None, "gen3")


def test_the_pe_tiles_of_a_tray_are_its_devices(kernbench_2x4x4: System) -> None:
    site = Site(kernbench_2x4x4)
    names = device_names(site)
    assert len(names) == 2 * 16 * 8
    (device,) = devices_of(site, ["sip1.cube3.pe7"])
    assert device.engines == ("sip1.cube3.pe7.pe_dma",)
    assert device.home == "sip1.cube3.hbm_ctrl.pe7"
    assert device.sbuf is not None
    assert (device.sbuf.read_bw_gbs, device.generation) == (512, None)


def test_a_core_without_dma_engines_is_its_own_and_takes_the_nearest_hbm(tmp_path: Path) -> None:
    device = only(one_core(tmp_path))
    assert (device.engines, device.home) == (("nc",), "near")


def test_a_core_may_say_how_fast_its_sbuf_is(tmp_path: Path) -> None:
    sbuf = only(one_core(tmp_path, ", sbuf_read_bw_gbs: 300, sbuf_write_bw_gbs: 0.5")).sbuf
    assert sbuf is not None
    assert (sbuf.read_bw_gbs, float(sbuf.write_bw_gbs)) == (300, 0.5)


def test_half_an_sbuf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nc: sbuf_write_bw_gbs: is missing"):
        devices_of(one_core(tmp_path, ", sbuf_read_bw_gbs: 300"), ["nc"])


def test_every_wrong_word_is_told_with_the_nearest_device() -> None:
    with pytest.raises(InputError) as error:
        devices_of(Site(load_system("trn1")), ["nc0", "nc7", "nc0"])
    first, second = map(str, error.value.problems)
    assert first.startswith('--device: no device "nc7" in topology/systems/trn1.yaml (allowed: nc0, nc1, all')
    assert second == "--device: nc0 is named twice (allowed: once)"


def test_a_tile_without_all_parts_is_no_device(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no device in this system"):
        devices_of(Site(loaded(tmp_path, TRAY)), ["all"])


def test_tensors_lie_one_behind_the_other_from_whole_bursts_on(tmp_path: Path) -> None:
    site = one_core(tmp_path)
    placement = DevicePlacement(Shelves(site), only(site))
    spots = [placement.spot(tensor, None, nbytes) for tensor, nbytes in (("a", 700), ("b", 1), ("a", 700), (None, 9))]
    assert [(spot.memory, spot.offset) for spot in spots] == [("near", 0), ("near", 1024), ("near", 0), ("near", 1536)]
    # Two controllers, so an address names no place of its own: it is the name of what lies there.
    assert placement.spot(None, 77, 8) == placement.spot(None, 77, 8)
    assert placement.spot("c", 78, 8).offset == 2560
    assert placement.unresolved == {77, 78}


def test_an_address_of_a_tray_lies_where_the_resolver_says(kernbench_2x4x4: System) -> None:
    site = Site(kernbench_2x4x4)
    (device,) = devices_of(site, ["sip0.cube0.pe1"])
    placement = DevicePlacement(Shelves(site), device)
    address = site.resolver.encode_hbm(1, 2, 3, 4096)
    spot = placement.spot("t", address, 64)
    assert (spot.memory, spot.offset, spot.address) == ("sip1.cube2.hbm_ctrl.pe3", 4096, address)
    nowhere = placement.spot("u", 1 << 50, 64)
    assert (nowhere.memory, nowhere.offset) == (device.home, 0)
    assert nowhere.address == site.resolver.encode_hbm(0, 0, 1, 0)
    assert placement.unresolved == {1 << 50}


def test_a_slice_that_is_full_begins_again_and_takes_nothing_larger_than_itself(kernbench_2x4x4: System) -> None:
    site = Site(kernbench_2x4x4)
    (device,) = devices_of(site, ["sip0.cube0.pe1"])
    placement, size = DevicePlacement(Shelves(site), device), site.resolver.slice_bytes
    offsets = [placement.spot(None, None, nbytes).offset for nbytes in (size - 256, 512, 256)]
    assert offsets == [0, 0, 512]
    with pytest.raises(InputError, match=f"an operand of {size + 1} bytes does not fit"):
        placement.spot(None, None, size + 1)
