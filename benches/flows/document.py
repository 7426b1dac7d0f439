"""What a traffic file (``kernbench.traffic/1``) may say: its sections, the entries of flows, quantities with limits."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator

from benches.flows.traffic import DEFAULT_ARBITRATION, DEFAULT_FLIT_BYTES, DEFAULT_NS_PER_MM, DEFAULT_WINDOW_FLITS
from simcore.program.faults import shown
from topology.document import Arbitration
from topology.text.models import Structure
from topology.text.quantities import Count, CountOrUnbounded, NotNegative, Quantities, number_fault
from topology.text.quantities import shown as number

LARGEST_BYTES = 1 << 40
"""Of one flow: more would be simulated for days."""


def _printable(text: str) -> str:
    if not text or not text.isprintable():
        raise ValueError(f"{shown(text)} is no name (allowed: characters that can be printed on one line)")
    return text


Name = Annotated[str, AfterValidator(_printable)]
"""It is printed in tables and drawings as it stands."""

LATEST_START_NS = 10**12
"""A quarter of an hour: until then the doubles of fair shares tell a tenth of a ps apart."""


class Document(Structure):
    """The sections of a file: ``topology`` or ``graph``, ``flows`` and ``options``."""

    schema_: Literal["kernbench.traffic/1"] = Field(alias="schema")
    name: Name | None = None
    about: str = ""
    topology: str | None = None
    graph: Any = None
    flows: list[Any]
    options: Any = None


class FlowEntry(Structure):
    """What a flow says besides its quantities."""

    name: Name
    src: str
    dst: str
    path: list[str] | None = None
    after: list[str] = Field(default_factory=list)


def _size(value: Any) -> int:
    fault = number_fault(value, "size_bytes", whole=True)
    if fault is None and value < 0:
        fault = f"must be 0 or more bytes, not {number(value)}"
    elif fault is None and value > LARGEST_BYTES:
        fault = f"must be at most {LARGEST_BYTES} bytes, not {number(value)}"
    if fault is not None:
        raise ValueError(fault)
    return int(value)


def _start(value: Any) -> Fraction:
    fault = number_fault(value, "start_ns")
    if fault is None and not 0 <= value <= LATEST_START_NS:
        fault = f"must be from 0 to {LATEST_START_NS} ns, not {number(value)}"
    if fault is not None:
        raise ValueError(fault)
    return Fraction(value)


class FlowQuantities(Quantities):
    """The quantities of a flow."""

    bytes: Annotated[int, PlainValidator(_size)]
    start_ns: Annotated[Fraction, PlainValidator(_start)] = Fraction(0)


class OptionQuantities(Quantities):
    """What a file may say in place of its system; what an inline graph does not say is as here."""

    flit_bytes: Count = DEFAULT_FLIT_BYTES
    arbitration: Arbitration = DEFAULT_ARBITRATION
    window_flits: CountOrUnbounded = DEFAULT_WINDOW_FLITS
    buffer_bytes: CountOrUnbounded = None
    ns_per_mm: NotNegative = DEFAULT_NS_PER_MM
