"""Drawing one instruction: every engine and lane, edge kind, PSUM access, collective and trigger the format has.

The same functions draw from ``random.Random`` and from hypothesis, through a :class:`Chooser`.
"""

from __future__ import annotations

from typing import Any

from tests.reference.chooser import Chooser
from tests.reference.drafts import Draft, Edge
from tests.reference.draw_operands import draw_psum, plain_operand
from tests.reference.setting import Setting

COSTS = (0, 1, 99, 100, 101, 213, 690, 1299, 1300, 1301, 2000, 3500)
"""Costs (ns) on both sides of the overlap windows."""

COMPUTE = {
    "PE": ("Matmult",),
    "DVE": ("TensorTensor", "TensorCopy", "TensorReduce", "Select"),
    "Activation": ("Activation", "ActivationReadAccumulator"),
    "Pool": ("Iota", "Memset"),
    "SP": ("NoOp", "EventSemaphore", "RegisterMove"),
}
COMPUTE_ENGINES = tuple(COMPUTE)
DMA_OPCODES = (
    "Load",
    "Save",
    "DMACopy",
    "DMA",
    "ReadVarAddr",
    "GenericIndirectLoad",
    "IndirectLoad",
    "GenericIndirectSave",
    "IndirectSave",
    "IndirectSaveAccumulate",
)
DESCRIPTOR_OPCODES = (
    "DMADescriptorCopy",
    "DMADescriptorCCE",
    "DMADescriptorTranspose",
    "DMADescriptorReplicate",
)


def draw_edges(choose: Chooser, setting: Setting) -> tuple[Edge, ...]:
    """Up to three edges, mostly to what came just before; with duplicates, a second kind on one of the pairs."""
    edges = []
    for _ in range(choose.pick((0, 1, 1, 2, 3))):
        back = choose.below(50) if choose.chance(25) else choose.below(5)
        edges.append(_draw_edge(choose, setting, back))
    if edges and setting.allows("duplicate_edges") and choose.chance(15):
        edges.append(_draw_edge(choose, setting, choose.pick(edges).back))
    return tuple(edges)


def _draw_edge(choose: Chooser, setting: Setting, back: int) -> Edge:
    if not setting.allows("edge_kinds"):
        return Edge(back)
    kind = choose.pick((4, 4, 1, 1, 2, 2, 3, 0))
    return Edge(back, kind, choose.pick(("name", "name", "number", "bare")))


def draw_leaf(choose: Chooser, setting: Setting) -> Draft:
    """One instruction that is no loop."""
    kinds = ["compute"] * 8 + ["dma"] * 3
    kinds += ["trigger"] * 3 * setting.allows("triggers")
    kinds += ["collective"] * 2 * (setting.allows("collectives") and setting.architecture.streams > 0)
    kinds += ["local"] * setting.allows("local")
    kinds += ["send_recv"] * setting.allows("send_recv")
    kinds += ["barrier"] * setting.allows("barriers")
    kinds += ["unassigned"] * setting.allows("unassigned")
    match choose.pick(kinds):
        case "dma":
            return _draw_dma(choose, setting)
        case "trigger":
            return _draw_trigger(choose, setting)
        case "collective":
            stream = choose.below(setting.architecture.streams)
            return _collective(choose, setting, "CollectiveCompute", _stream_field(choose, stream))
        case "local":
            return _draw_local_collective(choose, setting)
        case "send_recv":
            return _draw_send_recv(choose, setting)
        case "barrier":
            opcode = choose.pick(("AllEngineBarrier", "GroupResetSemaphores"))
            return _finish(choose, setting, opcode, "ALL", draw_psum(choose, setting, percent=10))
        case "unassigned":
            return _finish(choose, setting, choose.pick(("NoOp", "RegisterAlu")), "Unassigned", {})
        case _:
            return _draw_compute(choose, setting)


def draw_loop_fields(choose: Chooser) -> dict[str, Any]:
    """The fields of a Loop; its body is drawn by the caller."""
    return {"opcode": "Loop", "engine": "Unassigned", "trip_count": 1 + choose.below(9)}


def _draw_compute(choose: Chooser, setting: Setting) -> Draft:
    engine = choose.pick(COMPUTE_ENGINES)
    opcode = choose.pick(COMPUTE[engine])
    if setting.allows("foreign_engines") and choose.chance(5):
        opcode, engine = choose.pick((("TensorLoad", "DMA"), ("EventSemaphore", "PE"), ("TensorSave", "Activation")))
    return _finish(choose, setting, opcode, engine, draw_psum(choose, setting, percent=50))


