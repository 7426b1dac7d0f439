"""The search for garbage is held back inside, and as it was before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from simcore.garbage import collection_paused


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.enable()


def test_it_is_off_inside_and_on_again_after_the_outermost() -> None:
    with collection_paused():
        with collection_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_is_on_again_after_an_error() -> None:
    with pytest.raises(KeyError), collection_paused():
        raise KeyError
    assert gc.isenabled()


def test_who_has_switched_it_off_finds_it_off() -> None:
    gc.disable()
    with collection_paused():
        pass
    assert not gc.isenabled()
