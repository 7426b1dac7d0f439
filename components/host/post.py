"""Post: carries letters from CPU to CPU over the fabric, as transfers without payload (ADR-0048)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from components.fabric.fabric import Fabric
from components.fabric.flow import Flow
from components.host.orders import Letter
from components.memory.over_fabric import Path
from simcore.errors import hint
from simcore.kernel import PartError, Port


class Paths(Protocol):
    """What a topology knows about ways between parts."""

    def path(self, source: str, destination: str) -> Path:
        """The links from one part to another. Raises InputError if there is no way."""


class Post:
    """Stands at the other end of the ``inbox`` and ``outbox`` ports of parts."""

    def __init__(self, name: str, fabric: Fabric, paths: Paths) -> None:
        self.name = name
        self._fabric = fabric
        self._paths = paths
        self._boxes: dict[str, Callable[[Letter], None]] = {}

    def connect(self, part: str, inbox: Port[Letter], outbox: Port[Letter]) -> None:
        """Serves the ports of the part of that name."""
        inbox.attach("out", self)
        outbox.attach("in", self)
        outbox.hand_to(self.send)
        self.deliver_to(part, inbox.put)

    def deliver_to(self, part: str, box: Callable[[Letter], None]) -> None:
        """Gives the letters for the part of that name to ``box``."""
        self._boxes[part] = box

    def send(self, letter: Letter) -> None:
        """Sends ``letter`` now, as a transfer without payload. Raises PartError for a receiver without a box."""
        box = self._boxes.get(letter.receiver)
        if box is None:
            known = hint(letter.receiver, sorted(self._boxes))
            raise PartError(
                self.name, self._fabric.env.now, f"{letter.sender} writes to {letter.receiver}, who has no box {known}"
            )
        path = self._paths.path(letter.sender, letter.receiver)
        flow = Flow(f"{letter.body.tag} for {letter.receiver}", 0, path, None)
        self._fabric.submit(flow).callbacks.append(lambda _: box(letter))


def unloaded_ticks(path: Path) -> int:
    """What a transfer without payload takes over ``path`` if nothing is in the way; of an empty path, nothing."""
    if not path:
        return 0
    first = path[0].source
    assert first is not None
    ticks = first.overhead_ticks
    for link in path:
        assert link.destination is not None
        ticks += link.latency_ticks + link.destination.overhead_ticks
    return ticks
