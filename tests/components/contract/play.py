"""Plays batches of a driver's requests on a part and keeps what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.registry import Registered
from simcore.kernel import Deadlock, Environment, Row, Wait
from tests.components.contract.bench import Bench, Driver

NAME = "sip0.dut"
"""What the part under test is called."""

PAUSE_PS = 12_345
"""Between two batches, so that a state that depends on the time shows."""


@dataclass(frozen=True)
class Batch:
    """What one batch showed, with times that count from its first request."""

    rows: list[Row]
    answers: list[tuple[int, str]]


@dataclass(frozen=True)
class Played:
    """A bench after its batches. ``blocked``: who still waited when nothing was left to happen."""

    env: Environment
    bench: Bench
    batches: list[Batch]
    blocked: tuple[Wait, ...]


def play(
    entry: Registered,
    driver: Driver,
    *,
    batches: int = 1,
    logged: bool = True,
    parameters: Mapping[str, object] | None = None,
) -> Played:
    """Plays ``batches`` batches, one after the other, on one part (or, if it is loaded once, each on a new one)."""
    log: list[Row] = []
    env = Environment(log if logged else None)
    given = parameters or driver.parameters(entry.impl)
    bench = driver.bench(env, NAME, entry, given)
    played = [_batch(env, bench, log, NAME)]
    for number in range(1, batches):
        env.run(env.timeout(PAUSE_PS))
        log.clear()
        name = NAME
        if bench.once:
            name = f"sip0.dut{number}"
            bench = driver.bench(env, name, entry, given)
        bench.answers.clear()
        played.append(_batch(env, bench, log, name))
    return Played(env, bench, played, run_dry(env))


def _batch(env: Environment, bench: Bench, log: list[Row], name: str) -> Batch:
    start = env.now
    env.run(bench.send_batch())
    run_dry(env)
    # A part of another name tells the same story; times count from the batch's start.
    rows = [(row[0] - start, *(_renamed(field, name) for field in row[1:])) for row in log]
    return Batch(rows, [(at - start, what) for at, what in bench.answers])


def _renamed(field: int | str, name: str) -> int | str:
    if isinstance(field, str) and (field == name or field.startswith(f"{name}.")):
        return NAME + field.removeprefix(name)
    return field


def run_dry(env: Environment) -> tuple[Wait, ...]:
    """Lets everything happen that is left; returns who then still waits for something other than a message."""
    try:
        env.run(env.event())
    except Deadlock as standstill:
        return standstill.blocked
    raise AssertionError("an event that nobody makes happen has happened")
