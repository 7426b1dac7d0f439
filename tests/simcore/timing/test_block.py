"""Block processing: compute after load, before store; and double buffering by composition."""

from __future__ import annotations

import pytest

from simcore.kernel import Environment
from simcore.timing.attach import TimedDelay
from simcore.timing.block import Block, BlockFiring, BlockStream, block_firing, compute_blocks
from simcore.timing.clock import Clock
from simcore.timing.loop import LoopModel

CLOCK = Clock.of_hz(10**9)
LOOP = LoopModel("cycles", "n", latency=10, ii=2, from_seed=True)


def test_the_compute_lies_between_load_and_store() -> None:
    delay = TimedDelay("filter", CLOCK, LOOP).ticks({"n": 46})
    assert delay == 100_000
    assert block_firing(0, 46_000, delay, 20_000) == BlockFiring(46_000, 146_000, 166_000)
    # A stalled load pushes everything behind it, by its own length.
    assert block_firing(0, 60_000, delay, 20_000).stored == 180_000


def total(blocks: int, depth: int, load: int, compute_n: int, store: int) -> int:
    """When the last of ``blocks`` is stored (ns), with streams of ``depth`` before and after the compute."""
    env = Environment()
    loaded, computed = BlockStream(env, "loaded", depth), BlockStream(env, "computed", depth)
    timing = TimedDelay("filter", CLOCK, LOOP)

    def loads():
        for number in range(blocks):
            yield loaded.acquire_write()
            yield env.timeout(load * 1000)
            loaded.commit(Block(number, {"n": compute_n}))

    def stores():
        for number in range(blocks):
            block = yield computed.acquire_read()
            assert block.number == number
            yield env.timeout(store * 1000)
            computed.release()

    env.spawn(loads(), "load")
    env.spawn(compute_blocks(env, blocks, loaded, computed, timing.ticks), "compute")
    env.run(env.spawn(stores(), "store"))
    return env.now // 1000


def test_two_buffers_hide_load_and_store_behind_the_compute() -> None:
    load, compute, store = 70, 100, 40  # n = 46: 10 + 2 * 45
    assert total(8, 2, load, 46, store) == load + 8 * compute + store


def test_one_buffer_lets_a_load_wait_for_the_compute_before_it() -> None:
    load, compute, store = 70, 100, 40
    assert total(8, 1, load, 46, store) == 8 * (load + compute) + store


def test_the_slowest_of_the_three_sets_the_pace() -> None:
    assert total(8, 2, 300, 46, 40) == 8 * 300 + 100 + 40
    assert total(8, 2, 70, 46, 300) == 70 + 100 + 8 * 300


def test_a_stream_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        BlockStream(Environment(), "s", 0)
