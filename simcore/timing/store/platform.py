"""One platform's folder: ``platform.json``, ``models/NAME``, ``components/ID``, ``bus.json`` and ``points``."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from simcore.errors import InputError, Problem
from simcore.staged_files import StagedFiles, make_folder
from simcore.timing.clock import Clock
from simcore.timing.corpus import Corpus
from simcore.timing.corpus_csv import corpus_csv, read_corpus
from simcore.timing.corpus_units import in_cycles
from simcore.timing.fit import Fit
from simcore.timing.store.records import (
    MODEL_SCHEMA,
    PLATFORM_SCHEMA,
    PlatformRecord,
    Provenance,
    StoredModel,
    check_name,
    encoded,
    read_record,
    refuse_fewer,
)

PLATFORM_FILE, MODEL_FILE, CORPUS_FILE = "platform.json", "model.json", "corpus.csv"


@dataclass(frozen=True, slots=True)
class Platform:
    """The folder ``path``, of what ``record`` says."""

    path: Path
    record: PlatformRecord

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Platform:
        """The platform in a folder; one that says nothing where there is none yet."""
        file = Path(path) / PLATFORM_FILE
        known = file.exists()
        record = read_record(file, PlatformRecord, PLATFORM_SCHEMA) if known else PlatformRecord(PLATFORM_SCHEMA)
        return cls(Path(path), record)

    @classmethod
    def existing(cls, path: str | os.PathLike[str]) -> Platform:
        """The platform in a folder that is one. Raises InputError if it is not."""
        if not (Path(path) / PLATFORM_FILE).is_file():
            raise InputError([Problem(f"is no platform (a folder with a {PLATFORM_FILE})", os.fspath(path))])
        return cls.open(path)

    def identified(self, part: str | None, clock_hz: int | float | None) -> Platform:
        """This platform as that of ``part`` at ``clock_hz``; None leaves open. Raises InputError if it is another's."""
        problems = []
        for name, given, known in (("part", part, self.record.part), ("clock", clock_hz, self.record.clock_hz)):
            if given is not None and known is not None and given != known:
                text = f"is the platform of {name} {known}, not {given} (fits hold for one part at one clock)"
                problems.append(Problem(text, os.fspath(self.path)))
        if problems:
            raise InputError(problems)
        record = PlatformRecord(PLATFORM_SCHEMA, part or self.record.part, clock_hz or self.record.clock_hz)
        return Platform(self.path, record)

    @property
    def clock(self) -> Clock | None:
        """The synthesis clock, if it is known."""
        return None if self.record.clock_hz is None else Clock.of_hz(self.record.clock_hz)

    def model_folders(self) -> list[Path]:
        """The folders of all stored models, those of components last, each sorted by name."""
        return [
            file.parent
            for kind in ("models", "components")
            for file in sorted(self.path.glob(f"{kind}/*/{MODEL_FILE}"))
        ]

    def model_folder(self, name: str) -> Path:
        """Where the model called ``name`` is kept."""
        return self.path / "models" / check_name(name, "--name")

    def stage_fit(
        self, staged: StagedFiles, folder: Path, name: str, fit: Fit, corpus: Corpus, *, force: bool = False
    ) -> None:
        """Writes ``fit`` and its ``corpus`` (as measured) into ``folder``, to appear with all else in ``staged``.

        Raises InputError if ``folder`` holds a fit of more points, unless ``force``, and for a target that is not in
        cycles and cannot be turned into them.
        """
        target = corpus.column(fit.model.target)
        in_cycles(corpus, target.name, self.clock)
        file = folder / MODEL_FILE
        if file.exists() and not force:
            old = read_record(file, StoredModel, MODEL_SCHEMA)
            refuse_fewer(file, old.model.fit.n_points if old.model.fit else 0, fit.summary.n_points, force=force)
        rows = corpus_csv(corpus)
        record = StoredModel(
            schema=MODEL_SCHEMA,
            name=name,
            model=fit.model,
            r2=fit.accuracy.r2,
            max_rel_error_pct=100 * fit.accuracy.max_rel_error,
            loo_max_rel_error_pct=None if fit.left_out is None else 100 * fit.left_out.max_rel_error,
            not_identifiable=tuple(map(str, fit.not_identifiable)),
            provenance=Provenance(
                obtained="fitted",
                corpus=Path(corpus.path).name,
                corpus_sha256=hashlib.sha256(rows).hexdigest(),
                target_unit=target.unit,
                weights=fit.weights,
                kernbench=version("kernbench"),
            ),
        )
        make_folder(folder)
        self.stage_record(staged)
        for path, data in ((file, encoded(record)), (folder / CORPUS_FILE, rows)):
            with staged.open(path) as out:
                out.write(data)

    def stage_record(self, staged: StagedFiles) -> None:
        """Writes ``platform.json``."""
        with staged.open(self.path / PLATFORM_FILE) as out:
            out.write(encoded(self.record))

    def save_fit(self, name: str, fit: Fit, corpus: Corpus, *, force: bool = False) -> Path:
        """Stores ``fit`` as the model ``name``, whole or not at all; returns its folder."""
        folder = self.model_folder(name)
        with StagedFiles() as staged:
            self.stage_fit(staged, folder, name, fit, corpus, force=force)
        return folder


def load_model(folder: Path) -> StoredModel:
    """The model in ``folder``. Raises InputError if it cannot be read."""
    return read_record(folder / MODEL_FILE, StoredModel, MODEL_SCHEMA)


def load_corpus(folder: Path, stored: StoredModel) -> Corpus:
    """The corpus that ``stored`` was fitted on. Raises InputError if it is missing or has been changed since."""
    file = folder / CORPUS_FILE
    corpus = read_corpus(file, numeric=(stored.model.target,))
    if hashlib.sha256(file.read_bytes()).hexdigest() != stored.provenance.corpus_sha256:
        text = "is not the corpus that the model beside it was fitted on (fit again, or restore it)"
        raise InputError([Problem(text, os.fspath(file))])
    return corpus
