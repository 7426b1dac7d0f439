"""What the graph says about a lone transfer: ADR-0049's formula, and the terms by which a machine must differ from it.

Every term is a closed form over the parameters of the parts and links on the way. Nothing here has seen a simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from benches.probe.memories import Memory
from benches.probe.payload import Payload, Pipeline
from benches.probe.way import ZERO, Way, in_ticks

TERMS = {
    "translation": "an MMU looks up each page that an access touches",
    "compute": "an engine computes on a tile",
    "dma_start": "a DMA engine on the way starts the request",
    "flit_fill": "a flit crosses every link but the slowest one before the pipeline is full",
    "store_and_forward": "a part that re-assembles lets a transfer on as a whole, so its bytes are paid for again",
    "first_burst": "nothing leaves a memory before its first flit is read",
    "last_burst": "a write is over when the memory has taken its last burst",
    "memory_backlog": "the memory, or a channel of it, is slower than the links",
    "turn_round": "channels of a memory that were written to just before turn round for a read",
    "window_stall": "the window is smaller than what fits on the way",
    "command_leg": "a read sends a command of no bytes first",
    "response_leg": "a write ends with an answer of no bytes",
    "tick_rounding": "parts round their latencies up to whole picoseconds",
}
"""What each term is for, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """``formula_ns`` is ADR-0049 D4's wire + overhead + drain of the way that the payload takes."""

    wire_ns: Fraction
    overhead_ns: Fraction
    drain_ns: Fraction
    bottleneck_gbs: Fraction | None
    terms: dict[str, Fraction]

    @property
    def formula_ns(self) -> Fraction:
        """Wire + overhead + drain."""
        return self.wire_ns + self.overhead_ns + self.drain_ns

    @property
    def total_ns(self) -> Fraction:
        """What the machine must say."""
        return self.formula_ns + sum(self.terms.values(), ZERO)


def drain_ns(way: Way, nbytes: int) -> Fraction:
    """ADR-0049 D3: the bytes at the rate of the slowest link; 0 if no link has a rate."""
    rate = way.bottleneck_gbs
    return nbytes / rate if rate is not None else ZERO


def predict(
    way: Way,
    payload: Payload,
    *,
    source: Memory | None = None,
    sink: Memory | None = None,
    window_flits: int | None = None,
    before: Way | None = None,
    after: Way | None = None,
    start_ns: Fraction = ZERO,
) -> Predicted:
    """A transfer of ``payload`` along ``way``, read from ``source`` or written to ``sink``, ``start_ns`` and a command
    along ``before`` first, and followed by an answer along ``after``."""
    terms = {"dma_start": start_ns, **_terms(way, payload, source, sink, window_flits)}
    formula = way.latency_ns + drain_ns(way, payload.nbytes)
    exact = formula + sum(terms.values(), ZERO)
    legs_ns = legs_in_ticks_ns = ZERO
    for name, leg in (("command_leg", before), ("response_leg", after)):
        if leg is not None:
            terms[name] = leg.latency_ns
            legs_ns, legs_in_ticks_ns = legs_ns + leg.latency_ns, legs_in_ticks_ns + leg.latency_in_ticks_ns
    stall = _stall(way, payload, source, sink, window_flits, in_ticks) if window_flits is not None else ZERO
    rounded = in_ticks(_in_ticks(way, payload, source, sink) + stall) + legs_in_ticks_ns + in_ticks(start_ns)
    terms["tick_rounding"] = rounded - exact - legs_ns
    return Predicted(
        way.wire_ns,
        way.overhead_ns,
        drain_ns(way, payload.nbytes),
        way.bottleneck_gbs,
        {name: terms[name] for name in TERMS if terms.get(name)},
    )