def _finish(choose: Chooser, setting: Setting, opcode: str, engine: str, fields: dict[str, Any]) -> Draft:
    return Draft(_complete(choose, setting, opcode, engine, fields), draw_edges(choose, setting))


def _complete(choose: Chooser, setting: Setting, opcode: str, engine: str, fields: dict[str, Any]) -> dict[str, Any]:
    cost = choose.below(6000) if choose.chance(15) else choose.pick(COSTS)
    complete = {"opcode": opcode, "engine": engine, "cost": cost, **fields}
    if setting.allows("regions") and choose.chance(20):
        complete["region"] = choose.pick((0, 1, 1, 2))
    return complete


def _draw_dma(choose: Chooser, setting: Setting) -> Draft:
    engines = ("DMA", "DMA", "SP", "Pool", "ALL") if setting.allows("foreign_engines") else ("DMA",)
    fields = _draw_transfer_operands(choose, setting) | _draw_dge_type(choose, setting)
    if setting.allows("queues") and choose.chance(5):
        fields["queue"] = choose.below(13)  # only a trigger's queue is a ring: no effect here
    return _finish(choose, setting, choose.pick(DMA_OPCODES), choose.pick(engines), fields)


def _draw_trigger(choose: Chooser, setting: Setting) -> Draft:
    engines = ["SP", "SP", "Pool", "Activation", "PE", "DVE"]
    engines += ["Unassigned"] * setting.allows("unassigned")
    engines += ["DMA"] * setting.allows("foreign_engines")
    engines += ["ALL"] * setting.allows("barriers")
    fields = _draw_dge_type(choose, setting)
    if setting.allows("queues") and choose.chance(60):
        fields["queue"] = choose.pick((10, 10, 12, 12, *range(13)))
    fields |= draw_psum(choose, setting, percent=5)
    trigger = _complete(choose, setting, "DMATrigger", choose.pick(engines), fields)
    if not (setting.allows("trigger_costs") and choose.chance(30)):
        trigger["cost"] = 0
    return Draft(trigger, draw_edges(choose, setting), transfer=_draw_transfer(choose, setting))


def _draw_transfer(choose: Chooser, setting: Setting) -> Draft:
    opcode = choose.pick(("DMACopy", *DMA_OPCODES, *DESCRIPTOR_OPCODES))
    fields = _draw_transfer_operands(choose, setting) | _draw_dge_type(choose, setting)
    return _finish(choose, setting, opcode, "DMA", fields)


def _draw_transfer_operands(choose: Chooser, setting: Setting) -> dict[str, Any]:
    """Sometimes bank lists, sometimes operands that say the direction, mostly nothing."""
    if not choose.chance(50):
        return draw_psum(choose, setting, percent=15)
    spaces = choose.pick((("DRAM", "SB"), ("SB", "DRAM"), ("DRAM", "DRAM"), ("SB", "SB")))
    source, target = (plain_operand(choose, space) for space in spaces)
    return {"ins": [source], "outs": [target]}


def _draw_dge_type(choose: Chooser, setting: Setting) -> dict[str, Any]:
    if not setting.allows("dge_types") or not choose.chance(30):
        return {}
    return {"dge_type": choose.pick(("none", "swdge", "hwdge") if setting.has_hwdge else ("none", "swdge"))}


def _collective(choose: Chooser, setting: Setting, opcode: str, fields: dict[str, Any]) -> Draft:
    engines = ("Pool", "Pool", "SP", "DVE") if setting.allows("foreign_engines") else ("Pool",)
    return _finish(choose, setting, opcode, choose.pick(engines), fields)


def _stream_field(choose: Chooser, stream: int) -> dict[str, Any]:
    return {} if stream == 0 and choose.chance(50) else {"stream_id": stream}


def _draw_local_collective(choose: Chooser, setting: Setting) -> Draft:
    opcodes = ("CollectiveCompute", "CollectiveSend", "CollectiveRecv") if setting.allows("send_recv") else ()
    opcode = choose.pick(opcodes or ("CollectiveCompute",))
    return _collective(choose, setting, opcode, {"is_local": True})


def _draw_send_recv(choose: Chooser, setting: Setting) -> Draft:
    opcode = choose.pick(("Collective", "CollectiveSend", "CollectiveRecv"))
    if opcode == "Collective":  # always stream 0
        return _collective(choose, setting, opcode, {})
    stream = choose.below(max(setting.architecture.streams, 1))
    return _collective(choose, setting, opcode, _stream_field(choose, stream))
