"""The keys of single opcodes that a cost depends on, by opcode: how each is read and written.

Every other op-specific key of BIR is accepted and left aside; none of them is read by a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from simcore.errors import hint
from simcore.program.bir.expressions import constant_value, is_expression
from simcore.program.bir.findings import Findings
from simcore.program.faults import kind_of, shown
from simcore.program.opcodes import COLLECTIVE_OPCODES, DMA_OPCODES, Opcode
from simcore.program.vocabulary import DgeType

ACCUMULATE_BIT = 4
"""Bit of ``accumulation_flag`` that adds to the bank (1 starts a group, 2 ends it)."""

_DGE_WORDS = {"None": DgeType.none, "SWDGE": DgeType.swdge, "HWDGE": DgeType.hwdge, "Unassigned": DgeType.unassigned}
_DGE_BY_NAME = {dge.name: word for word, dge in _DGE_WORDS.items()}
_ACCUMULATION_WORDS = ("Idle", "Zero", "Accumulate", "ZeroAccumulate", "AddAccumulate", "LoadAccumulate")
_MATMULT = ("is_transpose", "perf_mode", "accumulate")

ATTRIBUTES: dict[str, tuple[str, ...]] = {
    **{o.name: ("dge_type", "queue") for o in DMA_OPCODES | {Opcode.DMATrigger}},
    **{o.name: ("stream_id", "is_local", "queue") for o in COLLECTIVE_OPCODES},
    "DMACopy": ("dge_type", "queue", "mode"),
    "CollectiveCompute": ("stream_id", "is_local", "queue", "kind", "op"),
    "MatmultBase": _MATMULT,
    "Matmult": _MATMULT,
    "MatmultSparse": _MATMULT,
    "MatmultMx": _MATMULT,
    "Activation": ("acc",),
    "TensorTensor": ("op", "acc"),
    "TensorScalar": ("op0", "op1"),
    "TensorScalarPtr": ("op0", "op1", "acc", "is_tensor_tensor_scan", "is_scalar_tensor_tensor"),
    "TensorScalarCache": ("op0", "op1", "acc"),
    "TensorReduce": ("op",),
    "Memset": ("constant", "mode"),
    "InlineASMBytes": ("latency_estimate",),
}
"""Opcode -> fields of an instruction that it has keys for. The key is the field's name, but for ``accumulate``."""


