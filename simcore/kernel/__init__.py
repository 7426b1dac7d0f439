"""The SimPy ground of the machine.

* :class:`Environment` keeps an integer picosecond clock, starts processes (``spawn``) and runs until the program's
  completion event has happened (``run``). A delay that is not an ``int`` of ticks is refused where it enters.
* :class:`Part` is the contract of a piece of hardware; :class:`Port` carries its messages, :class:`Channel` guards what
  only so many may use at once, :class:`Countdown` turns n arrivals into one event.
* A run that cannot go on says why: :class:`Deadlock` (who holds, who waits, for which instruction, since when) or
  :class:`Livelock` (what repeats while the clock stands still).

What it costs: only what really takes time or really waits becomes an event. A free slot, a message that is there and a
port with a handler are handed over in place.
"""

from simcore.kernel.channel import Channel, Token
from simcore.kernel.clock import Timeout, show_ticks
from simcore.kernel.deadlock import Deadlock
from simcore.kernel.drain import undrained
from simcore.kernel.environment import INSTANT_LIMIT, Environment
from simcore.kernel.errors import (
    ChannelMisuse,
    CountdownMisuse,
    DelayRefused,
    Fault,
    InvalidYield,
    KernelError,
    PartError,
    PortMisuse,
)
from simcore.kernel.event_log import Record, Row
from simcore.kernel.events import Countdown, settle
from simcore.kernel.livelock import Livelock
from simcore.kernel.naming import Named
from simcore.kernel.part import Part, PortSpec
from simcore.kernel.port import Arrival, Direction, Port
from simcore.kernel.process import Process, Story
from simcore.kernel.waits import Holder, Wait, Waiting

__all__ = [
    "INSTANT_LIMIT",
    "Arrival",
    "Channel",
    "ChannelMisuse",
    "Countdown",
    "CountdownMisuse",
    "Deadlock",
    "DelayRefused",
    "Direction",
    "Environment",
    "Fault",
    "Holder",
    "InvalidYield",
    "KernelError",
    "Livelock",
    "Named",
    "Part",
    "PartError",
    "Port",
    "PortMisuse",
    "PortSpec",
    "Process",
    "Record",
    "Row",
    "Story",
    "Timeout",
    "Token",
    "Wait",
    "Waiting",
    "settle",
    "show_ticks",
    "undrained",
]
