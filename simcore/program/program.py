"""A loaded program: functions of blocks, each block as columns and, when asked, as instructions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from simcore.program.columns import Columns
from simcore.program.decolumnise import instructions_of
from simcore.program.generations import Generation, generation
from simcore.program.instruction import BlockRecord, FunctionRecord, Instruction, Origin, ProgramRecord
from simcore.program.measured import Measurement


@dataclass
class Block:
    """A basic block. ``columns`` is the content; ``instructions`` is the same content as records, made on demand."""

    name: str
    columns: Columns

    @cached_property
    def instructions(self) -> list[Instruction]:
        """The instructions in program order, loops nested, transfers inline. Changing them changes no block."""
        return instructions_of(self.columns)


@dataclass
class Function:
    """Blocks in program order."""

    name: str
    blocks: list[Block]


@dataclass
class Program:
    """A program for one core. ``arch`` is a generation's name; ``arch_version`` gates the engine-coupling rules.

    ``file`` is where it was read from (for messages), ``notes`` are remarks of the reader, ``measured`` what hardware
    did, if the format says.
    """

    name: str
    arch: str
    arch_version: int
    functions: list[Function]
    modular_flow_runs: int = 1
    origin: Origin | None = None
    file: str = "<program>"
    notes: list[str] = field(default_factory=list)
    measured: Measurement | None = None

    @property
    def generation(self) -> Generation:
        """The chip generation the program is written for."""
        return generation(self.arch)

    @property
    def blocks(self) -> list[tuple[Function, Block]]:
        """Every block with its function, in program order."""
        return [(f, b) for f in self.functions for b in f.blocks]

    def record(self) -> ProgramRecord:
        """The program as a stream record."""
        return ProgramRecord(
            name=self.name,
            arch=self.arch,
            arch_version=None if self.arch_version == self.generation.arch_version else self.arch_version,
            modular_flow_runs=self.modular_flow_runs,
            origin=self.origin,
            functions=[
                FunctionRecord(
                    name=f.name, blocks=[BlockRecord(name=b.name, instructions=b.instructions) for b in f.blocks]
                )
                for f in self.functions
            ],
        )
