"""A part: the contract that every piece of hardware keeps, whatever it models.

A part is built from its name, its frozen parameters and the ports handed to it, and from nothing else. It declares its
ports, runs its processes under its name, counts the requests it accepts and completes, and names itself in errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from simcore.errors import hint
from simcore.kernel.errors import PartError
from simcore.kernel.port import Direction, Port
from simcore.kernel.process import Process, Story
from simcore.kernel.waits import Waiting

if TYPE_CHECKING:
    from pydantic import BaseModel

    from simcore.kernel.environment import Environment

P = TypeVar("P", bound="BaseModel")

_DOTTED_PATH = re.compile(r"[A-Za-z_][\w\-\[\]]*(\.[A-Za-z_][\w\-\[\]]*)*")


@dataclass(frozen=True, slots=True)
class PortSpec:
    """A port that a kind of part has: its name inside the part, its direction, the type of its messages.

    An ``optional`` one need not be handed in; the part then does without what it is for.
    """

    name: str
    direction: Direction
    message: type
    optional: bool = False


class Part(Generic[P]):
    """Base of every part. A subclass declares :attr:`port_specs` and starts its processes in its constructor."""

    port_specs: ClassVar[tuple[PortSpec, ...]] = ()

    def __init__(self, env: Environment, name: str, parameters: P, ports: Mapping[str, Port[Any]]) -> None:
        self.env = env
        self.name = name
        """Dotted path, unique in its environment."""
        if not _DOTTED_PATH.fullmatch(name):
            raise self.error("a part's name is a dotted path of words, such as pe0.tcm")
        if not type(parameters).model_config.get("frozen"):
            raise self.error(f"its parameters ({type(parameters).__name__}) must be a frozen pydantic model")
        self.parameters = parameters
        self.accepted = 0
        """Requests taken in so far; the part itself counts."""
        self.completed = 0
        """Requests finished so far; the part itself counts."""
        self.record = env.record
        """Writes a row to the event log, or None when there is none."""
        env.claim(name)
        env.parts.append(self)
        self.ports = dict(ports)
        self._connect()

    @property
    def in_flight(self) -> int:
        """Requests accepted and not completed."""
        return self.accepted - self.completed

    def spawn(self, story: Story, name: str) -> Process:
        """Starts a process of this part, called ``<part>.<name>``."""
        return self.env.spawn(story, f"{self.name}.{name}", owner=self)

    def waiting(self) -> Iterable[Waiting]:
        """What this part waits for outside its processes and channels: a callback that it left on an event.

        The deadlock report asks; a part that waits in processes only has nothing to add.
        """
        return ()

    def error(self, message: str) -> PartError:
        """An error that names this part and the simulated time, to be raised."""
        return PartError(self.name, self.env.now, message)

    def _connect(self) -> None:
        specs = {spec.name: spec for spec in self.port_specs}
        for name in self.ports:
            if name not in specs:
                raise self.error(f"has no port {name!r} {hint(name, list(specs))}")
        for name, spec in specs.items():
            if name not in self.ports:
                if spec.optional:
                    continue
                raise self.error(f"its port {name!r} ({spec.direction}, {spec.message.__name__}) is not connected")
            port = self.ports[name]
            if port.message is not spec.message:
                carried = f"{port.name} carries {port.message.__name__}"
                raise self.error(f"its port {name!r} is for {spec.message.__name__}, but {carried}")
            port.attach(spec.direction, self)
