"""MMU: the page table of a PE, and the TLB that remembers some of it (ADR-0053).

First action of a lookup: it waits for its turn, since one is served at a time. Then every page that the access touches
is looked up, in the order of the addresses: a hit if the TLB holds it, else a miss; the time of all of them runs; and
the physical addresses are handed back. Whoever translates pays: pipelined or direct is all the same here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.pe.faults import PageFault
from components.quantities import Count, Ns, PowerOfTwo
from components.registry import register
from simcore.kernel import Channel, Environment, Part, Port, PortSpec, Story
from simcore.units import ns_to_ticks


class PeMmuParameters(BaseModel):
    """``page_bytes``: what is mapped as a whole. ``tlb_hit_ns``, ``tlb_miss_ns``: of each page touched by an access."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    page_bytes: PowerOfTwo
    tlb_hit_ns: Ns
    tlb_miss_ns: Ns


class SmallTlbParameters(PeMmuParameters):
    """``tlb_entries``: pages that the TLB holds."""

    tlb_entries: Count


P = TypeVar("P", bound=PeMmuParameters)


@dataclass(frozen=True, slots=True)
class Segment:
    """``nbytes`` from the physical ``address`` on."""

    address: int
    nbytes: int


@dataclass(slots=True, eq=False)
class Lookup:
    """Where the bytes of an access lie. ``what`` names the access; the value of ``done`` is a tuple of segments, in the
    order of the virtual addresses, as few as there can be."""

    what: str
    address: int
    nbytes: int
    done: Event


