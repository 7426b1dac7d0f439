"""The contract of a part, one check a rule. Each raises AssertionError that says what the part does instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from components.registry import Registered, build
from simcore.errors import InputError, KernbenchError
from simcore.kernel import Environment, PartError, Port, undrained
from tests.components.contract.bench import Driver
from tests.components.contract.play import NAME, Played, play

UNITS = ("_ns", "_ps", "_cycles", "_gbs", "_bytes", "_mhz", "_ghz", "_mm", "_pct")
"""How the name of a physical quantity ends."""


def check_it_drains(entry: Registered, driver: Driver) -> None:
    """After a batch nothing is in flight, queued or held, and nobody waits for more than a message."""
    played = play(entry, driver)
    assert undrained(played.env) == ()
    assert played.blocked == ()


def check_it_conserves_requests(entry: Registered, driver: Driver) -> None:
    """It accepts and completes as many requests as were sent, answers each, and moves as many bytes as it was given."""
    for batches in (1, 2):
        played = play(entry, driver, batches=batches)
        bench = played.bench
        sent = batches if not bench.once else 1
        assert bench.requests > 1, "a batch holds several requests"
        assert bench.part.accepted == sent * bench.requests
        assert bench.part.completed == sent * bench.requests
        assert bench.part.in_flight == 0
        assert len(bench.answers) == bench.requests
        assert (bench.batch_bytes is None) == (bench.moved_bytes is None)
        if bench.moved_bytes is not None:
            assert bench.moved_bytes() == sent * (bench.batch_bytes or 0) > 0


def check_it_starts_clean(entry: Registered, driver: Driver) -> None:
    """In a new environment the same batch gives the same log and the same answers."""
    assert _happenings(play(entry, driver)) == _happenings(play(entry, driver))


def check_a_second_batch_is_the_first_again(entry: Registered, driver: Driver) -> None:
    """In the same environment, later, the same batch gives the same log and answers, shifted in time.

    A part that is loaded once refuses the second batch in its own name; a new part beside it then plays it.
    """
    first, second, third = play(entry, driver, batches=3).batches
    assert first.answers, "a batch has answers"
    assert second == first
    assert third == first
    played = play(entry, driver)
    if played.bench.once:
        _refuses(played.bench.send_batch, "a second batch")


def check_the_log_changes_nothing(entry: Registered, driver: Driver) -> None:
    """With the log on there are rows, and every answer comes at the same time as without it."""
    logged, unlogged = play(entry, driver), play(entry, driver, logged=False)
    assert [batch.answers for batch in logged.batches] == [batch.answers for batch in unlogged.batches]
    assert logged.env.now == unlogged.env.now
    assert logged.batches[0].rows, "the log is empty"
    assert unlogged.batches[0].rows == []


def check_it_names_itself_in_errors(entry: Registered, driver: Driver) -> None:
    """A bad request, and a port that it does not have, are refused with its dotted path in the text."""
    parameters = driver.parameters(entry.impl)
    bench = driver.bench(Environment(), NAME, entry, parameters)
    assert bench.bad_requests or bench.refuses_nothing, "the driver knows no request that the part refuses"
    for what in bench.bad_requests:
        _refuses(driver.bench(Environment(), NAME, entry, parameters).bad_requests[what], what)
    env = Environment()
    with pytest.raises(PartError, match=rf"^{re.escape(NAME)} at 0 ps: has no port 'no_such_port' "):
        build(env, entry.kind, NAME, parameters, {"no_such_port": Port(env, "p", int)}, entry.impl)


def check_it_refuses_wrong_parameters(entry: Registered, driver: Driver) -> None:
    """An unknown key, a number that is negative, not finite or no number at all, and a missing key are refused."""
    valid = driver.parameters(entry.impl)
    assert set(valid) == set(entry.parameters.model_fields), "the driver gives every parameter"
    for key, wrong in _wrong_ones(valid):
        assert f": {NAME}.{key}: " in _refusal_of(entry, wrong), f"{key} does not refuse {wrong!r}"
    for key, field in entry.parameters.model_fields.items():
        if field.is_required():
            missing = {other: value for other, value in valid.items() if other != key}
            assert f": {NAME}.{key}: is missing" in _refusal_of(entry, missing)


def check_its_quantities_are_declared(entry: Registered, adr: Path) -> None:
    """A quantity that need not be whole has its unit in its name; a default of a quantity is what an ADR states.

    The field's description names the ADR, whose text holds the field's name and the value.
    """
    for key, field in entry.parameters.model_fields.items():
        if field.annotation in (Fraction, float):
            assert key.endswith(UNITS), f"{key} has no unit in its name (known: {', '.join(UNITS)})"
        if key.endswith(UNITS) and not field.is_required():
            number = re.match(r"ADR-(\d{4})\b", field.description or "")
            assert number is not None, f"{key} has a default of {field.default}, but no ADR in its description"
            (record,) = adr.glob(f"{number[1]}-*.md")
            stated = re.compile(rf"`{key}`.*\b{re.escape(str(field.default))}\b", re.DOTALL)
            paragraphs = record.read_text().split("\n\n")
            assert any(map(stated.search, paragraphs)), f"{record.name} does not state {field.default} for `{key}`"


def _happenings(played: Played) -> Any:
    return [(batch.rows, batch.answers) for batch in played.batches]


def _refuses(request: Any, what: str) -> None:
    try:
        request()
    except KernbenchError as error:
        assert NAME in str(error), f"{what}: the error does not name {NAME}: {error}"
    else:
        raise AssertionError(f"{what} was not refused")


def _refusal_of(entry: Registered, parameters: Mapping[str, object]) -> str:
    try:
        build(Environment(), entry.kind, NAME, parameters, {}, entry.impl)
    except InputError as error:
        return str(error)
    except PartError:
        pass  # the parameters were accepted, and then the ports were missing
    return "(accepted)"


def _wrong_ones(valid: Mapping[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
    """(key at fault, parameters with that one fault)."""
    yield "no_such_parameter", {**valid, "no_such_parameter": 1}
    for key, value in valid.items():
        for inner, wrong in _wrong_numbers(value):
            yield ".".join((key, *inner)), {**valid, key: wrong}


def _wrong_numbers(value: object) -> Iterator[tuple[tuple[str, ...], object]]:
    """(place inside ``value``, ``value`` with a number there that no part may accept), for each number in it."""
    if isinstance(value, int | float | Fraction):
        wrong: list[object] = [-1, float("nan"), float("inf"), float("-inf"), "1", None]
        for number in wrong if isinstance(value, bool) else [*wrong, True]:
            yield (), number
    elif isinstance(value, Mapping):
        for key in value:
            for place, wrong_value in _wrong_numbers(value[key]):
                yield (str(key), *place), {**value, key: wrong_value}
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            for place, wrong_value in _wrong_numbers(item):
                yield (str(i), *place), (*value[:i], wrong_value, *value[i + 1 :])
