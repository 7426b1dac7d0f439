"""Python's search for garbage in cycles, held back where it would cost more than the work itself."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """No search for garbage cycles inside: for code that makes millions of objects, all of them needed to the end.

    The search goes through everything that is alive, again and again as that grows, so it takes longest where it can
    find nothing. What is reference-counted is freed as ever.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
