"""What ``kernbench list`` says, as records: the source of both its JSON and its tables."""

from __future__ import annotations

import msgspec

SCHEMA = "kernbench.list/1"


class ParameterRow(msgspec.Struct, kw_only=True):
    """A parameter of a bench: what it may be, in words, and its default as ``--set`` would write it."""

    name: str
    kind: str
    default: str


class BenchRow(msgspec.Struct, kw_only=True):
    """A bench of ``kernbench run --bench``."""

    name: str
    purpose: str
    parameters: list[ParameterRow]


class SystemRow(msgspec.Struct, kw_only=True):
    """A system that kernbench ships, for every option that takes a topology."""

    name: str
    summary: str


class ExperimentRow(msgspec.Struct, kw_only=True):
    """An experiment beside a decision record. ``adr``: the record's number, for ``kernbench experiment``."""

    id: str
    title: str
    adr: str
    file: str


class KernelRow(msgspec.Struct, kw_only=True):
    """A program of a real kernel, in ``file``. ``measured``: whether what a profile measured lies beside it."""

    name: str
    arch: str
    instructions: int
    measured: bool
    file: str


class PartRow(msgspec.Struct, kw_only=True):
    """A registered part. ``is_default``: built where its kind is asked for without an impl."""

    kind: str
    impl: str
    is_default: bool
    home: str
    parameters: list[str]


class TimingRow(msgspec.Struct, kw_only=True):
    """A word of ``--timing`` or a law of ``calibrate fit --form``; ``option`` says which."""

    option: str
    word: str
    means: str


class ListReport(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What was not asked for is left out. ``notes``: why something could not be listed."""

    schema: str
    benches: list[BenchRow] | None = None
    systems: list[SystemRow] | None = None
    experiments: list[ExperimentRow] | None = None
    kernels: list[KernelRow] | None = None
    parts: list[PartRow] | None = None
    timings: list[TimingRow] | None = None
    notes: list[str] = []
