"""What the instructions of one random program may be: its architecture and the features it is drawn with."""

from __future__ import annotations

from dataclasses import dataclass

from tests.reference.chooser import Chooser
from tests.reference.drafts import Document

FEATURES = frozenset(
    {
        "edge_kinds",  # Ordered, Anti, Output, Invalid; by number; bare names (else Flow by name)
        "duplicate_edges",  # several edges on one pair
        "regions",  # regions 1 and 2 beside 0
        "psum_lists",  # psum_reads, psum_writes
        "psum_operands",  # PSUM operands with banks, addresses, patterns
        "psum_unknown",  # writers of a bank that is not known
        "foreign_engines",  # an opcode whose lane is not its engine's, an engine field that is unusual for the opcode
        "unassigned",  # engine Unassigned, lane 0
        "barriers",  # engine ALL
        "collectives",  # CollectiveCompute on every stream that the architecture shares out
        "send_recv",  # CollectiveSend, CollectiveRecv, Collective
        "local",  # collectives with is_local
        "triggers",  # DMATrigger with its transfer
        "trigger_costs",  # triggers with a cost above 0
        "queues",  # triggers that say their queue
        "dge_types",  # swdge and (where the hardware has it) hwdge
        "loops",  # Loop, up to two deep
        "arch_version",  # an arch_version of its own
        "arch_aliases",  # trn1, trn2, trn3
        "many_blocks",  # several blocks and functions
    }
)
"""What a program may contain; drawing with fewer keeps the rest out."""


@dataclass(frozen=True)
class Architecture:
    """What a generation allows: streams that have a share, PSUM banks, hardware descriptor generation."""

    alias: str | None
    streams: int
    banks: int
    has_hwdge: bool


ARCHITECTURES = {
    "gen3": Architecture("trn2", 2, 8, True),
    "sunda": Architecture("trn1", 4, 8, False),
    "core_v4": Architecture("trn3", 3, 8, True),
    "inferentia": Architecture(None, 0, 4, False),
}
ARCH_VERSIONS = (10, 20, 29, 30, 40)
FIRST_UNCOUPLED_VERSION = 30


@dataclass(frozen=True)
class Setting:
    """What the instructions of one program may be."""

    arch: str
    has_hwdge: bool
    features: frozenset[str]

    @property
    def architecture(self) -> Architecture:
        return ARCHITECTURES[self.arch]

    def allows(self, feature: str) -> bool:
        return feature in self.features


def draw_head(choose: Chooser, arch: str | None, features: frozenset[str]) -> tuple[Document, Setting]:
    """A document without functions, and what its instructions may be. ``arch`` takes either name of a generation."""
    unknown = features - FEATURES
    if unknown:
        raise ValueError(f"unknown features {sorted(unknown)} (there are {sorted(FEATURES)})")
    by_alias = {architecture.alias: name for name, architecture in ARCHITECTURES.items()}
    generation = choose.pick(tuple(ARCHITECTURES)) if arch is None else by_alias.get(arch, arch)
    architecture = ARCHITECTURES[generation]
    head: Document = {"schema": "kernbench.stream/1", "name": "random", "arch": arch or generation}
    if arch is None and architecture.alias and "arch_aliases" in features and choose.chance(25):
        head["arch"] = architecture.alias
    has_hwdge = architecture.has_hwdge
    if "arch_version" in features and choose.chance(25):
        head["arch_version"] = choose.pick(ARCH_VERSIONS)
        has_hwdge = has_hwdge and head["arch_version"] >= FIRST_UNCOUPLED_VERSION
    return head, Setting(generation, has_hwdge, features)
