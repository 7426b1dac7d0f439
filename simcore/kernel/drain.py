"""What a machine still contains: after a run that conserves its requests, nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simcore.kernel.environment import Environment


def undrained(env: Environment) -> tuple[str, ...]:
    """One line for each part with requests in flight, port with messages, channel held; in build order."""
    lines = [
        f"part {part.name}: {part.in_flight} of {part.accepted} requests in flight"
        for part in env.parts
        if part.in_flight != 0
    ]
    lines += [f"port {port.name}: {len(port.messages)} messages not taken" for port in env.ports if port.messages]
    lines += [
        f"channel {c.name}: {len(c.holders)} of {c.capacity} slots held, {len(c.waiters)} waiting"
        for c in env.channels
        if c.holders
    ]
    return tuple(lines)
