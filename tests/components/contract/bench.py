"""What a driver gives the contract suite: one part on a bench, with requests to send and a way to see the answers.

A registered part of kind K is driven by the module ``tests.components.contract.drivers.K``, which has

* ``parameters(impl)``: valid parameters, as a user writes them, every one of them given;
* ``bench(env, name, entry, parameters)``: the part, built by the registry, with everything it needs around it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from simpy.events import Event

from components.registry import Registered
from simcore.kernel import Environment, Part

DRIVERS = "tests.components.contract.drivers"


@dataclass
class Bench:
    """A part and its surroundings.

    ``send_batch`` sends ``requests`` requests from now on, with pauses, ties and contention; its event happens when
    the last one is answered. ``answers`` gathers (time in ps, what) of every answer. ``bad_requests`` are calls that
    the part must refuse; a part that has none says why (``refuses_nothing``). ``batch_bytes`` and ``moved_bytes``
    belong to parts that carry bytes: what a batch holds, and what the part says it has moved in all. A part that is
    loaded ``once`` refuses a second batch.
    """

    part: Part[Any]
    send_batch: Callable[[], Event]
    requests: int
    bad_requests: Mapping[str, Callable[[], object]]
    batch_bytes: int | None = None
    moved_bytes: Callable[[], int] | None = None
    once: bool = False
    refuses_nothing: str = ""
    answers: list[tuple[int, str]] = field(default_factory=list)


class Driver(Protocol):
    """A driver module."""

    def parameters(self, impl: str) -> dict[str, object]:
        """Valid parameters."""

    def bench(self, env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
        """The part under ``name``."""


def driver_of(kind: str) -> Driver:
    """The driver of ``kind``; fails with the name of the missing file if there is none."""
    name = f"{DRIVERS}.{kind}"
    try:
        return cast(Driver, importlib.import_module(name))
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        file = f"{name.replace('.', '/')}.py"
        raise AssertionError(f"{kind} is registered but has no driver: write {file}") from error
