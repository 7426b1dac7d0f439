"""The ``kernbench`` object: values of a program record that BIR has no key for, beside BIR's own keys.

It may stand in the document's root, an allocation, an instruction, an operand and a DMA block. A value there
replaces what the BIR keys around it say; the writer puts exactly those there that the BIR keys would not give back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from simcore.errors import hint
from simcore.program.bir.findings import Findings
from simcore.program.instruction import Instruction, Operand, ProgramRecord

KEY = "kernbench"

_STRUCTURE = ("name", "opcode", "engine", "ins", "outs", "dependencies", "transfer", "body")

INSTRUCTION_FIELDS = tuple(f for f in Instruction.__struct_fields__ if f not in _STRUCTURE)
"""Fields of an instruction that its ``kernbench`` object may give."""

TRANSFER_FIELDS = ("name", "opcode", "engine", "dependencies", *INSTRUCTION_FIELDS)
"""Fields of a trigger's transfer that its DMA block's ``kernbench`` object may give."""

OPERAND_FIELDS = tuple(f for f in Operand.__struct_fields__ if f not in ("space", "dtype"))
"""Fields of an operand that its ``kernbench`` object may give."""

PROGRAM_FIELDS = tuple(f for f in ProgramRecord.__struct_fields__ if f not in ("schema", "functions"))
"""Fields of a program that the root's ``kernbench`` object may give."""

Record = TypeVar("Record", Instruction, Operand, ProgramRecord)


def apply_extension(
    found: Findings, where: str, at: str, holder: Mapping[str, Any], record: Record, fields: Sequence[str]
) -> None:
    """Sets the ``fields`` of ``record`` that the ``kernbench`` object of ``holder`` gives; others are problems."""
    if KEY not in holder:
        return
    label = f"{at}.{KEY}" if at else KEY
    required = {f.name: getattr(record, f.name) for f in msgspec.structs.fields(type(record)) if f.required}
    for key, value in (found.mapping(where, label, holder[KEY]) or {}).items():
        if key not in fields:
            found.problem(where, f'{label}: unknown key "{key}" {hint(key, fields)}')
            continue
        try:
            converted = msgspec.convert({**required, key: value}, type(record))
        except msgspec.ValidationError as error:
            found.problem(where, f"{label}: {str(error).replace('`', '').replace('$.', '')}")
        else:
            setattr(record, key, getattr(converted, key))


def extension(record: Record, read_back: Record, fields: Sequence[str]) -> dict[str, Any]:
    """``{"kernbench": {...}}`` with the ``fields`` in which ``record`` differs from what is read back, or ``{}``."""
    values = {f: getattr(record, f) for f in fields if getattr(record, f) != getattr(read_back, f)}
    return {KEY: msgspec.json.decode(msgspec.json.encode(values))} if values else {}
