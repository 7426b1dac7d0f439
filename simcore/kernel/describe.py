"""What an event is, in the words of a report."""

from __future__ import annotations

from simpy.events import Event, Initialize

from simcore.kernel.channel import Token
from simcore.kernel.clock import Timeout
from simcore.kernel.events import Countdown
from simcore.kernel.port import Arrival
from simcore.kernel.process import Process


def describe(event: Event) -> str:
    """``channel tcm.read``, ``a message at port pe0.dma->pe0.tcm``, ``a delay of 5 ps``, ..."""
    match event:
        case Token():
            return f"channel {event.channel.name}"
        case Arrival():
            return f"a message at port {event.port.name}"
        case Process():
            return f"the end of process {event.name}"
        case Countdown():
            return f"countdown {event.name} ({event.missing} still to arrive)"
        case Timeout():
            return f"a delay of {event._delay} ps"
        case Initialize():
            return "its start"
        case _:
            return "an event"
