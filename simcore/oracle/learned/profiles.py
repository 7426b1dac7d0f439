"""From profile files to bundles and judgements: each file read once, every fault of all of them told at once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simcore.errors import InputError, Problem
from simcore.oracle.learned.bundle import Bundle, ProfileRecord, new_bundle
from simcore.oracle.learned.judge import Predictions, Profile, judged, leave_one_profile_out, predictions
from simcore.oracle.learned.samples import samples_of
from simcore.oracle.learned.train import train
from simcore.program.profile.files import profile_from_bytes


@dataclass(frozen=True, slots=True)
class ReadProfile:
    """A profile with the name and the digest of its file."""

    profile: Profile
    record: ProfileRecord


def read_profiles(paths: Sequence[Path]) -> list[ReadProfile]:
    """The profiles in ``paths``, of one generation, no two the same. Raises InputError with every fault of all."""
    found: list[ReadProfile] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            found.append(_read(path))
        except InputError as error:
            problems += error.problems
    first_of: dict[str, str] = {}
    for one in found:
        file, arch = one.profile.program.file, one.profile.program.arch
        if one.record.sha256 in first_of:
            problems.append(Problem(f"is the same profile as {first_of[one.record.sha256]} (allowed: once)", file))
        first_of.setdefault(one.record.sha256, file)
        if arch != found[0].profile.program.arch:
            other = found[0].profile.program
            problems.append(Problem(f"ran on {arch}, and {other.file} on {other.arch} (allowed: one generation)", file))
    if problems:
        raise InputError(problems)
    return found


def fitted(profiles: Sequence[ReadProfile]) -> tuple[Bundle, bytes]:
    """A bundle fitted to all ``profiles``, judged by leaving out each in turn, and the bytes of its array."""
    held = judged(leave_one_profile_out([p.profile for p in profiles])) if len(profiles) > 1 else None
    laws = train([p.profile.samples for p in profiles])
    return new_bundle(profiles[0].profile.program.arch, laws, tuple(p.record for p in profiles), held)


def held_out(bundle: Bundle, folder: Path, profiles: Sequence[ReadProfile]) -> tuple[list[Predictions], list[str]]:
    """Predictions for ``profiles`` by laws that have not seen them, and for each how: ``unseen`` or ``left out``.

    A profile that the bundle was fitted to is predicted by a fit to the bundle's other profiles. Raises InputError if
    these are not among ``profiles``, or if there are none.
    """
    used = {record.sha256: record.file for record in bundle.manifest.profiles}
    seen = [p for p in profiles if p.record.sha256 in used]
    problems = []
    missing = sorted(file for digest, file in used.items() if digest not in {p.record.sha256 for p in seen})
    for p in seen:
        if len(used) == 1:
            text = f"is the only profile that {folder} was fitted to: nothing is left to fit without it"
            problems.append(Problem(text, p.profile.program.file))
        elif missing:
            text = f"{folder} was fitted to it: give its other profiles too, to fit without it (missing: "
            problems.append(Problem(f"{text}{', '.join(missing)})", p.profile.program.file))
    arch = bundle.manifest.arch
    problems += [
        Problem(f"ran on {p.profile.program.arch}, and {folder} was fitted to {arch}", p.profile.program.file)
        for p in profiles
        if p.profile.program.arch != arch
    ]
    if problems:
        raise InputError(problems)
    found, how = [], []
    for p in profiles:
        if p.record.sha256 in used:
            others = [o.profile.samples for o in seen if o is not p]
            found.append(predictions(p.profile, train(others)))
        else:
            found.append(predictions(p.profile, bundle.laws))
        how.append("left out" if p.record.sha256 in used else "unseen")
    return found, how


def _read(path: Path) -> ReadProfile:
    file = os.fspath(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError([Problem(f"cannot be read: {error.strerror}", file)]) from error
    program = profile_from_bytes(data, file)
    samples = samples_of(program)
    if not np.any(samples.measured_ns):
        raise InputError([Problem("holds no instruction whose duration can be used", file)])
    record = ProfileRecord(path.name, hashlib.sha256(data).hexdigest(), len(samples), samples.left_out)
    return ReadProfile(Profile(program, samples), record)