def read_attributes(found: Findings, where: str, opcode: str, instruction: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the keys of ``instruction`` give; a key that is absent or null gives none."""
    fields: dict[str, Any] = {}
    for name in ATTRIBUTES.get(opcode, ()):
        reader, keys = _READERS[name]
        if any(instruction.get(key) is not None for key in keys):
            value = reader(found, where, instruction)
            if value is not None:
                fields[name] = value
    return fields


def attribute_keys(opcode: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """BIR keys of an instruction with these ``fields``, in the order of the table; what BIR cannot say is left out."""
    keys: dict[str, Any] = {}
    for name in ATTRIBUTES.get(opcode, ()):
        if name in fields:
            keys.update(_WRITERS[name](fields[name]) if name in _WRITERS else {name: fields[name]})
    return keys


def static_integer(found: Findings, where: str, key: str, value: Any) -> int | None:
    """An integer, or an expression that always has one value; one that varies is noted and gives None."""
    if type(value) is int:
        return value
    if not is_expression(value):
        found.problem(where, f"{key}: expected an integer or an expression, got {kind_of(value)}")
        return None
    constant = constant_value(value)
    if constant is None:
        found.note(where, f"{key} varies with a loop or a register; it counts as not said")
    return constant


def _integer(key: str) -> Callable[[Findings, str, Mapping[str, Any]], int | None]:
    return lambda found, where, obj: static_integer(found, where, key, obj[key])


def _flag(key: str) -> Callable[[Findings, str, Mapping[str, Any]], bool | None]:
    def read(found: Findings, where: str, obj: Mapping[str, Any]) -> bool | None:
        value = obj[key]
        if isinstance(value, bool) or (type(value) is int and value in (0, 1)):
            return bool(value)
        if is_expression(value):
            constant = static_integer(found, where, key, value)
            return None if constant is None else bool(constant)
        found.problem(where, f"{key}: expected true or false, got {kind_of(value)}")
        return None

    return read


def _text(key: str) -> Callable[[Findings, str, Mapping[str, Any]], str | None]:
    return lambda found, where, obj: found.text(where, key, obj[key])


def _accumulate(found: Findings, where: str, obj: Mapping[str, Any]) -> bool | None:
    """Older producers say only where a group starts: every matmult that starts none accumulates."""
    if obj.get("accumulation_flag") is None:
        starts = _flag("start_tensor_calc")(found, where, obj)
        return None if starts is None else not starts
    flag = static_integer(found, where, "accumulation_flag", obj["accumulation_flag"])
    return None if flag is None else bool(flag & ACCUMULATE_BIT)


def _accumulation_type(found: Findings, where: str, obj: Mapping[str, Any]) -> bool | None:
    value = obj["acc"]
    if isinstance(value, bool):
        return value
    word = found.word(where, "", "acc", value, _ACCUMULATION_WORDS)
    return None if word is None else word != "Idle"


def _dge_type(found: Findings, where: str, obj: Mapping[str, Any]) -> str | None:
    value = obj["dge_type"]
    by_word = {w.casefold(): d for w, d in _DGE_WORDS.items()}
    dge = by_word.get(value.casefold()) if isinstance(value, str) else None
    if type(value) is int and value in set(DgeType):
        dge = DgeType(value)
    if dge is None:
        got = shown(value) if isinstance(value, (str, int)) else kind_of(value)
        found.problem(where, f"unknown dge_type {got} {hint(value, list(_DGE_WORDS))}")
    return None if dge is None or dge is DgeType.unassigned else dge.name


def _queue(found: Findings, where: str, obj: Mapping[str, Any]) -> int | None:
    """BIR names queues, and a name is no ring; only a number is the ring that a record means."""
    value = obj["queue"]
    return None if isinstance(value, str) else found.integer(where, "queue", value)


def _constant(found: Findings, where: str, obj: Mapping[str, Any]) -> float | int | None:
    """The value that a Memset stores: its own key or, without one, its immediate."""
    value = obj.get("constant")
    if value is None:
        operands = obj["ins"] if isinstance(obj.get("ins"), list) else []
        value = next((o.get("value") for o in operands if isinstance(o, dict) and o.get("kind") == "imm_value"), None)
    if value is None:
        return None
    if is_expression(value):
        return static_integer(found, where, "constant", value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        found.problem(where, f"constant: expected a finite number, got {kind_of(value)}")
        return None
    return value


def _kind(found: Findings, where: str, obj: Mapping[str, Any]) -> str | int | None:
    value = obj["kind"]
    return value if type(value) is int else found.text(where, "kind", value)


_Reader = Callable[[Findings, str, Mapping[str, Any]], Any]
_READERS: dict[str, tuple[_Reader, tuple[str, ...]]] = {
    **{key: (_text(key), (key,)) for key in ("perf_mode", "op", "op0", "op1", "mode")},
    **{key: (_integer(key), (key,)) for key in ("stream_id", "latency_estimate")},
    **{
        key: (_flag(key), (key,))
        for key in ("is_transpose", "is_local", "is_tensor_tensor_scan", "is_scalar_tensor_tensor")
    },
    "accumulate": (_accumulate, ("accumulation_flag", "start_tensor_calc")),
    "acc": (_accumulation_type, ("acc",)),
    "dge_type": (_dge_type, ("dge_type",)),
    "queue": (_queue, ("queue",)),
    "constant": (_constant, ("constant", "ins")),
    "kind": (_kind, ("kind",)),
}

_WRITERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "accumulate": lambda value: {"accumulation_flag": ACCUMULATE_BIT} if value else {},
    "acc": lambda value: {"acc": "Accumulate"} if value else {},
    "dge_type": lambda value: {"dge_type": _DGE_BY_NAME[value]},
    "queue": lambda value: {},  # a ring number would read as a queue's name to other tools
}
