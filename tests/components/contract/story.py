"""Prints what one batch does to every registered part: ``python -m tests.components.contract.story``."""

from __future__ import annotations

from components.registry import Registered, known_parts
from tests.components.contract.bench import Driver, driver_of
from tests.components.contract.play import play


def story(entry: Registered, driver: Driver) -> str:
    """The log and the answers of one batch, a line each."""
    (batch,) = play(entry, driver).batches
    return "".join(f"{row}\n" for row in (*batch.rows, *batch.answers))


def main() -> None:
    for entry in known_parts():
        print(f"# {entry.kind}/{entry.impl}")
        print(story(entry, driver_of(entry.kind)), end="")


if __name__ == "__main__":
    main()
