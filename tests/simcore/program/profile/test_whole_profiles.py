"""A profile that is cut, of another version, or whose rows belong elsewhere is refused by the name of its table."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from simcore.errors import InputError
from simcore.program.profile import read_profile
from tests.simcore.program.profile.small import profile, row

Change = Callable[[dict[str, Any]], None]


def _refused(document: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_profile(document, "p.json")
    return str(caught.value).split("\n")


def _half(table: str) -> Change:
    def cut(document: dict[str, Any]) -> None:
        document[table] = document[table][: len(document[table]) // 2]

    return cut


CUT: dict[str, tuple[Change, list[str]]] = {
    "half of the packets": (_half("dma"), ["dma: 240 packets, but the table summary counts 481: rows are missing"]),
    "half of the instructions": (
        _half("instruction"),
        [
            f"instruction: {there} rows of {label}, but the table summary counts {counted}: rows are missing"
            for label, there, counted in (
                ("Tensor", 120, 185),
                ("Vector", 33, 76),
                ("Scalar", 29, 67),
                ("GpSimd", 21, 64),
                ("Sync", 18, 50),
            )
        ],
    ),
    "no packet": (
        lambda document: document.update(dma=[]),
        ["dma: 0 packets, but the table summary counts 481: rows are missing"],
    ),
    "two rows of one engine": (
        lambda document: _drop(document, "Vector", 2),
        ["instruction: 74 rows of Vector, but the table summary counts 76: rows are missing"],
    ),
}


def _drop(document: dict[str, Any], label: str, count: int) -> None:
    startup = [r for r in document["instruction"] if r["label"] == label and not r.get("bir_id")]
    for unwanted in startup[:count]:
        document["instruction"].remove(unwanted)


@pytest.mark.parametrize("what", CUT)
def test_a_table_with_fewer_rows_than_the_summary_counts_is_refused(what: str, documents: dict[str, Any]) -> None:
    change, said = CUT[what]
    document = copy.deepcopy(documents["fused_fp32_s512"])
    change(document)
    assert _refused(document) == [f"p.json: {line}" for line in said]


def test_one_row_of_an_engine_may_be_unlisted_as_in_a_known_profile(documents: dict[str, Any]) -> None:
    document = copy.deepcopy(documents["fused_fp32_s512"])
    _drop(document, "Vector", 1)
    assert read_profile(document, "p.json").measured is not None
    sync = [r for r in documents["baseline_fp32_s1024"]["instruction"] if r["label"] == "Sync"]
    assert documents["baseline_fp32_s1024"]["summary"][0]["sync_engine_instruction_count"] == len(sync) + 1


def test_rows_later_than_the_last_stamp_are_refused() -> None:
    document = profile(row(1, "a", 0), row(2, "b", 37_992), row(3, "c", 37_993))
    assert _refused(document) == [
        "p.json: instruction: 1 rows end after metadata's last_hw_timestamp 38091: other units, or another run"
    ]


@pytest.mark.parametrize("version", [7, 9])
def test_another_data_version_is_refused(version: int) -> None:
    metadata = {**profile()["metadata"][0], "data_version": version}
    assert _refused(profile(row(1, "a", 0), metadata=[metadata])) == [
        f"p.json: metadata[0].data_version: {version}, a profile of another version (allowed: 8)"
    ]


def test_a_data_version_that_is_not_told_is_a_note() -> None:
    metadata = {k: v for k, v in profile()["metadata"][0].items() if k != "data_version"}
    loaded = read_profile(profile(row(1, "a", 0), metadata=[metadata]), "p.json")
    assert loaded.notes == ["the table metadata tells no data_version: read as version 8"]


def test_an_empty_table_of_metadata_is_named_once() -> None:
    assert _refused(profile(row(1, "a", 0), metadata=[])) == ["p.json: metadata: the table is empty"]
