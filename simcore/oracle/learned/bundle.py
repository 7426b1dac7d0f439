"""A bundle on disk: ``learned.json`` says everything in words, ``latency_models_<n>.npy`` holds the numbers.

The array is float64[laws, n + 1]: a row per opcode, in the order of the manifest; the constant, then the weight of each
of the n features (0 for those that the law does not use). It is plain ``numpy.save`` output and is never unpickled.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from simcore.errors import InputError, Problem, hint
from simcore.oracle.learned.features import NAMES, Matrix
from simcore.oracle.learned.judge import HeldOut
from simcore.oracle.learned.law import Law, LawForm
from simcore.program.generations import GENERATIONS, generation
from simcore.program.opcodes import Opcode
from simcore.staged_files import StagedFiles
from simcore.timing.fit_summary import FitSummary
from simcore.timing.store.records import encoded, read_record

MANIFEST = "learned.json"
SCHEMA = "kernbench.learned-oracle/1"

_WEIGHTS = re.compile(r"latency_models_([0-9]+).*\.npy")


class ProfileRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A profile that laws were fitted to: its name, the digest of the file, and what became of its instructions."""

    file: str
    sha256: str
    samples: int
    left_out: dict[str, int]


class LawRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A law without its numbers. ``confidence``: of a prediction inside the ranges of ``fit``."""

    opcode: str
    form: LawForm
    features: tuple[str, ...]
    confidence: Literal["EXACT", "INTERPOLATED"]
    left_out_error_pct: float | None
    fit: FitSummary


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of a bundle but the weights. ``features`` are the n columns; ``held_out`` is None for a single profile."""

    schema: str
    arch: str
    weights: str
    weights_sha256: str
    features: tuple[str, ...]
    models: tuple[LawRecord, ...]
    held_out: HeldOut | None
    profiles: tuple[ProfileRecord, ...]
    kernbench: str


class Bundle(msgspec.Struct, frozen=True):
    """A bundle that was read: its laws, ready to be used."""

    manifest: Manifest
    laws: tuple[Law, ...]


def new_bundle(
    arch: str, laws: tuple[Law, ...], profiles: tuple[ProfileRecord, ...], held_out: HeldOut | None
) -> tuple[Bundle, bytes]:
    """A bundle and the bytes of its array."""
    data = _array_bytes(laws)
    manifest = Manifest(
        schema=SCHEMA,
        arch=arch,
        weights=f"latency_models_{len(NAMES)}.npy",
        weights_sha256=hashlib.sha256(data).hexdigest(),
        features=NAMES,
        models=tuple(
            LawRecord(
                opcode=law.opcode,
                form=law.form,
                features=tuple(law.weights),
                confidence="EXACT" if law.fit.is_exact else "INTERPOLATED",
                left_out_error_pct=law.left_out_error_pct,
                fit=law.fit,
            )
            for law in laws
        ),
        held_out=held_out,
        profiles=profiles,
        kernbench=version("kernbench"),
    )
    return Bundle(manifest, laws), data


def save_bundle(folder: Path, bundle: Bundle, weights: bytes, staged: StagedFiles) -> None:
    """Stages both files of ``bundle`` in ``folder``, which exists."""
    with staged.open(folder / bundle.manifest.weights) as file:
        file.write(weights)
    with staged.open(folder / MANIFEST) as file:
        file.write(encoded(bundle.manifest))


def bundle_for(folder: Path, arch: str) -> Bundle:
    """The bundle in ``folder``, for programs on ``arch``. Raises InputError if it is of another generation."""
    bundle = load_bundle(folder)
    trained, asked = bundle.manifest.arch, generation(arch).name
    if trained != asked:
        text = f"was fitted to {trained} and says nothing about {asked} (allowed: programs on {trained})"
        raise InputError([Problem(text, os.fspath(folder / MANIFEST))])
    return bundle


