"""DMA after lowering: triggers paired with the transfers that wait for them in the queues.

A DMATrigger names DMA blocks (``dma_blocks``) of its queue; each block holds the descriptors that say what moves. All
blocks that a trigger names are one transfer, because a record has one transfer per trigger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from simcore.program.bir.access import Access, Scope
from simcore.program.bir.extension import KEY, TRANSFER_FIELDS, apply_extension
from simcore.program.bir.findings import Findings
from simcore.program.bir.source import read_source
from simcore.program.bir.transfer import merged_operands
from simcore.program.engines import Engine
from simcore.program.instruction import Instruction
from simcore.program.opcodes import DESCRIPTOR_OPCODES, Opcode

DESCRIPTOR_MODES = {
    Opcode.DMADescriptor.name: None,
    Opcode.DMADescriptorCopy.name: None,
    Opcode.DMADescriptorCCE.name: "CCE",
    Opcode.DMADescriptorTranspose.name: "Transpose",
    Opcode.DMADescriptorReplicate.name: "Replicate",
}
"""Descriptor opcode -> ``mode`` of the DMACopy that it stands for (None: a plain copy)."""

_DESCRIPTOR_NAMES = tuple(o.name for o in sorted(DESCRIPTOR_OPCODES))


@dataclass(slots=True)
class DmaBlock:
    """A DMA block as it stands in its queue; ``triggered`` once a trigger has named it."""

    name: str
    queue: str
    content: Mapping[str, Any]
    triggered: bool = False

    @property
    def where(self) -> str:
        """Its place in a message."""
        return f"DMA block {self.name}"


@dataclass(slots=True)
class Queues:
    """The DMA blocks of every queue, by queue and name: names are unique in a queue only."""

    blocks: dict[str, dict[str, DmaBlock]] = field(default_factory=dict)

    def find(self, queue: str | None, name: str) -> list[DmaBlock]:
        """Blocks called ``name``: in ``queue`` if that is said, else in any."""
        queues = self.blocks.values() if queue is None else [self.blocks.get(queue, {})]
        return [blocks[name] for blocks in queues if name in blocks]

    def untriggered(self) -> Iterator[DmaBlock]:
        """Blocks that no trigger named, in document order."""
        return (block for blocks in self.blocks.values() for block in blocks.values() if not block.triggered)


def read_queues(found: Findings, root: Mapping[str, Any]) -> Queues:
    """The queues of a document; their descriptors are read when a trigger names them."""
    queues = Queues()
    for q, entry in enumerate(found.sequence("", "queues", root.get("queues", []))):
        path = f"queues[{q}]"
        queue = found.mapping(path, "queue", entry)
        name = found.text(path, "name", queue.get("name")) if queue is not None else None
        if queue is None or name is None:
            continue
        blocks = queues.blocks.setdefault(name, {})
        for content, where in _instructions_of(found, path, queue):
            block_name = found.text(where, "name", content.get("name"))
            if block_name is None:
                continue
            if block_name in blocks:
                found.problem(where, f'DMA block "{block_name}" is declared twice in queue "{name}"')
            blocks[block_name] = DmaBlock(block_name, name, content)
    return queues


def read_transfer(
    scope: Scope, queues: Queues, where: str, trigger: Instruction, keys: Mapping[str, Any]
) -> Instruction | None:
    """The transfer of ``trigger``, whose BIR keys are ``keys``.

    A block that is missing or has no descriptors is noted; if none is left the transfer costs 0 ns. Naming no block at
    all is a problem, and gives None.
    """
    found = scope.found
    names = found.sequence(where, "dma_blocks", keys.get("dma_blocks", []))
    if not names:
        found.problem(where, "DMATrigger without a transfer: dma_blocks names no DMA block")
        return None
    queue = keys.get("queue")
    blocks = [
        block
        for k, name in enumerate(names)
        if (text := found.text(where, f"dma_blocks[{k}]", name)) is not None
        and (block := _paired(found, queues, where, queue if isinstance(queue, str) else None, text)) is not None
    ]
    transfer = Instruction(
        name=f"{trigger.name}.transfer",
        opcode=Opcode.DMACopy.name,
        engine=Engine.DMA.name,
        dge_type=trigger.dge_type,
        source=next((s for b in blocks if (s := read_source(found, b.where, b.content))), trigger.source),
    )
    descriptors = [d for block in blocks for d in _instructions_of(found, block.where, block.content)]
    if not descriptors:
        transfer.cost = 0
    transfer.ins = merged_operands(_accesses(scope, descriptors, "ins"))
    transfer.outs = merged_operands(_accesses(scope, descriptors, "outs"))
    transfer.mode = _mode(found, where, descriptors)
    if len(blocks) == 1:
        apply_extension(found, blocks[0].where, "", blocks[0].content, transfer, TRANSFER_FIELDS)
    elif any(KEY in block.content for block in blocks):
        found.problem(where, f'"{KEY}" describes a whole transfer: a block that has it is the only one of its trigger')
    return transfer


def note_untriggered(found: Findings, queues: Queues) -> None:
    """Says which DMA blocks belong to no trigger."""
    for block in queues.untriggered():
        found.note(block.where, f'no DMATrigger names this block of queue "{block.queue}"; its transfer is not timed')


def _paired(found: Findings, queues: Queues, where: str, queue: str | None, name: str) -> DmaBlock | None:
    candidates = queues.find(queue, name)
    place = "any queue" if queue is None else f'queue "{queue}"'
    if len(candidates) > 1:
        found.note(
            where, f'DMA block "{name}" is in several queues and the trigger names no queue; its bytes are not timed'
        )
        return None
    if not candidates:
        found.note(where, f'DMA block "{name}" is not in {place}; its bytes are not timed')
        return None
    block = candidates[0]
    block.triggered = True
    if not any(True for _ in _instructions_of(found, block.where, block.content)):
        found.note(where, f'DMA block "{name}" of queue "{block.queue}" has no descriptors; it adds no time')
    return block


def _instructions_of(found: Findings, path: str, holder: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The instructions in the blocks of ``holder``, each with its path."""
    for b, value in enumerate(found.sequence(path, "blocks", holder.get("blocks", []))):
        where = f"{path}.blocks[{b}]"
        block = found.mapping(where, "block", value)
        for i, entry in enumerate(found.sequence(where, "instructions", (block or {}).get("instructions", []))):
            instruction = found.mapping(f"{where}.instructions[{i}]", "instruction", entry)
            if instruction is not None:
                yield instruction, f"{where}.instructions[{i}]"


def _accesses(scope: Scope, descriptors: list[tuple[dict[str, Any], str]], key: str) -> list[list[Access]]:
    return [scope.read_accesses(where, key, descriptor) for descriptor, where in descriptors]


def _mode(found: Findings, where: str, descriptors: list[tuple[dict[str, Any], str]]) -> str | None:
    """The mode that the descriptors share; plain copies beside others do not count."""
    modes: list[str] = []
    for descriptor, place in descriptors:
        opcode = found.word(place, "", "descriptor", descriptor.get("opcode"), _DESCRIPTOR_NAMES)
        mode = DESCRIPTOR_MODES.get(opcode) if opcode is not None else None
        if mode is not None and mode not in modes:
            modes.append(mode)
    if len(modes) > 1:
        found.note(where, f"descriptors of several kinds ({', '.join(modes)}); the transfer is timed as {modes[0]}")
    return modes[0] if modes else None
