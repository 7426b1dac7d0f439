"""Addresses go to their part and back; what names nothing is refused by its field."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.errors import InputError
from tests.topology.small import TRAY, loaded
from topology.address_map import ADDRESS_BITS, AddressError, Fields, decode, encode
from topology.addresses import AddressResolver, Target
from topology.loader import load_system
from topology.system import System

GIB = 1 << 30


@pytest.fixture(scope="session")
def resolver(kernbench_2x4x4: System) -> AddressResolver:
    return AddressResolver(kernbench_2x4x4)


@given(st.integers(0, 15), st.integers(0, 31), st.integers(0, (1 << 42) - 1))
def test_the_fields_of_an_address_come_back(sip: int, die: int, offset: int):
    address = encode(sip, die, offset)
    assert 0 <= address < 1 << ADDRESS_BITS
    assert decode(address) == Fields(sip, die, offset)


@given(st.integers(0, (1 << ADDRESS_BITS) - 1))
def test_every_address_has_one_way_to_be_written(address: int):
    fields = decode(address)
    assert encode(fields.sip, fields.die, fields.offset) == address


def test_the_layout_is_the_published_one():
    assert encode(1, 0, 0) == 1 << 47
    assert encode(0, 1, 0) == 1 << 42
    assert encode(15, 31, (1 << 42) - 1) == (1 << 51) - 1


@given(st.integers(0, 1), st.integers(0, 15), st.integers(0, 7), st.integers(0, 6 * GIB - 1))
def test_a_place_in_hbm_comes_back(resolver: AddressResolver, sip: int, cube: int, pe: int, offset: int):
    target = resolver.resolve(resolver.encode_hbm(sip, cube, pe, offset))
    node = f"sip{sip}.cube{cube}.hbm_ctrl.pe{pe}"
    assert target == Target(node, "hbm", sip, cube, offset, pe, offset >> 8 & 7)


@given(st.integers(0, 1), st.integers(0, 15), st.integers(0, (32 << 20) - 1))
def test_a_place_in_sram_comes_back(resolver: AddressResolver, sip: int, cube: int, offset: int):
    target = resolver.resolve(resolver.encode_sram(sip, cube, offset))
    assert target == Target(f"sip{sip}.cube{cube}.sram", "sram", sip, cube, offset)


def test_slices_follow_each_other_and_bursts_go_round_the_pseudo_channels(resolver: AddressResolver):
    assert resolver.slice_bytes == 6 * GIB
    assert resolver.encode_hbm(0, 3, 2, 0) == encode(0, 3, 12 * GIB)
    assert [resolver.pseudo_channel(256 * k) for k in range(10)] == [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]
    assert [resolver.pseudo_channel(offset) for offset in (0, 255, 256, 2047, 2048)] == [0, 0, 1, 7, 0]


def test_an_io_chiplet_has_the_window_of_its_die(resolver: AddressResolver):
    assert resolver.resolve(encode(1, 16, 77)) == Target("sip1.io0.pcie_ep", "io", 1, 16, 77)


def test_parts_are_found_by_number(resolver: AddressResolver):
    assert resolver.find_m_cpu(1, 15) == "sip1.cube15.m_cpu"
    assert (resolver.find_pcie_ep(0), resolver.find_io_cpu(1)) == ("sip0.io0.pcie_ep", "sip1.io0.io_cpu")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.resolve(1 << 51), "address 0x8000000000000 does not fit 51 bits"),
        (lambda r: r.resolve(-1), "address -1 does not fit 51 bits"),
        (lambda r: r.resolve(encode(2, 0, 0)), "sip 2 of address 0x1000000000000 is outside this system "
         "(allowed: 0 to 1)"),
        (lambda r: r.resolve(encode(0, 17, 0)), "die 17 of address 0x440000000000 is outside this "
         "system (allowed: 16 to 16)"),
        (lambda r: r.resolve(encode(0, 0, 48 * GIB)), "offset 0xc00000000 of address 0xc00000000 is outside this "
         "system (allowed: 0 to 0xbffffffff)"),
        (lambda r: r.resolve(encode(0, 16, 1 << 40)), "offset 0x10000000000 of address 0x410000000000 is outside this "
         "system (allowed: 0 to 0xffffffffff)"),
        (lambda r: r.encode_hbm(0, 0, 8, 0), "pe 8 is outside this system (allowed: 0 to 7)"),
        (lambda r: r.encode_hbm(0, 16, 0, 0), "die 16 is outside this system (allowed: 0 to 15)"),
        (lambda r: r.encode_hbm(0, 0, 0, -1), "offset -1 is outside this system (allowed: 0 to 0x17fffffff)"),
        (lambda r: r.encode_sram(0, 0, 32 << 20), "offset 0x2000000 is outside this system (allowed: 0 to 0x1ffffff)"),
        (lambda r: r.find_io_cpu(0, 1), "io 1 is outside this system (allowed: 0 to 0)"),
        (lambda r: encode(16, 0, 0), "sip 16 does not fit its field (allowed: 0 to 15)"),
        (lambda r: encode(0, 32, 0), "die 32 does not fit its field (allowed: 0 to 31)"),
        (lambda r: encode(0, 0, 1 << 42), "offset 4398046511104 does not fit its field (allowed: 0 to 4398046511103)"),
    ],
)  # fmt: skip
def test_what_names_nothing_is_refused_by_its_field(resolver: AddressResolver, call, message: str):
    with pytest.raises(AddressError) as caught:
        call(resolver)
    assert str(caught.value) == f"<address>: {message}"


def test_a_cube_without_m_cpu_or_sram_says_so(tmp_path: Path):
    lines = [line for line in TRAY.splitlines(keepends=True) if not line.startswith(("  m_cpu:", "  sram:"))]
    resolver = AddressResolver(loaded(tmp_path, "".join(lines)))
    for call, what in ((lambda: resolver.find_m_cpu(0, 1), "M_CPU"), (lambda: resolver.encode_sram(0, 1, 0), "SRAM")):
        with pytest.raises(AddressError, match=f"cube 1 of sip 0 has no {what}"):
            call()


def test_a_system_may_give_its_sram_no_address_and_not_cut_bursts(tmp_path: Path):
    text = TRAY.replace("    sram_offset_gib: 128\n    sram_kib: 64\n", "")
    resolver = AddressResolver(loaded(tmp_path, text.replace("num_pcs: 8, burst_bytes: 256", "size: 3")))
    with pytest.raises(AddressError, match="gives its SRAM no addresses"):
        resolver.encode_sram(0, 0, 0)
    assert resolver.resolve(resolver.encode_hbm(0, 0, 1, 256)).pseudo_channel is None


def test_a_free_graph_has_no_addresses():
    with pytest.raises(InputError, match="a free graph has no addresses"):
        AddressResolver(load_system("trn1"))
