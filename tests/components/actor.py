"""Whoever stands at the other end of a part's port."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    name: str
