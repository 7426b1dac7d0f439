"""The examples of docs/experiments.md run, and what it lists is what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benches.experiments.works import KINDS, work_kind
from tests.benches.experiments.conftest import outcome_of


def yaml_blocks(guide: str) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)


def test_the_first_example_holds(guide: str, tmp_path: Path):
    assert outcome_of(yaml_blocks(guide)[0], tmp_path).holds


def test_the_set_up_that_computes_is_one(guide: str, tmp_path: Path):
    claim = "claims: [{says: x, formula: 'makespan_ns(four) == makespan_ns(two) and busy_ns(four, DVE) == 3200'}]"
    variants = "variants: {two: {}, four: {let: {banks: 4}}}"
    head = "schema: kernbench.experiment/1\nid: x\ntitle: t\n"
    outcome = outcome_of(f"{head}{yaml_blocks(guide)[1]}{variants}\n{claim}\n", tmp_path)
    assert outcome.holds, outcome.verdicts


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_and_metric_of_every_kind_of_work_is_in_the_guide(guide: str, kind: str):
    section = re.search(rf"^### `{kind}`.*?(?=^##)", guide, re.MULTILINE | re.DOTALL)
    assert section is not None
    work = work_kind(kind)
    words = [*work.model_fields.keys() - {"work"}, *(metric.name for metric in work.metrics)]
    assert sorted(word for word in words if not re.search(rf"`{word}[`(]", section[0])) == []
