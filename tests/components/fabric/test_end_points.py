"""End points that take time for every flit: an HBM slice of eight channels, read and written."""

from __future__ import annotations

from fractions import Fraction

import pytest

from components.fabric.flow import Flow
from tests.components.fabric.bench_of_fabric import Built, built
from tests.components.fabric.channels import Channels
from tests.components.fabric.plain import PlainHop, PlainLink, PlainNetwork

BURST = 256
OVERHEAD_TICKS = 5000


def slice_of_hbm() -> tuple[Built, Channels]:
    """A PE, a router of 5 ns, an HBM controller; 256 GB/s there and back; 8 channels of 32 GB/s, 8 ns a burst."""
    hops = (PlainHop(), PlainHop(OVERHEAD_TICKS), PlainHop())
    rate = Fraction(256)
    links = (PlainLink(0, 1, rate, 0), PlainLink(1, 2, rate, 0), PlainLink(2, 1, rate, 0), PlainLink(1, 0, rate, 0))
    return built(PlainNetwork(BURST, hops, links, ())), Channels("hbm", 8, 8000, BURST)


def write(machine: Built, hbm: Channels, nbytes: int, address: int = 0, window: int | None = 32) -> Flow:
    return Flow(f"w{address}", nbytes, machine.path((0, 1)), window, sink=hbm.access(address, BURST))


def read(machine: Built, hbm: Channels, nbytes: int, address: int = 0, window: int | None = 32) -> Flow:
    return Flow(f"r{address}", nbytes, machine.path((2, 3)), window, source=hbm.access(address, BURST))


def end_ns(machine: Built, *flows: Flow) -> list[float]:
    events = [machine.fabric.submit(flow) for flow in flows]
    machine.env.run(machine.env.all_of(events))
    return [float(flow.ended_ticks) / 1000 for flow in flows]


@pytest.mark.parametrize(("nbytes", "drain_ns"), [(16384, 64), (32768, 128)])
def test_own_slice_is_bytes_over_rate_a_last_burst_the_overhead_and_a_flit_on_the_other_link(nbytes, drain_ns):
    machine, hbm = slice_of_hbm()
    assert end_ns(machine, write(machine, hbm, nbytes)) == [drain_ns + 8 + 5 + 1]
    machine, hbm = slice_of_hbm()
    assert end_ns(machine, read(machine, hbm, nbytes)) == [drain_ns + 8 + 5 + 1]
    assert hbm.served_bytes == nbytes


def test_transfers_that_start_at_one_channel_wait_there():
    machine, hbm = slice_of_hbm()
    one_burst = [write(machine, hbm, BURST, address) for address in (0, 8 * BURST, 16 * BURST)]
    assert end_ns(machine, *one_burst) == [15, 23, 31]


def test_transfers_that_start_at_different_channels_do_not():
    machine, hbm = slice_of_hbm()
    one_burst = [write(machine, hbm, BURST, address) for address in (0, BURST, 2 * BURST)]
    assert end_ns(machine, *one_burst) == [15, 16, 17]


def test_an_empty_transfer_passes_the_end_point_without_a_burst():
    machine, hbm = slice_of_hbm()
    assert end_ns(machine, write(machine, hbm, 0)) == [5]
    assert hbm.served_bytes == 0


def test_a_read_and_a_write_share_the_channels_which_are_never_idle():
    machine, hbm = slice_of_hbm()
    together = end_ns(machine, read(machine, hbm, 16384), write(machine, hbm, 16384))
    assert max(together) == 2 * 64 * 8 / 8
    assert min(together) > 64 + 8 + 5 + 1


def test_what_comes_by_another_way_finds_the_channels_as_they_are_at_that_time():
    def story(coalesce: bool) -> tuple[int, float, object]:
        machine, hbm = slice_of_hbm()
        machine.fabric._mover._coalesce = coalesce
        env, flow = machine.env, write(machine, hbm, 100 * BURST)
        done = machine.fabric.submit(flow)
        env.run(env.timeout(40_000))
        machine.fabric.before_outside_use(hbm)
        served = hbm.serve(0, BURST, env.now)
        env.run(done)
        return served, float(flow.ended_ticks), hbm.save()

    assert story(coalesce=True) == story(coalesce=False)
    assert story(coalesce=True)[0] < 60_000


def test_an_end_point_that_is_done_before_it_was_asked_is_a_fault_of_its_own():
    from simcore.errors import ModelBug

    class Early(Channels):
        def serve(self, address: int, nbytes: int, at_ticks: int) -> int:
            return at_ticks - 1

    machine, _ = slice_of_hbm()
    with pytest.raises(ModelBug, match="early says that flit 0, asked for at 5079 ps, is done at 5078"):
        end_ns(machine, write(machine, Early("early", 1, 0, BURST), 10))


def test_flits_leave_a_source_in_order_even_if_a_later_one_is_read_first():
    machine, hbm = slice_of_hbm()
    # Channel 0 is busy until 32 ns; the others are free, so that the flits behind the first are read by 8 ns.
    flow = read(machine, hbm, 4 * BURST)
    for _ in range(3):
        hbm.serve(0, BURST, 0)
    assert end_ns(machine, flow) == [32 + 1 + 5 + 4]


def test_flits_count_as_delivered_in_order_even_if_a_later_one_is_written_first():
    machine, hbm = slice_of_hbm()
    flow = write(machine, hbm, 4 * BURST, window=2)
    for _ in range(3):
        hbm.serve(0, BURST, 0)
    # The first flit is written at 32 ns; only then are the third and the fourth let go, 15 and 16 ns before their end.
    assert end_ns(machine, flow) == [32 + 16]


@pytest.mark.parametrize("nbytes", [128, 64 * BURST])
def test_an_end_point_that_takes_no_time_changes_nothing(nbytes: int):
    with_it, without = slice_of_hbm()[0], slice_of_hbm()[0]
    through = write(with_it, Channels("free", 1, 0, BURST), nbytes, window=8)
    plain = Flow("f", nbytes, without.path((0, 1)), 8)
    assert end_ns(with_it, through) == end_ns(without, plain)
