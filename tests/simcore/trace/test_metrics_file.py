"""Metric files: both forms, read-back, merging, and what a damaged file does (nothing, to itself)."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.trace.backend_metrics import BackendMetric
from simcore.trace.metrics import Aggregation, MetricKey, MetricStore
from simcore.trace.metrics_file import Form, read_metrics, write_metrics


def latency(module: str, value: int | float) -> MetricStore:
    store = MetricStore()
    store.add(MetricKey.backend(Aggregation.Custom, module, BackendMetric.PostSchedEstLatency), value)
    return store


NESTED = """\
{
 "m": {
  "backend": {
   "PostSchedEstLatency": 1234
  }
 }
}
"""
FLAT = """\
{
 "m": {
  "backend::PostSchedEstLatency": 1234
 }
}
"""


@pytest.mark.parametrize(("form", "text"), [(None, NESTED), (Form.NESTED, NESTED), (Form.FLAT, FLAT)])
def test_a_new_file_has_the_form_asked_for_and_is_nested_by_default(form: Form | None, text: str, tmp_path: Path):
    write_metrics(tmp_path / "m.json", latency("m", 1234), form)
    assert (tmp_path / "m.json").read_text() == text


@pytest.mark.parametrize("text", [NESTED, FLAT])
def test_reading_back_gives_32_bit_floats_without_an_aggregation(text: str, tmp_path: Path):
    path = tmp_path / "m.json"
    path.write_text(text.replace("1234", "16777217"))
    store = read_metrics(path)
    assert store.values == {MetricKey(Aggregation.none, "m", "backend::PostSchedEstLatency"): 16777216.0}
    assert [type(value) for value in store.values.values()] == [float]


def test_names_that_are_not_in_the_table_are_read_too(tmp_path: Path):
    path = tmp_path / "m.json"
    path.write_text('{"m": {"backend": {"LocalInLoadTotalDMASize": 0.1}, "front": {"X": -2}}}')
    assert read_metrics(path).values == {
        MetricKey(Aggregation.none, "m", "backend::LocalInLoadTotalDMASize"): 0.10000000149011612,
        MetricKey(Aggregation.none, "m", "front::X"): -2.0,
    }


OTHERS = """\
{
 "a": {
  "backend": {
   "PostSchedEstLatency": 12345678901
  }
 },
 "m": {
  "backend": {
   "PostSchedEstLatency": 5,
   "TotalCodeSize": 0.1
  },
  "front": {
   "X": 16777217
  }
 },
 "z": {}
}
"""


def test_merging_replaces_the_metric_and_keeps_all_others_to_the_digit(tmp_path: Path):
    path = tmp_path / "m.json"
    path.write_text(OTHERS)
    write_metrics(path, latency("m", 7))
    assert path.read_text() == OTHERS.replace('"PostSchedEstLatency": 5', '"PostSchedEstLatency": 7')
    write_metrics(path, latency("b", 9))
    assert path.read_text() == OTHERS.replace('"PostSchedEstLatency": 5', '"PostSchedEstLatency": 7').replace(
        ' "m": {', ' "b": {\n  "backend": {\n   "PostSchedEstLatency": 9\n  }\n },\n "m": {'
    )


def test_merging_keeps_the_form_of_the_file_unless_another_is_asked_for(tmp_path: Path):
    path = tmp_path / "m.json"
    path.write_text(FLAT)
    write_metrics(path, latency("m", 1234))
    assert path.read_text() == FLAT
    write_metrics(path, MetricStore(), Form.NESTED)
    assert path.read_text() == NESTED
    write_metrics(path, MetricStore(), Form.FLAT)
    assert path.read_text() == FLAT


def test_the_order_of_writing_does_not_show(tmp_path: Path):
    for name, order in (("one", "abc"), ("two", "cab")):
        for module in order:
            write_metrics(tmp_path / name, latency(module, ord(module)))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_module_names_of_any_script_come_back(tmp_path: Path):
    write_metrics(tmp_path / "m.json", latency("ядро/é", 1))
    assert [key.module for key in read_metrics(tmp_path / "m.json").values] == ["ядро/é"]


MALFORMED = {
    "empty": ("", ["the file is empty (expected a metric file)"]),
    "truncated": ('{"m": {', ["1:8: the file ends inside the document (truncated?)"]),
    "no mapping": ("[1]", ["1:1: expected a mapping of modules"]),
    "a module that is a number": ('{"m": 5}', ["1:7: module m: expected a mapping of metrics"]),
    "text for a number": (
        '{"m": {"backend": {"X": "5"}}}',
        ["1:25: backend::X: expected a number up to 3.402823e+38 in size"],
    ),
    "truth value": (
        '{"m": {"backend::X": true}}',
        ["1:22: backend::X: expected a number up to 3.402823e+38 in size"],
    ),
    "beyond 32 bits": (
        '{"m": {"backend::X": 1e39}}',
        ["1:22: backend::X: expected a number up to 3.402823e+38 in size"],
    ),
    "not a number": (
        '{"m": {"backend::X": NaN}}',
        ["1:22: backend::X: expected a number up to 3.402823e+38 in size"],
    ),
    "a list for a group": ('{"m": {"backend": [1]}}', ["1:19: backend: expected a number or a group of numbers"]),
    "no group": ('{"m": {"X": 5}}', ['1:13: metric "X" has no group (expected group::name)']),
    "a separator in a group": ('{"m": {"a::b": {"X": 5}}}', ['1:16: group "a::b" contains ::']),
    "two forms": (
        '{"m": {"a::X": 5},\n "n": {"a": {"X": 5}}}',
        ["2:13: a: nested form in a file whose form is flat"],
    ),
    "twice the same module": (
        '{"m": {},\n "m": {}}',
        ['2:2: the key "m" stands twice in one mapping'],
    ),
    "several faults": (
        '{"m": {"X": 5},\n "n": 3}',
        ['1:13: metric "X" has no group (expected group::name)', "2:7: module n: expected a mapping of metrics"],
    ),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_file_is_refused_with_every_fault_and_stays_as_it_is(kind: str, tmp_path: Path):
    text, faults = MALFORMED[kind]
    path = tmp_path / "m.json"
    path.write_text(text)
    for use in (lambda: read_metrics(path), lambda: write_metrics(path, latency("m", 1))):
        with pytest.raises(InputError) as error:
            use()
        separators = [": " if kind == "empty" else ":"] * len(faults)
        assert str(error.value).split("\n") == [f"{path}{s}{f}" for s, f in zip(separators, faults, strict=True)]
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_or_a_missing_folder_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        write_metrics(tmp_path, latency("m", 1))
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        write_metrics(tmp_path / "none" / "m.json", latency("m", 1))
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        read_metrics(tmp_path / "none.json")
