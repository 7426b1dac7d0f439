"""The parts that kernbench ships: the modules that register each kind, imported when the kind is first asked for."""

from __future__ import annotations

BUILT_IN: dict[str, tuple[str, ...]] = {}
"""Modules by kind. A part that is not listed here is not found by its kind."""
