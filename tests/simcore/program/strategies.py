"""Hypothesis strategies for valid program records in which any field may be given."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from hypothesis import strategies as st

from simcore.program.banks import bank_range, span_bytes
from simcore.program.codes import DTYPE_CODES, ENGINE_CODES, OPCODE_CODES, SPACE_CODES
from simcore.program.dtypes import DTYPE_BYTES
from simcore.program.edges import EdgeKind
from simcore.program.generations import ARCH_NAMES, Generation, generation
from simcore.program.instruction import BlockRecord, FunctionRecord, Instruction, Operand, Origin, ProgramRecord
from simcore.program.limits import MAX_ADDR_BYTES, MAX_COST_NS, MAX_DIM, MAX_REGION
from simcore.program.opcodes import TRANSFER_OPCODES
from simcore.program.vocabulary import PERF_MODE_NAMES, CollectiveKind, DgeType

ODD_TEXTS = (
    "a",
    "no",
    "1:30",
    "null",
    "é",
    "名前",
    "a b",
    '"quoted"',
    "c:d",
    "- x",
    "#",
    "{}",
    "1e3",
    "0x1F",
    "~",
    "=",
    "\U0001f600",
)
LARGE = st.sampled_from((0, 1, 7, 10**6))

PRINTABLE = st.characters(categories=("L", "M", "N", "P", "S"))
texts = st.sampled_from(ODD_TEXTS) | st.text(PRINTABLE, min_size=1, max_size=6)
flags = st.booleans()
engines = st.sampled_from(sorted(ENGINE_CODES))
plain_opcodes = st.sampled_from(sorted(OPCODE_CODES.keys() - {"Loop", "DMATrigger"}))
transfer_opcodes = st.sampled_from(sorted(opcode.name for opcode in TRANSFER_OPCODES))
spaces = st.sampled_from(("PSUM", *sorted(SPACE_CODES)))
dtypes = st.sampled_from(sorted(DTYPE_CODES))
edge_kinds = st.sampled_from([*(k.name for k in EdgeKind), *(int(k) for k in EdgeKind)])


def _list_of(strategy: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[list[Any]]:
    """Lists of every length up to ``most`` equally often: short ones do not crowd the others out."""
    return st.integers(0, most).flatmap(lambda n: st.lists(strategy, min_size=n, max_size=n))


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly None."""
    return st.none() | st.none() | strategy


maybe_texts = maybe(texts)
free_patterns = maybe(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 4)), min_size=1, max_size=3))
element_counts = st.sampled_from((0, 1, 16, 512, 700))
partition_counts = st.sampled_from((1, 64, 128))
addresses = maybe(st.integers(0, 2**14) | st.just(MAX_ADDR_BYTES))
banks = maybe(st.integers(0, 7))
costs = maybe(st.sampled_from((0, 1, 999, MAX_COST_NS)))
queues = maybe(st.integers(0, 12))
trip_counts = maybe(st.sampled_from((1, 2, MAX_DIM)))
shapes = st.sampled_from(("plain", "plain", "plain", "plain", "trigger", "loop"))


@st.composite
def operands(draw: st.DrawFn, gen: Generation) -> Operand:
    """One access; in PSUM it stays within the generation's banks."""
    space = draw(spaces)
    dtype = draw(dtypes)
    free = draw(free_patterns)
    elements = draw(element_counts) if free is None else math.prod(n for _, n in free)
    bank = draw(banks)
    bank = None if bank is None or bank >= gen.psum_banks else bank
    addr = draw(addresses)
    if space == "PSUM":
        span = span_bytes(elements, DTYPE_BYTES[DTYPE_CODES[dtype]], free)
        if bank_range(-1 if addr is None else addr, -1 if bank is None else bank, span)[1] >= gen.psum_banks:
            bank, addr, elements, free = 0, None, 1, None
    elif free is None:
        elements = MAX_DIM if draw(flags) else elements
    return Operand(
        space=space,
        partitions=draw(partition_counts),
        elements=elements,
        dtype=dtype,
        addr=addr,
        bank=bank,
        free=free,
        symbolic=draw(flags),
        tensor=draw(maybe_texts),
    )


