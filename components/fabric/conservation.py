"""What a run must keep: every byte that was handed in has passed every link of its path once, and nothing is left.

The fabric counts bytes twice: when a flow is handed in, for the whole path, and when a link puts a flit on the wire.
Whenever the fabric has come to rest both are compared, link by link and part by part.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from simcore.errors import ModelBug

if TYPE_CHECKING:
    from components.fabric.flow import Flow
    from components.fabric.link import LinkBase


class Ledger:
    """What flows were to move, by link, and what was to start and to end at each part."""

    def __init__(self) -> None:
        self._expected: dict[LinkBase[Any], int] = {}
        self._into: dict[str, list[LinkBase[Any]]] = defaultdict(list)
        self._out_of: dict[str, list[LinkBase[Any]]] = defaultdict(list)
        self._started: dict[str, int] = defaultdict(int)
        self._ended: dict[str, int] = defaultdict(int)
        self._open: dict[LinkBase[Any], None] = {}
        """Links used since the last comparison."""

    def connect(self, link: LinkBase[Any]) -> None:
        """``link`` now leads from part to part."""
        assert link.source is not None and link.destination is not None
        self._expected[link] = 0
        self._out_of[link.source.name].append(link)
        self._into[link.destination.name].append(link)

    def submit(self, flow: Flow) -> None:
        """``flow`` is to cross its path."""
        for link in flow.path:
            self._expected[link] += flow.nbytes
            self._open[link] = None
        if flow.path:
            self._started[flow.path[0].source.name] += flow.nbytes  # type: ignore[union-attr]

    def end(self, flow: Flow) -> None:
        """``flow`` says that it has."""
        if flow.path:
            self._ended[flow.path[-1].destination.name] += flow.nbytes  # type: ignore[union-attr]

    def compare(self) -> None:
        """The fabric is at rest. Raises ModelBug, naming every link and part that does not add up."""
        faults = [fault for link in self._open for fault in self._faults_of_link(link)]
        ends = [hop for link in self._open for hop in (link.source, link.destination) if hop is not None]
        faults += [fault for name in dict.fromkeys(hop.name for hop in ends) for fault in self._faults_of_part(name)]
        if faults:
            raise ModelBug("the fabric has come to rest, but " + "; ".join(faults))
        self._open.clear()

    def _faults_of_link(self, link: LinkBase[Any]) -> list[str]:
        faults = []
        if link.moved_bytes != self._expected[link]:
            faults.append(f"{link.name} has moved {link.moved_bytes} bytes of {self._expected[link]}")
        if link.users or link.serving is not None:
            faults.append(f"{link.name} still has {len(link.users)} users")
        if link.room != link.buffer_bytes:
            faults.append(f"{link.name} has credits for {link.room} bytes of {link.buffer_bytes}")
        return faults

    def _faults_of_part(self, name: str) -> list[str]:
        came = sum(link.moved_bytes for link in self._into[name]) + self._started[name]
        went = sum(link.moved_bytes for link in self._out_of[name]) + self._ended[name]
        return [] if came == went else [f"{came} bytes have come to {name} and {went} have gone"]
