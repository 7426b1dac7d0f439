"""Where random choices come from: a seeded generator, or hypothesis."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Chooser(Protocol):
    """Where choices come from; the first option is the simplest one."""

    def pick(self, options: Sequence[T], /) -> T: ...

    def below(self, bound: int, /) -> int: ...

    def chance(self, percent: int, /) -> bool: ...


class RandomChooser:
    """Choices of a seeded generator."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def pick(self, options: Sequence[T], /) -> T:
        return options[self.rng.randrange(len(options))]

    def below(self, bound: int, /) -> int:
        return self.rng.randrange(bound)

    def chance(self, percent: int, /) -> bool:
        return self.rng.randrange(100) < percent


class DrawnChooser:
    """Choices of hypothesis, which shrink towards the first option, 0 and False."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self.draw = draw

    def pick(self, options: Sequence[T], /) -> T:
        return options[self.below(len(options))]

    def below(self, bound: int, /) -> int:
        return self.draw(_below(bound))

    def chance(self, percent: int, /) -> bool:
        return self.below(100) >= 100 - percent


@cache
def _below(bound: int) -> st.SearchStrategy[int]:
    return st.integers(0, bound - 1)
