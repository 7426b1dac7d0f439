"""Faults of operands: keys, words, ranges, free patterns, and the PSUM banks that an access reaches."""

from __future__ import annotations

import math
from typing import Any

from simcore.program.banks import bank_range, span_bytes
from simcore.program.codes import DTYPE_CODES, SPACE_CODES
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.faults import Faults, Path, keys_of, shown
from simcore.program.generations import SBUF_PARTITIONS, Generation
from simcore.program.instruction import Operand
from simcore.program.limits import MAX_ADDR_BYTES, MAX_DIM, MAX_OPERANDS


class Operands:
    """Checks the operands of instructions for one generation (None: it is not known)."""

    def __init__(self, faults: Faults, gen: Generation | None) -> None:
        self.faults = faults
        self.generation = gen

    def check(self, instruction: dict[str, Any], path: Path) -> None:
        """Adds what is wrong with an instruction's operands."""
        count = 0
        for side in ("ins", "outs"):
            operands = self.faults.sequence(instruction.get(side, []), (*path, side))
            count += len(operands)
            for k, operand in enumerate(operands):
                self._operand(operand, (*path, side, k))
        if count > MAX_OPERANDS:
            self.faults.add(path, f"{count} operands (allowed: {MAX_OPERANDS})")

    def _operand(self, value: Any, path: Path) -> None:
        faults = self.faults
        operand = faults.mapping(value, path, keys_of(Operand), ("space", "partitions", "elements", "dtype"))
        if operand is None:
            return
        before = len(faults.found)
        if "space" in operand:
            faults.word(operand["space"], (*path, "space"), SPACE_CODES, "space")
        if "dtype" in operand:
            faults.word(operand["dtype"], (*path, "dtype"), DTYPE_CODES, "dtype")
        if "partitions" in operand:
            faults.integer(operand["partitions"], (*path, "partitions"), 1, SBUF_PARTITIONS)
        if "elements" in operand:
            faults.integer(operand["elements"], (*path, "elements"), 0, MAX_DIM)
        last_bank = self.generation.psum_banks - 1 if self.generation else 7
        for key, limit in (("addr", MAX_ADDR_BYTES), ("bank", last_bank)):
            if operand.get(key) is not None:
                faults.integer(operand[key], (*path, key), 0, limit)
        if "symbolic" in operand:
            faults.boolean(operand["symbolic"], (*path, "symbolic"))
        if operand.get("tensor") is not None:
            faults.text(operand["tensor"], (*path, "tensor"))
        if operand.get("free") is not None:
            self._free_pattern(operand, path)
        is_sized = "elements" in operand and "dtype" in operand
        if len(faults.found) == before and operand.get("space") == "PSUM" and is_sized:
            self._psum_extent(operand, path)

    def _free_pattern(self, operand: dict[str, Any], path: Path) -> None:
        faults, path = self.faults, (*path, "free")
        before, counts = len(faults.found), []
        pairs = faults.sequence(operand["free"], path)
        for k, pair in enumerate(pairs):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                faults.add((*path, k), f"free[{k}]: expected a [step, num] pair")
                continue
            faults.integer(pair[0], (*path, k, 0), 0, MAX_DIM)
            counts.append(faults.integer(pair[1], (*path, k, 1), 1, MAX_DIM))
        if not pairs:
            faults.add(path, "free: an empty pattern (leave the key out for a contiguous access)")
            return
        covered = math.prod(c for c in counts if c)
        if len(faults.found) == before and covered != operand.get("elements"):
            faults.add(path, f"free covers {shown(covered)} elements, not {shown(operand.get('elements'))}")

    def _psum_extent(self, operand: dict[str, Any], path: Path) -> None:
        free = [tuple(p) for p in operand["free"]] if operand.get("free") else None
        span = span_bytes(operand["elements"], DTYPE_BYTES[DTYPE_CODES[operand["dtype"]]], free)
        addr, bank = (-1 if operand.get(key) is None else operand[key] for key in ("addr", "bank"))
        last = bank_range(addr, bank, span)[1]
        if self.generation is not None and last >= self.generation.psum_banks:
            allowed = f"0 to {self.generation.psum_banks - 1} on {self.generation.name}"
            self.faults.add(path, f"reaches PSUM bank {last} (allowed: {allowed})")
