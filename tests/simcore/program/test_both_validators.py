"""The fast path into columns and the slow search for faults agree on what a program is."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import given, settings

from simcore.errors import InputError, Problem
from simcore.program.faults import Fault
from simcore.program.read import program_from_bytes
from simcore.program.validate import faults_of
from tests.simcore.program.mutations import documents


def problems_of(data: bytes) -> list[Problem]:
    """What is wrong with a file of these bytes."""
    try:
        program_from_bytes(data, "p")
    except InputError as error:
        return error.problems
    return []


def text_of(fault: Fault) -> str:
    """A fault as the text of a problem."""
    return f"{fault.subject}: {fault.message}" if fault.subject else fault.message


@given(documents())
@settings(max_examples=400)
def test_a_json_document_loads_exactly_if_it_has_no_fault(document: dict[str, Any]) -> None:
    faults, problems = faults_of(document), problems_of(json.dumps(document).encode())
    assert bool(faults) == bool(problems)
    if "schema" in document:
        assert sorted(map(text_of, faults)) == sorted(p.message for p in problems)
        assert all(p.line == 1 and p.column is not None for p in problems)


@given(documents())
@settings(max_examples=100)
def test_a_yaml_document_loads_exactly_if_it_has_no_fault(document: dict[str, Any]) -> None:
    text = yaml.dump(document, Dumper=yaml.CSafeDumper, allow_unicode=True, default_flow_style=True, width=10**6)
    assert bool(problems_of(text.encode())) == bool(faults_of(document))