def _terms(
    way: Way, payload: Payload, source: Memory | None, sink: Memory | None, window: int | None
) -> dict[str, Fraction]:
    """The terms of the payload's own leg, without rounding."""
    stretches = way.stretches
    pipes = [Pipeline(stretch, payload) for stretch in stretches]
    drains = [payload.nbytes * stretch.ns_per_byte for stretch in stretches]
    chains = [pipe.arrival_ns(pipe.final) for pipe in pipes]
    terms = {
        "store_and_forward": sum(drains, ZERO) - max(drains),
        "flit_fill": sum(chains, ZERO) - sum(drains, ZERO),
    }
    backlog = ZERO
    if source is not None:
        releases = source.read_ns(payload, ZERO, _same)
        terms["first_burst"] = source.first_ns(payload)
        backlog += pipes[0].last_arrival_ns(releases) - chains[0] - terms["first_burst"]
    if sink is not None:
        arrivals = [pipes[-1].arrival_ns(flit) for flit in range(payload.flits)]
        terms["last_burst"] = sink.last_ns(payload)
        backlog += sink.written_ns(payload, arrivals, _same) - arrivals[-1] - terms["last_burst"]
    terms["memory_backlog"] = backlog
    if window is not None:
        terms["window_stall"] = _stall(way, payload, source, sink, window, _same)
    return terms


def _in_ticks(way: Way, payload: Payload, source: Memory | None, sink: Memory | None) -> Fraction:
    """When the payload is over, not rounded, with every latency and every moment that a memory sees in whole ticks."""
    at = in_ticks(way.stops[0].overhead_ns)
    stretches = way.stretches
    first = 0
    for number, stretch in enumerate(stretches):
        after = first + len(stretch.wires)
        latency = sum((in_ticks(w.wire_ns) + in_ticks(w.overhead_ns) for w in stretch.wires), ZERO)
        latency += sum((in_ticks(stop.overhead_ns) for stop in way.stops[first + 1 : after + 1]), ZERO)
        pipe = Pipeline(stretch, payload)
        if sink is not None and number == len(stretches) - 1:
            arrivals = [at + latency + pipe.arrival_ns(flit) for flit in range(payload.flits)]
            at = sink.written_ns(payload, arrivals, in_ticks)
        elif source is not None and number == 0:
            at = pipe.last_arrival_ns(source.read_ns(payload, at, in_ticks)) + latency
        else:
            at += pipe.arrival_ns(pipe.final) + latency
        first = after
    return at


def _stall(
    way: Way,
    payload: Payload,
    source: Memory | None,
    sink: Memory | None,
    window: int,
    moment: Callable[[Fraction], Fraction],
) -> Fraction:
    """What the window adds: flits that are let go when others before them have been delivered.

    Exact without a memory. With one, as if all flits were whole: a window of w flits comes round once in the time that
    a flit takes over a stretch; if it is too small, the slowest link has served w flits before that.
    """
    stall, first, stretches = ZERO, 0, way.stretches
    for number, stretch in enumerate(stretches):
        after = first + len(stretch.wires)
        memories = [m for m, here in ((source, number == 0), (sink, number == len(stretches) - 1)) if m and here]
        pipe, latency = Pipeline(stretch, payload), _latency_ns(way, first, after, moment)
        if memories:
            round_trip = pipe.whole_ns + latency + sum((memory.last_ns(payload) for memory in memories), ZERO)
            spacing = max([pipe.slowest_ns, *(memory.spacing_ns(payload.flit_bytes) for memory in memories)])
            stall += pipe.final // window * max(ZERO, round_trip - window * spacing)
        else:
            stall += pipe.windowed_ns(window, latency) - pipe.arrival_ns(pipe.final)
        first = after
    return stall


def _latency_ns(way: Way, first: int, after: int, moment: Callable[[Fraction], Fraction]) -> Fraction:
    """From the end of a flit on each link to its delivery, summed over the links of a stretch."""
    wires = sum((moment(wire.wire_ns) + moment(wire.overhead_ns) for wire in way.wires[first:after]), ZERO)
    ends_held = after < len(way.stops) - 1
    stops = way.stops[first + 1 : after + (0 if ends_held else 1)]
    return wires + sum((moment(stop.overhead_ns) for stop in stops), ZERO)


def _same(moment_ns: Fraction) -> Fraction:
    return moment_ns
