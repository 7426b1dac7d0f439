"""Faults of what an instruction says about itself: numbers, flags, words and bank lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from simcore.program.codes import KIND_CODES
from simcore.program.columnise_fields import WORD_FIELDS
from simcore.program.faults import Faults, Path, label, shown
from simcore.program.generations import Generation
from simcore.program.limits import MAX_COST_NS, MAX_REGION, MAX_STREAM, MAX_WORDS
from simcore.program.opcodes import Opcode
from simcore.program.vocabulary import PERF_MODE_NAMES, QUEUE_COUNT, DgeType

_FLAGS = (
    *("psum_writer", "is_local", "is_transpose", "accumulate"),
    *("acc", "is_tensor_tensor_scan", "is_scalar_tensor_tensor"),
)
_NEVER_NULL = frozenset((*_FLAGS, "region"))
_KINDS = tuple(k for k in KIND_CODES if isinstance(k, str))
_DGE_TYPES = tuple(d.name for d in DgeType)


class Attributes:
    """Checks the attributes of instructions for one generation (None: it is not known).

    ``words`` are those of the block so far; a new block begins with none.
    """

    def __init__(self, faults: Faults, gen: Generation | None) -> None:
        self.faults = faults
        self.generation = gen
        self.words: set[str] = set()
        whole = faults.integer
        self._checks: dict[str, Callable[[Any, Path], object]] = {
            "cost": partial(whole, low=0, high=MAX_COST_NS),
            "latency_estimate": partial(whole, low=0, high=MAX_COST_NS),
            "stream_id": partial(whole, low=0, high=MAX_STREAM),
            "queue": partial(whole, low=0, high=QUEUE_COUNT - 1),
            "region": partial(whole, low=0, high=MAX_REGION),
            "psum_reads": self._banks,
            "psum_writes": self._banks,
            **dict.fromkeys(_FLAGS, faults.boolean),
            "source": faults.text,
            "constant": faults.real,
            "kind": self._kind,
            "perf_mode": partial(faults.word, allowed=PERF_MODE_NAMES, what="perf_mode"),
            "dge_type": self._dge_type,
        }

    def check(self, instruction: dict[str, Any], path: Path) -> None:
        """Adds what is wrong with an instruction's attributes. None stands for a value that is not given."""
        for key, value in instruction.items():
            check = self._checks.get(key)
            if check is not None and (value is not None or key in _NEVER_NULL):
                check(value, (*path, key))
            elif key in WORD_FIELDS and value is not None:
                self._word(value, (*path, key), instruction.get("opcode") == Opcode.Loop.name)

    def _banks(self, value: Any, path: Path) -> None:
        banks = self.generation.psum_banks if self.generation else 8
        for k, bank in enumerate(self.faults.sequence(value, path)):
            self.faults.integer(bank, (*path, k), 0, banks - 1)

    def _kind(self, value: Any, path: Path) -> None:
        if isinstance(value, (bool, float, list, dict)) or value not in KIND_CODES:
            self.faults.word(value, path, _KINDS, "collective kind", f"or 0 to {len(_KINDS) - 1}")

    def _dge_type(self, value: Any, path: Path) -> None:
        word = self.faults.word(value, path, _DGE_TYPES, "dge_type")
        if word == DgeType.hwdge.name and self.generation is not None and not self.generation.has_hwdge:
            self.faults.add(path, f"hwdge does not exist on {self.generation.name} (allowed: none, swdge)")

    def _word(self, value: Any, path: Path, is_of_loop: bool) -> None:
        """A loop's words do not count: columns keep a loop as it is."""
        word = self.faults.text(value, path)
        if word is None or is_of_loop:
            return
        if word not in self.words and len(self.words) == MAX_WORDS:
            message = f"{shown(word)} is one word too many (allowed: {MAX_WORDS} different words in a block)"
            self.faults.add(path, f"{label(path)}: {message}")
        else:
            self.words.add(word)
