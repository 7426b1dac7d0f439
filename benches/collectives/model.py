"""The result of a collective, as data: ``kernbench.collective/1``. Times in ns, bandwidths in GB/s, sizes in bytes."""

from __future__ import annotations

import msgspec

SCHEMA = "kernbench.collective/1"


class Phase(msgspec.Struct):
    """A phase. ``critical_ns``: of the time of the whole, what passes in this phase on the critical path, over
    ``critical_sends`` sends; over all phases that is the whole time."""

    name: str
    sends: int
    bytes: int
    critical_sends: int
    critical_ns: float


class BusiestLink(msgspec.Struct):
    """The link that is busy longest; no plan with these bytes on it takes less than ``busy_ns``."""

    src: str
    dst: str
    bytes: int
    busy_ns: float
    utilisation_pct: float


class Stream(msgspec.Struct):
    """A collective stream: bytes that its sends carry, and when the last one can be used."""

    stream: int
    bytes: int
    end_ns: float


class AlphaBeta(msgspec.Struct):
    """The analysis: ``time_ns`` = ``alpha_ns`` (latencies of ``steps`` sends, one after the other) + ``bytes_ns``.

    ``error_pct``: how much longer than that the simulation took (negative: shorter), in parts of it; None if it says no
    time.
    """

    time_ns: float
    steps: int
    alpha_ns: float
    bytes_ns: float
    error_pct: float | None


class Point(msgspec.Struct):
    """One size. ``algbw_gbs``: buffer by time; ``busbw_gbs``: that times the kind's factor; None where no time passes.

    ``bound_ns``: what no algorithm can beat on the bandwidth of the ranks; None if a rank has no link with a rate.
    """

    bytes: int
    time_ns: float
    algbw_gbs: float | None
    busbw_gbs: float | None
    alpha_beta: AlphaBeta
    bound_ns: float | None
    busiest_link: BusiestLink | None
    phases: list[Phase]
    streams: list[Stream]


class RootPlace(msgspec.Struct):
    """The largest size with another root. ``steps``: sends on the longest chain from rank to rank."""

    root: str
    rank: int
    steps: int
    time_ns: float


class CollectiveReport(msgspec.Struct):
    """``kernbench.collective/1``. ``ranks``: the parts, by number. ``streams``: what part of the data each carries.

    ``reduce_ns_per_byte`` 0: reductions are free; ``tier`` None: what has arrived can be used. ``bus_factor``: of the
    bus bandwidth. ``roots``: corner and centre, where the algorithm has a root in every package. ``notes``: what the
    times leave out.
    """

    schema: str
    topology: str
    arbitration: str
    kind: str
    algorithm: str
    ranks: list[str]
    grid: str | None
    root: int | None
    streams: dict[int, float]
    tier: str | None
    reduce_ns_per_byte: float
    bus_factor: float
    points: list[Point]
    roots: list[RootPlace]
    notes: list[str]
