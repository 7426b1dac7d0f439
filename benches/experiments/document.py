"""An experiment file as it is written, checked for what can be said without running anything."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator

from benches.experiments.findings import not_empty
from benches.experiments.formula import is_word
from simcore.errors import hint

SCHEMA = "kernbench.experiment/1"

EACH = "each"
"""Stands in a claim for every variant in turn."""


def _variant_name(name: str) -> str:
    if not is_word(name) or name == EACH:
        raise ValueError(f"it cannot be a variant's name (allowed: one word, as a formula has it, but {EACH})")
    return name


def _id(value: str) -> str:
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", value):
        raise ValueError("it is no id (allowed: small letters, digits and single hyphens, such as ring-depth)")
    return value


def _adr(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}", value):
        raise ValueError('it is no number of a record (allowed: four digits in quotes, such as "0040")')
    return value


def _schema(value: object) -> str:
    if value != SCHEMA:
        raise ValueError(f"unknown schema {hint(value, [SCHEMA])}")
    return SCHEMA


Text = Annotated[str, AfterValidator(not_empty)]
Changes = dict[str, Any]


class ClaimEntry(BaseModel):
    """``says`` is the claim in words, ``formula`` what must hold; with ``each`` for a variant, for all of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    says: Text
    formula: Text


class ExperimentFile(BaseModel):
    """The file. ``base`` is the set-up of every variant before its changes; ``parts`` are files with a user's parts."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    schema_: Annotated[Literal["kernbench.experiment/1"], PlainValidator(_schema)] = Field(alias="schema")
    id: Annotated[str, AfterValidator(_id)]
    title: Text
    adr: Annotated[str, PlainValidator(_adr)] | None = None
    parts: list[Text] = []
    base: dict[str, Any]
    variants: Annotated[dict[Annotated[str, AfterValidator(_variant_name)], Changes], AfterValidator(not_empty)]
    claims: Annotated[list[ClaimEntry], AfterValidator(not_empty)]
