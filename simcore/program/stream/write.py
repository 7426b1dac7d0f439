"""Writing stream files: one instruction a line, keys in the schema's order, nothing that equals its default."""

from __future__ import annotations

from typing import Any

import msgspec

from simcore.program.instruction import SCHEMA, ProgramRecord


def write_stream_json(record: ProgramRecord) -> str:
    """``record`` as stream JSON, ending in a newline."""
    lines = [f"{_json(_head(record))[:-1]},", '"functions": [']
    for f, function in enumerate(record.functions):
        lines.append(f'{"," if f else ""}{{"name": {_json(function.name)}, "blocks": [')
        for b, block in enumerate(function.blocks):
            lines.append(f'{"," if b else ""}{{"name": {_json(block.name)}, "instructions": [')
            encoded = [msgspec.json.encode(i).decode() for i in block.instructions]
            lines.extend(f"{text}," for text in encoded[:-1])
            lines.extend(encoded[-1:])
            lines.append("]}")
        lines.append("]}")
    lines.append("]}")
    return "\n".join(lines) + "\n"


def write_stream_yaml(record: ProgramRecord) -> str:
    """``record`` as stream YAML, ending in a newline."""
    lines = [_yaml(_head(record), flow=False)]
    lines.append("functions:" if record.functions else "functions: []")
    for function in record.functions:
        lines.append(f"- name: {_scalar(function.name)}")
        lines.append("  blocks:" if function.blocks else "  blocks: []")
        for block in function.blocks:
            lines.append(f"  - name: {_scalar(block.name)}")
            lines.append("    instructions:" if block.instructions else "    instructions: []")
            lines.extend(f"    - {_yaml(msgspec.to_builtins(i), flow=True)}" for i in block.instructions)
    return "\n".join(lines) + "\n"


def _head(record: ProgramRecord) -> dict[str, Any]:
    return {"schema": SCHEMA, **msgspec.to_builtins(msgspec.structs.replace(record, functions=[]))}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _scalar(text: str) -> str:
    return _yaml({"_": text}, flow=True)[4:-1]


def _yaml(value: Any, *, flow: bool) -> str:
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: str = yaml.dump(
        value, Dumper=dumper, default_flow_style=flow, sort_keys=False, width=2**31 - 1, allow_unicode=True
    )
    return text.rstrip("\n")
