"""What tests of parts share."""

from __future__ import annotations

import pytest

from components import registry, user_parts


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test registers or loads is forgotten after it."""
    shipped = {(entry.kind, entry.impl): entry for entry in registry.known_parts()}
    monkeypatch.setattr(registry, "_registered", shipped)
    monkeypatch.setattr(user_parts, "_loaded", {})
