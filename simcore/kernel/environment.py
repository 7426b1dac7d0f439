"""The environment: SimPy's, with an integer clock, named processes and a run that ends only when the program is done.

At one instant, things happen in the order in which they were caused; a new process starts before what was caused
earlier at the same instant. Nothing depends on hash order, so equal inputs give equal runs.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

import simpy
from simpy.core import BoundClass
from simpy.events import NORMAL, PENDING, Event, EventPriority

from simcore.kernel.clock import Timeout, refusal, show_ticks
from simcore.kernel.errors import KernelError
from simcore.kernel.event_log import Record, Row
from simcore.kernel.livelock import WATCHED, caught, happening, owner
from simcore.kernel.naming import Named
from simcore.kernel.process import Process, Story

if TYPE_CHECKING:
    from simcore.kernel.channel import Channel
    from simcore.kernel.part import Part
    from simcore.kernel.port import Port

INSTANT_LIMIT = 1_000_000
"""Events at one instant above which a run is called a livelock, unless the environment is given another limit."""


class Environment(simpy.Environment):
    """Where the parts of one machine live. Time is an ``int`` of picoseconds and starts at 0.

    ``log`` receives the rows of the event log; without one none are made. ``instant_limit`` must exceed the events
    that the program can cause at one instant: several for every instruction, if all of them may cost nothing.
    """

    now: int = 0
    """The simulated time in picoseconds; a plain attribute, since every part reads it all the time."""

    _now: int
    _queue: list[tuple[int, EventPriority, int, Event]]  # type: ignore[assignment]
    _active_proc: Process | None

    def __init__(self, log: list[Row] | None = None, *, instant_limit: int = INSTANT_LIMIT) -> None:
        super().__init__()
        self.record: Record | None = None if log is None else log.append
        """Appends a row to the log, or None: to be asked once, when a part is built."""
        self.instant_limit = instant_limit
        self.processes: dict[Process, None] = {}
        """Processes that have not ended, in order of start."""
        self.parts: list[Part[Any]] = []
        self.ports: list[Port[Any]] = []
        self.channels: list[Channel] = []
        self._names: set[str] = set()

    def claim(self, name: str) -> None:
        """Takes ``name`` for a part, port or channel; a name that is taken is an error."""
        if name in self._names:
            raise KernelError(name, self.now, "this name is already taken by another part, port or channel")
        self._names.add(name)

    def schedule(self, event: Event, priority: EventPriority = NORMAL, delay: int = 0) -> None:  # type: ignore[override]
        """Lets ``event`` happen in ``delay`` ticks. The one place where time enters: refuses all but an int >= 0."""
        if type(delay) is not int or delay < 0:
            raise refusal(delay, self._who(), self.now)
        heappush(self._queue, (self.now + delay, priority, next(self._eid), event))

    if TYPE_CHECKING:

        def timeout(self, delay: int = 0, value: Any = None) -> Timeout:  # type: ignore[override]
            """A new event that happens in ``delay`` ticks (picoseconds)."""

        def event(self) -> Event:
            """A new event that somebody will have to make happen."""

    else:
        timeout = BoundClass(Timeout)
        event = BoundClass(Event)

    def succeed_in(self, event: Event, delay: int, value: Any = None) -> None:
        """Makes ``event`` happen in ``delay`` ticks, for the price of one timeout instead of a timeout and an event."""
        if event._value is not PENDING:
            raise KernelError(self._who(), self.now, f"{event} was already made to happen")
        self.schedule(event, NORMAL, delay)
        event._ok = True
        event._value = value

    def spawn(self, story: Story, name: str, owner: Named | None = None) -> Process:
        """Starts a process that runs ``story`` under ``name``, at this instant; ``owner`` is the part it belongs to."""
        return Process(self, story, name, owner)

    def process(self, generator: Story) -> Process:
        """SimPy's way to start a process: :meth:`spawn` under the generator's own name."""
        return self.spawn(generator, getattr(generator, "__name__", "process"))

    @property
    def me(self) -> Process:
        """The process that is running now; what it passes as ``who`` when it acquires a channel."""
        if self._active_proc is None:
            raise KernelError("(no process)", self.now, "env.me was asked for outside a process")
        return self._active_proc

    def step(self) -> None:
        """Refused: a single step would be outside the checks that :meth:`run` makes."""
        raise KernelError("(the run)", self.now, "a machine is run to its completion event, not stepped")

    def run(self, until: object = None) -> Any:
        """Lets things happen until the completion event ``until`` has happened; returns its value.

        Raises Deadlock if nothing is left to happen before that, Livelock if more than ``instant_limit`` events
        happen at one instant, PortMisuse if a port is not connected. An error raised by a process leaves as it is,
        with its type and fields, and a note of the process and the simulated time; the clock stays at that time.
        """
        if not isinstance(until, Event):
            raise KernelError("(the run)", self.now, f"a run ends at its completion event, not at {until!r}")
        for port in self.ports:
            port.check_connected()
        if until.callbacks is not None:
            self._run(until)
        return until.value

    def _run(self, until: Event) -> None:
        queue = self._queue
        now = self.now
        left = limit = self.instant_limit
        last: list[str] = []
        while queue:
            at, _, _, event = heappop(queue)
            if at != now:
                self._now = self.now = now = at
                left = limit - 1
                last.clear()
            else:
                left -= 1
                if left < WATCHED:
                    if left < 0:
                        raise caught(now, limit, last)
                    last.append(happening(event))
            callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]
            try:
                for callback in callbacks:
                    callback(event)
            except Exception as error:
                where = owner(callback) if self._active_proc is None else self._active_proc.name
                error.add_note(f"in {where} at {show_ticks(now)}")
                raise
            if not event._ok and not event.defused:
                raise event._value
            if event is until:
                return
        from simcore.kernel.deadlock import diagnose

        raise diagnose(self)

    def _who(self) -> str:
        return "(no process)" if self._active_proc is None else self._active_proc.name
