"""Engines as programs name them, and the twelve lanes that PerfSim keeps time on.

Lanes 0..7 have the engines' numbers (``bir::EngineType``); 8..11 are the collective-compute streams.
"""

from __future__ import annotations

from enum import IntEnum


class Engine(IntEnum):
    """The engine field of an instruction."""

    Unassigned = 0
    Pool = 1
    Activation = 2
    PE = 3
    DMA = 4
    DVE = 5
    SP = 6
    ALL = 7


class Lane(IntEnum):
    """One of PerfSim's timelines; ``ALL`` is the barrier lane."""

    Unassigned = 0
    Pool = 1
    Activation = 2
    PE = 3
    DMA = 4
    DVE = 5
    SP = 6
    ALL = 7
    CCStream0 = 8
    CCStream1 = 9
    CCStream2 = 10
    CCStream3 = 11


BARRIER_LANES = (Lane.Activation, Lane.DVE, Lane.PE, Lane.Pool, Lane.SP)
"""The lanes an all-engine barrier waits for (DMA and collective lanes are not among them)."""

MAX_STREAM_ID = 3
"""Highest collective stream; ``stream_id`` 0..3 maps to lanes 8..11."""
