"""What the predecessor (ywkang/kernbench2, May 2026) publishes about its last stage, and why it may differ here."""

from __future__ import annotations

from dataclasses import dataclass

SIZE = 16 * 1024
"""Bytes of each DMA, unless a row says otherwise."""


@dataclass(frozen=True, slots=True)
class Published:
    """A row. ``value_ns``: as printed there; ``reading``: what of it is explained and what is not."""

    name: str
    value_ns: float
    reading: str


ROUTER = "overheads of routers are not published for that stage (here 0); one router more costs 5 ns there"
LONE = {
    "own slice, 16 KiB": Published(
        "own slice, 16 KiB",
        77,
        "bytes / 256 + 8 of the last burst on both sides; of the 5 ns left there, 1 is a flit here",
    ),
    "own slice, 32 KiB": Published("own slice, 32 KiB", 141, "as above, 64 ns more on both sides"),
    "farthest cube, opposite PE": Published(
        "farthest cube, opposite PE",
        573,
        f"bulk 128 and six crossings of 16 on both sides; {ROUTER}; here with the answer",
    ),
    "other package, same PE": Published(
        "other package, same PE", 409, "bulk paid three times on both sides; here with the answer's way home"
    ),
    "host write, 64 KiB": Published(
        "host write, 64 KiB", 545, "bulk 512 + 8 on both sides; there 25 ns of way, here also the answer's way home"
    ),
    "host write, 1 MiB": Published("host write, 1 MiB", 8230, "bulk 8192 + 8 on both sides, the rest as above"),
}
CROWD = {
    "hot slice, 1 PE": Published("hot slice, 1 PE", 82, ROUTER),
    "hot slice, 2 PEs": Published("hot slice, 2 PEs", 158, "steps of 76 and 72 there; 64, the slice's rate, here"),
    "hot slice, 3 PEs": Published("hot slice, 3 PEs", 230, "as above"),
    "8 PEs to one slice": Published("8 PEs to one slice", 558, "8 x 64 = 512 on both sides, and the way"),
    "8 PEs to one of the next cube": Published(
        "8 PEs to one of the next cube",
        963,
        "one connection of 128 GB/s carries 7 of 8 there and all 8 here, where one path serves the whole side",
    ),
    "128 PEs to their own slices": Published("128 PEs to their own slices", 77, "nobody meets anybody on either side"),
    "128 PEs to one slice": Published(
        "128 PEs to one slice",
        15650,
        "there 120 transfers enter by one connection of 128 GB/s (15,360 ns); here 96 by one from the south (12,288)",
    ),
}
ALL_REDUCE = {
    256: (1678.04, 1762.04, 2002.04),
    2048: (1957.04, 2293.04, 3541.04),
    16384: (4225.04, 6577.04, 15889.04),
    65536: (12001.04, 21265.04, 58225.04),
}
"""Bytes per PE -> ns with slots in TCM, SRAM, HBM: torus of 6 packages, root in the corner."""
ALL_REDUCE_HOPS = 12
"""On its critical path; at each a slot is written and read once."""
