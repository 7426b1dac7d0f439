"""Checks what was given as a part's parameters: all faults at once, each with its key and the nearest word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from simcore.errors import hint

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

M = TypeVar("M", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one parameter. ``key`` is its name, dotted where a parameter has fields of its own."""

    key: str
    message: str


def check_parameters(model: type[M], given: Mapping[str, object]) -> M | list[Fault]:
    """``given`` as a ``model``, or every fault: those of the known parameters in their order, then the unknown ones.

    Whoever knows where ``given`` was written can add a line to each fault by its key.
    """
    from pydantic import ValidationError

    try:
        return model.model_validate(given)
    except ValidationError as error:
        return [_fault(model, details) for details in error.errors()]


def _fault(model: type[BaseModel], details: ErrorDetails) -> Fault:
    place = details["loc"]
    key = ".".join(str(step) for step in place)
    match details["type"]:
        case "extra_forbidden":
            allowed = list(model.model_fields) if len(place) == 1 else []
            message = f"unknown parameter {hint(key, allowed)}" if allowed else "unknown parameter (none is allowed)"
        case "missing":
            message = "is missing (it has no default)"
        case "value_error":
            message = str(details["ctx"]["error"])
        case _:
            message = f"{details['msg'][:1].lower()}{details['msg'][1:]}, not {details['input']!r}"
    return Fault(key, message)
