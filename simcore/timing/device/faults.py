"""What pydantic finds in a platform's records, in a user's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simcore.program.faults import kind_of, shown

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


def faults_of(error: ValidationError) -> list[tuple[str, str]]:
    """(place, what is wrong) of every fault that pydantic found in a platform's records."""
    return [(".".join(map(str, fault["loc"])), _message(fault)) for fault in error.errors()]


def _message(fault: ErrorDetails) -> str:
    match fault["type"]:
        case "value_error":
            return str(fault["ctx"]["error"])
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "unknown key"
        case "model_type":
            return f"expected a mapping, got {kind_of(fault['input'])}"
        case _:
            return f"{fault['msg'][:1].lower()}{fault['msg'][1:]}, not {shown(fault['input'])}"
