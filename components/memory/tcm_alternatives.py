"""The TCMs that ADR-0040 weighed and turned down, so that an experiment can put them in the place of the real one."""

from __future__ import annotations

from components.memory.tcm import Tcm
from components.registry import register
from simcore.kernel import Channel


@register("tcm", "shared_channel")
class SharedChannelTcm(Tcm):
    """Alternative A1: reads and writes take one channel, one at a time, each at its own direction's rate."""

    def channels(self) -> tuple[Channel, Channel]:
        """One channel of one slot, twice."""
        shared = Channel(self.env, f"{self.name}.shared")
        return shared, shared


@register("tcm", "two_banks")
class TwoBankTcm(Tcm):
    """Alternative A2: two requests of a direction are served at a time, each at the direction's full rate."""

    def channels(self) -> tuple[Channel, Channel]:
        """A channel of two slots for each direction."""
        return Channel(self.env, f"{self.name}.read", 2), Channel(self.env, f"{self.name}.write", 2)
