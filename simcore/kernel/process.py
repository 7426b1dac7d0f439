"""A process: a generator that yields events, with a name, the time since it waits and what for."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from simpy.events import Event
from simpy.events import Process as SimpyProcess

from simcore.kernel.errors import InvalidYield, KernelError
from simcore.kernel.naming import Named

if TYPE_CHECKING:
    from simcore.kernel.environment import Environment

Story = Generator[Event, Any, Any]
"""What a process runs: yields events, gets each event's value back."""


class Process(SimpyProcess):
    """A named SimPy process that hands on the very error object it was given.

    SimPy re-creates an exception from its ``args`` whenever it hands one on, which loses fields and turns an exception
    of two required arguments into a TypeError. Here a failed event throws its error object itself, and an error that
    leaves a process ends the run at once and as it is: no part can mistake it for a wait that is over.
    """

    name: str = ""
    env: Environment

    def __init__(self, env: Environment, generator: Story, name: str, owner: Named | None) -> None:
        self.name = name
        self.owner = owner
        """The part whose process this is."""
        self.since_ticks = env.now
        """When it last began to wait."""
        self.note: tuple[Event, Named | str, str, bool] | None = None
        """Set by :meth:`waiting_on`; holds for its first entry only."""
        self._send = generator.send
        super().__init__(env, generator)
        env.processes[self] = None

    def waiting_on(self, event: Event, on: Named | str, instruction: str, *, by_program: bool = False) -> Event:
        """Says who owes ``event`` and for which instruction it is awaited; returns ``event`` to be yielded.

        ``on`` is the part, process or channel that will make it happen, or a name where there is none, such as
        ``semaphore 3``. ``by_program`` marks a wait that the program asked for and that the program alone can end, so
        that a blockage there is the program's fault. Channels, ports and the end of a process need no such note.
        """
        self.note = (event, on, instruction, by_program)
        return event

    def interrupt(self, cause: object = None) -> None:
        """Refused: hardware is not interrupted, and the slot or message that is awaited would be lost in silence."""
        raise KernelError(self.name, self.env.now, f"a process of the machine cannot be interrupted ({cause!r})")

    def _resume(self, event: Event) -> None:
        env = self.env
        env._active_proc = self
        while True:
            try:
                if event._ok:
                    event = self._send(event._value)
                else:
                    event.defused = True
                    event = self._generator.throw(event._value)
            except StopIteration as stop:
                del env.processes[self]
                self.succeed(stop.value)
                break
            try:
                if event.callbacks is not None:
                    event.callbacks.append(self._resume)
                    self._target = event
                    self.since_ticks = env.now
                    break
            except AttributeError:
                event = self._refuse(event)
        env._active_proc = None

    def _refuse(self, yielded: object) -> Event:
        """A failed event that throws the error at the very ``yield`` that caused it."""
        refused = Event(self.env)
        refused._ok = False
        refused._value = InvalidYield(self.name, self.env.now, f"yielded {yielded!r}, which is not an event")
        return refused
