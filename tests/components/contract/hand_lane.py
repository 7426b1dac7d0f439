"""A lane for drivers of the core's parts: runs each work as soon as nothing holds it back, and notes its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from components.core.work import Work
from simcore.kernel import Environment


class HandLane:
    """Starts works in the order in which they become free; it has no issue port and refuses nothing."""

    def __init__(self, env: Environment, name: str, ended: Callable[[Work], None]) -> None:
        self.env = env
        self.name = name
        self._ended = ended

    def work(self, index: int, name: str, dispatch_ps: int, end_ps: int, waits: int = 0) -> Work:
        """A work of this lane."""
        return Work(index, name, self, dispatch_ps, end_ps, waits)

    def begin(self, works: Sequence[Work]) -> None:
        """Starts those that wait for nothing."""
        for work in works:
            if not work.waits:
                self.go(work)

    def go(self, work: Work) -> None:
        """``work`` waits for nothing any more."""
        self.env.spawn(self._story(work), f"{self.name}.{work.name}")

    def _story(self, work: Work):
        env = self.env
        if env.record is not None:
            env.record((env.now, self.name, "start", work.name))
        work.started(env.now)
        yield env.timeout(work.dispatch_ticks)
        work.dispatched(env.now)
        yield env.timeout(work.end_ticks - work.dispatch_ticks)
        work.ended(env.now)
        self._ended(work)
