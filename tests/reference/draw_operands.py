"""Drawing what an instruction touches: PSUM banks by list, by operand or unknown, and operands elsewhere."""

from __future__ import annotations

from typing import Any

from tests.reference.chooser import Chooser
from tests.reference.drafts import Document
from tests.reference.setting import Setting

SIZES = {"float32": 4, "bfloat16": 2, "uint8": 1, "int64": 8, "float8_e4m3fn_x4": 4, "float4_e2m1fn_x4": 2}
BANK_BYTES = 2048


def draw_psum(choose: Chooser, setting: Setting, *, percent: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if not choose.chance(percent):
        return fields
    if setting.allows("psum_operands") and choose.chance(40):
        for side in ("ins", "outs"):
            operands = [
                plain_operand(choose, "SB") if choose.chance(30) else _psum_operand(choose, setting)
                for _ in range(choose.below(3))
            ]
            if operands:
                fields[side] = operands
    if setting.allows("psum_lists") and choose.chance(70):
        for key in ("psum_reads", "psum_writes"):
            if choose.chance(60):
                banks = {choose.below(setting.architecture.banks) for _ in range(choose.pick((1, 1, 2, 3, 0)))}
                fields[key] = sorted(banks)
    if setting.allows("psum_unknown") and choose.chance(20):
        fields["psum_writer"] = True
    return fields


def plain_operand(choose: Chooser, space: str) -> Document:
    return {
        "space": space,
        "partitions": choose.pick((1, 16, 64)),
        "elements": choose.pick((1, 64, 513)),
        "dtype": choose.pick(tuple(SIZES)),
    }


def _psum_operand(choose: Chooser, setting: Setting) -> Document:
    """An access that stays inside PSUM: by bank, by byte address, by both or by neither; contiguous or a pattern."""
    operand = plain_operand(choose, "PSUM")
    size = SIZES[operand["dtype"]]
    bank = choose.below(setting.architecture.banks)
    place = choose.pick(
        ("bank", "addr", "both", "neither") if setting.allows("psum_unknown") else ("bank", "addr", "both")
    )
    offset = 0 if place in ("bank", "neither") else choose.pick((0, 64, 1024, 2040))
    room = (setting.architecture.banks * BANK_BYTES - bank * BANK_BYTES - offset) // size
    if place in ("bank", "both"):
        operand["bank"] = bank
    if place in ("addr", "both"):
        operand["addr"] = bank * BANK_BYTES + offset
    if choose.chance(30):
        inner, step = choose.pick((1, 4, 16)), choose.pick((16, 128, 600))
        inner = min(inner, room)
        outer = min(choose.pick((2, 3, 9)), 1 + (room - inner) // step)
        operand["free"] = [[step, outer], [1, inner]]
        operand["elements"] = outer * inner
    else:
        operand["elements"] = min(choose.pick((1, 64, 512, 513, 1100)), room)
    return operand
