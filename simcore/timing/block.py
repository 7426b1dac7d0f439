"""Block processing: the compute of a block starts when all of it is loaded, and its store when the compute is done.

Two ways to use it. ``block_firing`` is the arithmetic of one firing. ``BlockStream`` and ``compute_blocks`` compose
load, compute and store as processes that run side by side over a stream of blocks: a stream of depth 2 is double
buffering.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass

from simpy.events import Event

from simcore.kernel import Environment, settle
from simcore.timing.model import Row


@dataclass(frozen=True, slots=True)
class BlockFiring:
    """One block's times, in ticks."""

    loaded: int
    computed: int
    stored: int


def block_firing(start: int, load_ticks: int, compute_ticks: int, store_ticks: int) -> BlockFiring:
    """A firing that loads from ``start`` on, then computes, then stores; a stall of either transfer just adds to it."""
    loaded = start + load_ticks
    computed = loaded + compute_ticks
    return BlockFiring(loaded, computed, computed + store_ticks)


@dataclass(frozen=True, slots=True)
class Block:
    """A block on its way: its number and the facts that its cost depends on."""

    number: int
    row: Row


class BlockStream:
    """A stream of blocks with room for ``depth`` of them between its writer and its reader.

    The writer takes a buffer (``acquire_write``), fills it, and hands it over (``commit``); the reader waits for the
    next block (``acquire_read``), uses it, and gives its buffer back (``release``). One writer, one reader, in order.
    """

    def __init__(self, env: Environment, name: str, depth: int) -> None:
        if depth < 1:
            raise ValueError(f"a stream of blocks holds at least one, not {depth}")
        self.env = env
        self.name = name
        self._free = depth
        self._full: deque[Block] = deque()
        self._writer: Event | None = None
        self._reader: Event | None = None

    def acquire_write(self) -> Event:
        """The event of a free buffer."""
        event = self.env.event()
        if self._free:
            self._free -= 1
            settle(event)
        else:
            self._writer = event
        return self.env.me.waiting_on(event, self.name, "a free buffer")

    def commit(self, block: Block) -> None:
        """Hands the filled buffer to the reader."""
        if self._reader is not None:
            reader, self._reader = self._reader, None
            reader.succeed(block)
        else:
            self._full.append(block)

    def acquire_read(self) -> Event:
        """The event of the next block; its value is the block."""
        event = self.env.event()
        if self._full:
            settle(event, self._full.popleft())
        else:
            self._reader = event
        return self.env.me.waiting_on(event, self.name, "the next block")

    def release(self) -> None:
        """Gives the buffer of the block that was read back to the writer."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.succeed()
        else:
            self._free += 1


def compute_blocks(
    env: Environment, blocks: int, source: BlockStream, sink: BlockStream, ticks: Callable[[Row], int]
) -> Generator[Event, Block, None]:
    """The compute between two streams of blocks: waits for a whole block, charges ``ticks`` of it, hands it on."""
    for _ in range(blocks):
        block = yield source.acquire_read()
        yield sink.acquire_write()
        yield env.timeout(ticks(block.row))
        source.release()
        sink.commit(block)
