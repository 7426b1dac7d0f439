"""How well a number is known; every cost carries one of these into every report."""

from __future__ import annotations

from enum import IntEnum


class Provenance(IntEnum):
    """``documented``: published for this very instruction and generation. ``public``: printed by AWS. ``measured`` and
    ``fitted``: from a device. ``assumed``: a substitute of ours. ``given``: stated by the program. ``not_costed``: the
    oracle has no entry, the cost is 0.
    """

    documented = 0
    public = 1
    measured = 2
    fitted = 3
    assumed = 4
    given = 5
    not_costed = 6
