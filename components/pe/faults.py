"""What a kernel can do wrong while it runs: its own fault, not the model's."""

from __future__ import annotations

from simcore.kernel import PartError


class ProgramFault(PartError):
    """The kernel asks for something that cannot be: exit code 2."""

    exit_code = 2


class PageFault(ProgramFault):
    """An access touches a page that is not mapped."""
