"""Benches are found by being there, and by their names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benches.contention import cases, registry
from benches.contention.findings import Findings
from benches.contention.registry import all_benches, bench, find_bench
from simcore.errors import InputError, ModelBug


def nothing() -> Findings:
    raise NotImplementedError


def test_every_module_of_the_cases_is_one_bench():
    modules = [path.stem for path in Path(cases.__path__[0]).glob("*.py") if path.stem != "__init__"]
    assert sorted(found.function.__module__.rpartition(".")[2] for found in all_benches()) == sorted(modules)


def test_benches_stand_in_the_order_of_their_names_and_say_in_a_line_what_they_are_for():
    names = [found.name for found in all_benches()]
    assert names == sorted(names)
    assert [b.name for b in all_benches() if len(b.purpose) > 100 or not re.fullmatch(r"[A-Z].*\.", b.purpose)] == []


def test_an_unknown_bench_is_refused_with_the_nearest_name():
    with pytest.raises(InputError, match=r'no bench "hottarget" .*did you mean "hot-target"'):
        find_bench("hottarget")


@pytest.mark.parametrize(
    ("name", "message"), [("hot-target", "a second bench"), ("Hot", "small words"), ("a--b", "small")]
)
def test_a_name_that_is_taken_or_badly_formed_is_a_fault_of_its_author(name: str, message: str):
    all_benches()
    with pytest.raises(ModelBug, match=message):
        bench(name, "Nothing.")(nothing)


def test_a_decorated_function_is_a_bench(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "_benches", {})
    assert bench("no-thing", "Nothing.")(nothing) is nothing
    assert (registry._benches["no-thing"].function, registry._benches["no-thing"].parameters) == (nothing, ())


def test_a_bench_on_a_system_of_its_own_takes_no_topology():
    with pytest.raises(InputError) as error:
        find_bench("duplex").values(["gbs=-1"], "trn2")
    assert str(error.value).splitlines()[:2] == [
        "--topology trn2: bench duplex runs on a system of its own",
        '--set gbs=-1: gbs: "-1" (expected a number)',
    ]


def test_a_topology_that_is_given_twice_is_refused():
    with pytest.raises(InputError, match="topology is set twice"):
        find_bench("transpose").values(["topology=trn1"], "trn2")


def test_the_topology_option_sets_the_parameter():
    assert find_bench("transpose").values(["kib=4"], "trn2") == {"kib": 4, "topology": "trn2"}
