"""Random stream documents that use every feature of the format, for tests that compare two computations.

:func:`random_program` makes one of any size from a seeded generator; :func:`programs` is the same as a hypothesis
strategy: it draws a list of drafts, so a failing example shrinks to the few instructions that matter.
"""

from __future__ import annotations

import random
from functools import cache

from hypothesis import strategies as st

from tests.reference.chooser import Chooser, DrawnChooser, RandomChooser
from tests.reference.drafts import Document, Draft, build_document
from tests.reference.draw_instructions import draw_edges, draw_leaf, draw_loop_fields
from tests.reference.setting import FEATURES, Setting, draw_head

__all__ = ["FEATURES", "programs", "random_program"]


def random_program(
    rng: random.Random, *, instructions: int, arch: str | None = None, features: frozenset[str] | None = None
) -> Document:
    """A valid stream document of ``instructions`` instructions, Loops and transfers not counted.

    ``arch`` None picks a generation; ``features`` None means all of :data:`FEATURES`.
    """
    choose = RandomChooser(rng)
    head, setting = draw_head(choose, arch, FEATURES if features is None else features)
    shape = choose.pick(((1,), (1,), (3,), (2, 1))) if setting.allows("many_blocks") else (1,)
    head["name"] = f"random-{rng.randrange(10**6)}"
    share, rest = divmod(instructions, sum(shape))
    sizes = [share + (1 if k < rest else 0) for k in range(sum(shape))]
    return build_document(head, [[_sequence(choose, setting, sizes.pop(0), 0) for _ in range(n)] for n in shape])


def _sequence(choose: Chooser, setting: Setting, count: int, depth: int) -> tuple[Draft, ...]:
    drafts = []
    while count > 0:
        if setting.allows("loops") and depth < 2 and choose.chance(6):
            size = min(count, 1 + choose.below(6))
            body = _sequence(choose, setting, size, depth + 1)
            drafts.append(Draft(draw_loop_fields(choose), draw_edges(choose, setting), body=body))
            count -= size
        else:
            drafts.append(draw_leaf(choose, setting))
            count -= 1
    return tuple(drafts)


@cache
def drafts(setting: Setting, *, depth: int = 2) -> st.SearchStrategy[Draft]:
    """One draft; a loop nests at most ``depth`` deep."""

    @st.composite
    def leaf_or_loop(draw: st.DrawFn) -> Draft:
        choose = DrawnChooser(draw)
        if depth == 0 or not setting.allows("loops") or not choose.chance(12):
            return draw_leaf(choose, setting)
        body = _counted(draw, drafts(setting, depth=depth - 1), 1 + choose.below(4))
        return Draft(draw_loop_fields(choose), draw_edges(choose, setting), body=body)

    return leaf_or_loop()


@st.composite
def programs(
    draw: st.DrawFn, *, arch: str | None = None, max_instructions: int = 15, features: frozenset[str] | None = None
) -> Document:
    """Documents of at most ``max_instructions`` top-level instructions in all; shrinks by dropping instructions."""
    choose = DrawnChooser(draw)
    head, setting = draw_head(choose, arch, FEATURES if features is None else features)
    one = drafts(setting)
    first = 1 + choose.below(max_instructions)
    others = choose.below(1 + min(2, max_instructions - first)) if setting.allows("many_blocks") else 0
    blocks = [_counted(draw, one, first), *(_counted(draw, one, 1) for _ in range(others))]
    return build_document(head, [blocks[:2], *([block] for block in blocks[2:])])


def _counted(draw: st.DrawFn, one: st.SearchStrategy[Draft], count: int) -> tuple[Draft, ...]:
    # A count that is drawn before its elements lets hypothesis drop any one of them; st.lists drops only small ones.
    return tuple(draw(one) for _ in range(count))
