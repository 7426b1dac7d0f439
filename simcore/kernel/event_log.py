"""The event log: plain tuples in the order in which things happened.

A log is a list handed to the environment, or None. Whoever writes to it asks ``env.record`` once, when it is built;
the hot path then tests one name against None, and a run without a log builds no tuple::

    record = env.record
    ...
    if record is not None:
        record((env.now, self.name, "start", instruction))
"""

from __future__ import annotations

from collections.abc import Callable

Row = tuple[int, str, str, str, *tuple[int | str, ...]]
"""``(at_ps, name, what, instruction, ...)``: the time, the part or channel, what happened to it, on behalf of which
instruction or request; further fields belong to the ``what``."""

Record = Callable[[Row], None]