@cache
def _attribute_choices(gen: Generation) -> dict[str, st.SearchStrategy[Any]]:
    """The optional fields that a loop may have too."""
    dge_types = [d.name for d in DgeType if gen.has_hwdge or d is not DgeType.hwdge]
    banks = st.lists(st.integers(0, gen.psum_banks - 1), max_size=3)
    integers = st.integers(-(2**63) + 1, 2**63 - 1)
    return {
        "psum_reads": banks,
        "psum_writes": banks,
        "psum_writer": flags,
        "region": st.sampled_from((0, 1, MAX_REGION)),
        "stream_id": st.integers(0, 3),
        "is_local": flags,
        "kind": st.sampled_from([*(k.name for k in CollectiveKind), *(int(k) for k in CollectiveKind)]),
        "dge_type": st.sampled_from(dge_types),
        "source": texts,
        "latency_estimate": LARGE,
        "perf_mode": st.sampled_from(PERF_MODE_NAMES),
        "is_transpose": flags,
        "accumulate": flags,
        "op": texts,
        "op0": texts,
        "op1": texts,
        "acc": flags,
        "is_tensor_tensor_scan": flags,
        "is_scalar_tensor_tensor": flags,
        "constant": integers | st.floats(allow_nan=False, allow_infinity=False),
        "mode": texts,
    }


ATTRIBUTE_NAMES = _list_of(st.sampled_from(sorted(_attribute_choices(generation("gen3")))), 4)


@st.composite
def attributes(draw: st.DrawFn, gen: Generation) -> dict[str, Any]:
    """Some of those fields."""
    choices = _attribute_choices(gen)
    given = draw(ATTRIBUTE_NAMES)
    return {key: draw(choices[key]) for key in sorted(set(given))}


class _Block:
    """Hands out names in walk order, so that dependencies lead back; ``left`` instructions may still come."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.used: list[str] = []

    def name(self, text: str) -> str:
        """``text``, or something like it that is not in use."""
        while text in self.used:
            text += "'"
        self.left -= 1
        return text


@st.composite
def _dependencies(draw: st.DrawFn, used: tuple[str, ...]) -> list[Any]:
    if not used:
        return []
    producer = st.sampled_from(used)
    return draw(_list_of(producer | st.tuples(producer, edge_kinds), 3))


@cache
def _operand_lists(gen: Generation) -> st.SearchStrategy[list[Operand]]:
    return _list_of(operands(gen), 2)


@st.composite
def _instruction(draw: st.DrawFn, gen: Generation, block: _Block, opcode: str) -> Instruction:
    name = block.name(draw(texts))
    instruction = Instruction(
        name=name,
        opcode=opcode,
        engine=draw(engines),
        ins=draw(_operand_lists(gen)),
        outs=draw(_operand_lists(gen)),
        dependencies=draw(_dependencies(tuple(block.used))),
        cost=draw(costs),
        queue=draw(queues),
        **draw(attributes(gen)),
    )
    block.used.append(name)
    if opcode == "DMATrigger":
        instruction.transfer = draw(_instruction(gen, block, draw(transfer_opcodes)))
    return instruction


@st.composite
def _sequence(draw: st.DrawFn, gen: Generation, block: _Block, depth: int) -> list[Instruction]:
    instructions = []
    while block.left > 0 and draw(st.integers(0, 7)) < 7:
        shape = draw(shapes)
        if shape == "loop" and depth < 3:
            loop = Instruction(
                name=block.name(draw(texts)),
                opcode="Loop",
                engine=draw(engines),
                dependencies=draw(_dependencies(tuple(block.used))),
                trip_count=draw(trip_counts),
                **draw(attributes(gen)),
            )
            block.used.append(loop.name)
            loop.body = draw(_sequence(gen, block, depth + 1))
            instructions.append(loop)
        else:
            opcode = "DMATrigger" if shape == "trigger" else draw(plain_opcodes)
            instructions.append(draw(_instruction(gen, block, opcode)))
    return instructions


@st.composite
def blocks(draw: st.DrawFn, gen: Generation, name: str, most: int) -> BlockRecord:
    """A block of a few instructions, perhaps none."""
    return BlockRecord(name=name, instructions=draw(_sequence(gen, _Block(draw(st.integers(0, most))), 0)))


@st.composite
def program_records(draw: st.DrawFn, instructions: int = 8) -> ProgramRecord:
    """A valid program record of any shape, perhaps empty, with up to ``instructions`` in a block."""
    arch = draw(st.sampled_from(sorted(ARCH_NAMES)))
    gen = generation(arch)
    functions = []
    for function_name in sorted(set(draw(_list_of(texts, 2)))):
        block_names = sorted(set(draw(_list_of(texts, 2))))
        functions.append(
            FunctionRecord(name=function_name, blocks=[draw(blocks(gen, n, instructions)) for n in block_names])
        )
    return ProgramRecord(
        name=draw(texts),
        arch=arch,
        arch_version=draw(maybe(st.integers(0, 99))),
        modular_flow_runs=draw(st.sampled_from((1, 1, 3, 10**6))),
        origin=draw(maybe(st.builds(Origin, source=texts, licence=maybe(texts), note=maybe(texts)))),
        functions=functions,
    )
