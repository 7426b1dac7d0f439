"""What the links carried, as a process of its own: a slice for each transfer on each link, from first flit to last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benches.exact_ns import exact_ns
from benches.run_report.trace.records import Metadata, Slice, TransferArgs, names_of
from benches.run_report.trace.tracks import lowest_free
from simcore.units import TICKS_PER_NS

PROCESS = "links"


@dataclass(frozen=True, slots=True)
class OnLink:
    """One transfer on one link; times in ticks of the run."""

    link: str
    transfer: str
    nbytes: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class DrawnLinks:
    """All transfers, link by link, with the track of each. ``tracks[k]`` is what track ``k + 1`` is called."""

    pid: int
    rows: list[OnLink]
    tid: list[int]
    tracks: list[str]

    @classmethod
    def of(cls, carried: Sequence[OnLink], pid: int) -> DrawnLinks:
        """The layout: transfers of one link that overlap are on tracks of their own."""
        by_link: dict[str, list[OnLink]] = {}
        for row in carried:
            by_link.setdefault(row.link, []).append(row)
        rows: list[OnLink] = []
        tid: list[int] = []
        tracks: list[str] = []
        for link, own in by_link.items():
            own.sort(key=lambda row: row.begin)
            places = lowest_free([row.begin for row in own], [row.end for row in own])
            rows += own
            tid += [len(tracks) + 1 + place for place in places]
            tracks += [link if k == 0 else f"{link} ({k + 1})" for k in range(1 + max(places))]
        return cls(pid, rows, tid, tracks)

    @property
    def names(self) -> int:
        """Records that name the process and its tracks."""
        return 2 * (1 + len(self.tracks))


@dataclass(frozen=True, slots=True)
class LinkPiece:
    """Transfers ``begin..end`` of all, in one file."""

    drawn: DrawnLinks
    begin: int
    end: int

    def records(self) -> Iterator[Metadata | Slice]:
        """The names, then the slices."""
        d = self.drawn
        yield from names_of(PROCESS, d.pid, d.tracks)
        for row, tid in zip(d.rows[self.begin : self.end], d.tid[self.begin : self.end], strict=True):
            start, length = exact_ns(row.begin, TICKS_PER_NS), exact_ns(row.end - row.begin, TICKS_PER_NS)
            yield Slice(
                name=row.transfer,
                cat="transfer",
                ph="X",
                ts=exact_ns(row.begin, TICKS_PER_NS * 1000),
                dur=exact_ns(row.end - row.begin, TICKS_PER_NS * 1000),
                pid=d.pid,
                tid=tid,
                args=TransferArgs(bytes=row.nbytes, start_ns=start, duration_ns=length),
            )
