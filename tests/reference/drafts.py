"""Drafts: instructions without names, whose edges count backwards instead of naming anybody, and how they get names.

Naming makes a valid document of any list of drafts, so a property test can drop drafts one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]

EDGE_KIND_NAMES = ("Invalid", "Ordered", "Anti", "Output", "Flow")
FLOW = 4


@dataclass(frozen=True)
class Edge:
    """A dependency on the ``back``-th name before this one (0 = the one just before), modulo how many there are."""

    back: int
    kind: int = FLOW
    spelling: str = "name"


@dataclass(frozen=True)
class Draft:
    """An instruction without name and producers; ``body`` makes it a Loop, ``transfer`` a DMATrigger."""

    fields: dict[str, Any]
    edges: tuple[Edge, ...] = ()
    transfer: Draft | None = None
    body: tuple[Draft, ...] | None = None


@dataclass
class Namer:
    """Gives names in program order and turns edges into dependencies on names already given."""

    names: list[str] = field(default_factory=list)

    def build(self, drafts: Sequence[Draft]) -> list[Document]:
        return [self._instruction(draft, f"i{len(self.names)}") for draft in drafts]

    def _instruction(self, draft: Draft, name: str) -> Document:
        instruction: Document = {"name": name, **draft.fields, "dependencies": self._dependencies(draft.edges)}
        self.names.append(name)
        if draft.body is not None:
            instruction["body"] = self.build(draft.body)
        if draft.transfer is not None:
            instruction["transfer"] = self._instruction(draft.transfer, f"{name}.x")
        return instruction

    def _dependencies(self, edges: Sequence[Edge]) -> list[Any]:
        dependencies: list[Any] = []
        for edge in edges if self.names else ():
            producer = self.names[-1 - edge.back % len(self.names)]
            if edge.spelling == "bare" and edge.kind == FLOW:
                dependencies.append(producer)
            elif edge.spelling == "number":
                dependencies.append([producer, edge.kind])
            else:
                dependencies.append([producer, EDGE_KIND_NAMES[edge.kind]])
        return dependencies


def build_document(head: Document, functions: Sequence[Sequence[Sequence[Draft]]]) -> Document:
    """``head`` with functions of blocks of drafts; names start afresh in every block."""
    return {
        **head,
        "functions": [
            {
                "name": "main" if number == 0 else f"f{number}",
                "blocks": [
                    {"name": f"bb{k}", "instructions": Namer().build(drafts)} for k, drafts in enumerate(blocks)
                ],
            }
            for number, blocks in enumerate(functions)
        ],
    }