@dataclass(slots=True, eq=False)
class PageRequest:
    """Maps ``nbytes`` from ``virtual`` on to those from ``physical`` on, or unmaps them (``physical`` None).

    The value of ``done`` is None, or a Refusal, and then nothing has changed.
    """

    virtual: int
    physical: int | None
    nbytes: int
    done: Event


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request over the fabric was not carried out."""

    error_code: str
    error_message: str


class MmuBase(Part[P]):
    """What the MMUs share: everything but how much the TLB holds.

    They count lookups and page requests alike; ``hits`` and ``misses`` count pages. Log rows: ``hit`` and ``miss``
    (access, page), ``map`` and ``unmap`` (virtual, physical address, bytes).
    """

    port_specs = (PortSpec("lookups", "in", Lookup), PortSpec("pages", "in", PageRequest, optional=True))

    def __init__(self, env: Environment, name: str, parameters: P, ports: Mapping[str, Port[Any]]) -> None:
        super().__init__(env, name, parameters, ports)
        self.hits = 0
        self.misses = 0
        self._turn = Channel(env, f"{name}.turn")
        self._table: dict[int, int] = {}
        """Physical page by virtual page."""
        self._tlb: dict[int, None] = {}
        """Virtual pages, the least recently used one first."""
        self._hit_ticks = ns_to_ticks(parameters.tlb_hit_ns)
        self._miss_ticks = ns_to_ticks(parameters.tlb_miss_ns)
        self.ports["lookups"].hand_to(self._accept)
        if "pages" in ports:
            self.ports["pages"].hand_to(self._change)

    def make_room(self, tlb: dict[int, None]) -> None:
        """A page that is not in ``tlb``, the least recently used one first, is about to enter it."""

    def _accept(self, lookup: Lookup) -> None:
        for word, value in (("address", lookup.address), ("nbytes", lookup.nbytes)):
            if type(value) is not int or value < 0:
                raise self.error(f"{lookup.what}: {word} {value!r} (an int, 0 or more)")
        self.accepted += 1
        token = self._turn.acquire(self, lookup.what)
        self.spawn(self._serve(lookup, token), lookup.what)

    def _serve(self, lookup: Lookup, token: Any) -> Story:
        yield token
        segments, ticks = self._translate(lookup)
        if ticks:
            yield self.env.timeout(ticks)
        self._turn.release(token)
        self.completed += 1
        lookup.done.succeed(segments)

    def _translate(self, lookup: Lookup) -> tuple[tuple[Segment, ...], int]:
        """Where the bytes lie, and what it takes to find out."""
        size = self.parameters.page_bytes
        segments: list[Segment] = []
        ticks, at, end = 0, lookup.address, lookup.address + lookup.nbytes
        while at < end:
            page, inside = divmod(at, size)
            if page not in self._table:
                raise self._page_fault(lookup, page)
            ticks += self._touch(page, lookup.what)
            here, length = self._table[page] * size + inside, min(size - inside, end - at)
            if segments and segments[-1].address + segments[-1].nbytes == here:
                segments[-1] = Segment(segments[-1].address, segments[-1].nbytes + length)
            else:
                segments.append(Segment(here, length))
            at += length
        return tuple(segments), ticks

    def _touch(self, page: int, what: str) -> int:
        """The time to look ``page`` up; it is the most recently used one now."""
        is_hit = page in self._tlb
        if is_hit:
            self.hits += 1
            del self._tlb[page]
        else:
            self.misses += 1
            self.make_room(self._tlb)
        self._tlb[page] = None
        if self.record is not None:
            self.record((self.env.now, self.name, "hit" if is_hit else "miss", what, page))
        return self._hit_ticks if is_hit else self._miss_ticks

    def _page_fault(self, lookup: Lookup, page: int) -> PageFault:
        size = self.parameters.page_bytes
        where = f"virtual {lookup.address:#x} to {lookup.address + lookup.nbytes - 1:#x}"
        mapped = f"{len(self._table)} pages are mapped" if self._table else "no page is mapped"
        if self._table:
            near = min(self._table, key=lambda other: (abs(other - page), other))
            mapped += f", the nearest at {near * size:#x}"
        message = f"{lookup.what}, {where}: the page at {page * size:#x} is not mapped ({mapped})"
        return PageFault(self.name, self.env.now, message)

    def _change(self, request: PageRequest) -> None:
        """Maps or unmaps at once: what it costs to get here, the way to the PE has cost."""
        self.accepted += 1
        refusal = self._refusal(request)
        if refusal is None:
            self._carry_out(request)
        self.completed += 1
        request.done.succeed(refusal)

    def _refusal(self, request: PageRequest) -> Refusal | None:
        size = self.parameters.page_bytes
        for word in ("virtual", "physical", "nbytes"):
            value = getattr(request, word)
            least = size if word == "nbytes" else 0
            if value is not None and (type(value) is not int or value < least or value % size):
                shown = f"{value:#x}" if type(value) is int and value > 0 else repr(value)
                return Refusal("misaligned", f"{self.name}: {word} {shown} is no multiple of the page of {size} bytes")
        wanted = request.physical is None
        for page in self._pages(request):
            if (page in self._table) != wanted:
                state = "is not mapped" if wanted else f"is mapped already, to {self._table[page] * size:#x}"
                code = "not_mapped" if wanted else "already_mapped"
                return Refusal(code, f"{self.name}: the page at virtual {page * size:#x} {state}")
        return None

    def _carry_out(self, request: PageRequest) -> None:
        for page in self._pages(request):
            if request.physical is None:
                del self._table[page]
                self._tlb.pop(page, None)
            else:
                size = self.parameters.page_bytes
                self._table[page] = (request.physical - request.virtual) // size + page
        if self.record is not None:
            what = "unmap" if request.physical is None else "map"
            extra = () if request.physical is None else (request.physical,)
            self.record((self.env.now, self.name, what, f"{request.virtual:#x}", *extra, request.nbytes))

    def _pages(self, request: PageRequest) -> range:
        size = self.parameters.page_bytes
        return range(request.virtual // size, (request.virtual + request.nbytes) // size)


@register("pe_mmu", "unbounded_tlb", default=True)
class PeMmu(MmuBase[PeMmuParameters]):
    """The MMU of a PE. Its TLB holds every page that was touched, so that only the first touch of a page is a miss."""


@register("pe_mmu", "lru_tlb")
class LruTlbMmu(MmuBase[SmallTlbParameters]):
    """An MMU whose TLB holds so many pages; the least recently used one leaves it first."""

    def make_room(self, tlb: dict[int, None]) -> None:
        """Takes the first one out if the TLB is full."""
        if len(tlb) == self.parameters.tlb_entries:
            del tlb[next(iter(tlb))]