def load_bundle(folder: Path) -> Bundle:
    """The bundle in ``folder``. Raises InputError for one that is missing, damaged, or of another version."""
    path = folder / MANIFEST
    if not path.is_file():
        text = f"is no learned oracle (expected a folder with a {MANIFEST}, from kernbench calibrate train)"
        raise InputError([Problem(text, os.fspath(folder))])
    return _read(folder, _signature(path))


def _signature(path: Path) -> tuple[int, int, int]:
    """What changes when the file does: every write puts a new file into its place."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _read(folder: Path, _: tuple[int, int, int]) -> Bundle:
    path = folder / MANIFEST
    manifest = read_record(path, Manifest, SCHEMA)
    _check_manifest(manifest, path)
    weights = _read_weights(folder / manifest.weights, manifest)
    return Bundle(manifest, tuple(_law(r, row) for r, row in zip(manifest.models, weights, strict=True)))


def _law(record: LawRecord, row: Matrix) -> Law:
    return Law(
        opcode=record.opcode,
        form=record.form,
        constant=float(row[0]),
        weights={name: float(row[1 + NAMES.index(name)]) for name in record.features},
        left_out_error_pct=record.left_out_error_pct,
        fit=record.fit,
    )


def _check_manifest(manifest: Manifest, path: Path) -> None:
    problems = []

    def refuse(where: str, text: str) -> None:
        problems.append(Problem(text, os.fspath(path), where=where))

    if manifest.features != NAMES:
        ours, theirs = len(NAMES), len(manifest.features)
        text = f"other features than this release's ({theirs} and {ours}): fit the bundle again from its profiles"
        refuse("features", text)
    if manifest.arch not in GENERATIONS:
        refuse("arch", f'unknown arch "{manifest.arch}" {hint(manifest.arch, list(GENERATIONS))}')
    named = _WEIGHTS.fullmatch(manifest.weights)
    if not named or int(named.group(1)) != len(manifest.features):
        expected = f"latency_models_{len(manifest.features)}.npy"
        refuse("weights", f'"{manifest.weights}" is not the array of {len(manifest.features)} features ({expected})')
    seen: set[str] = set()
    for k, law in enumerate(manifest.models):
        if law.opcode not in Opcode.__members__:
            refuse(f"models[{k}].opcode", f'unknown opcode "{law.opcode}" {hint(law.opcode, list(Opcode.__members__))}')
        if law.opcode in seen:
            refuse(f"models[{k}].opcode", f"a second law for {law.opcode}")
        seen.add(law.opcode)
        for name in (*law.features, *law.fit.ranges):
            if name not in NAMES:
                refuse(f"models[{k}]", f'unknown feature "{name}" {hint(name, NAMES)}')
    if problems:
        raise InputError(problems)


def _array_bytes(laws: tuple[Law, ...]) -> bytes:
    weights = np.zeros((len(laws), len(NAMES) + 1))
    for row, law in zip(weights, laws, strict=True):
        row[0] = law.constant
        for name, weight in law.weights.items():
            row[1 + NAMES.index(name)] = weight
    buffer = io.BytesIO()
    np.save(buffer, weights, allow_pickle=False)
    return buffer.getvalue()


def _read_weights(path: Path, manifest: Manifest) -> Matrix:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", os.fspath(path))]) from error
    if hashlib.sha256(data).hexdigest() != manifest.weights_sha256:
        text = f"is not the array that {MANIFEST} describes (its sha256 differs)"
        raise InputError([Problem(text, os.fspath(path))])
    try:
        weights = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise InputError([Problem(f"is no array of numpy: {error}", os.fspath(path))]) from error
    shape = (len(manifest.models), len(NAMES) + 1)
    if not isinstance(weights, np.ndarray) or weights.dtype != np.float64 or weights.shape != shape:
        raise InputError([Problem(f"is not an array of float64{list(shape)}", os.fspath(path))])
    if not np.isfinite(weights).all():
        raise InputError([Problem("holds numbers that are not finite", os.fspath(path))])
    return weights
