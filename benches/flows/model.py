"""The result of ``kernbench flows``, as data: ``kernbench.flows/1``. Times in ns, rates in GB/s, sizes in bytes."""

from __future__ import annotations

import msgspec

from benches.flows.traffic import Ends

SCHEMA = "kernbench.flows/1"


class LinkCost(msgspec.Struct):
    """What a flow lost at a link, in ns."""

    src: str
    dst: str
    cost_ns: float


class FlowRecord(msgspec.Struct):
    """One flow. A share or a rate of a flow that takes no time is None.

    ``fair_end_ns``: by max-min fairness; ``fair_error_pct``: how much later than that it ended (negative: earlier), as
    a part of the time that it would have taken. ``bottleneck``: the link that holds it up for the longest time by that
    analysis; None if none does. ``alone_end_ns``: with nobody else about, from the same start; ``cost_ns``: what the
    others cost it; ``slowdown``: its time as a multiple of that alone. ``cost_by_link`` adds up to ``cost_ns``.
    ``granularity_ns``: how far flits and windows of those who share its links move its end away from ``fair_end_ns``
    (flow_round_robin; in a crowd more may come from further away).
    ``by_ports_end_ns`` and ``by_ports_error_pct``: the same by turns of router inputs (port_round_robin on a tree).
    """

    name: str
    src: str
    dst: str
    bytes: int
    path: tuple[str, ...]
    start_ns: float
    end_ns: float
    mean_gbs: float | None
    fair_end_ns: float
    fair_error_pct: float | None
    bottleneck: Ends | None
    alone_end_ns: float
    cost_ns: float
    slowdown: float | None
    cost_by_link: list[LinkCost]
    granularity_ns: float | None
    by_ports_end_ns: float | None
    by_ports_error_pct: float | None
    note: str | None


class LinkRecord(msgspec.Struct):
    """One link that flows cross. ``utilisation``: ``busy_ns`` as a part of the makespan, 0 to 1.

    ``flows``: how many cross it. ``cost_ns``: what they lost there, which adds up to that of all flows over all links.
    """

    src: str
    dst: str
    bytes: int
    utilisation: float
    busy_ns: float
    flows: int
    cost_ns: float


class OptionsRecord(msgspec.Struct):
    """The options in force. ``link_buffer_bytes``: the room behind each link that the run had (ADR-0061 D3)."""

    flit_bytes: int
    arbitration: str
    window_flits: int | None
    buffer_bytes: int | None
    link_buffer_bytes: int | None


class FlowsReport(msgspec.Struct):
    """``kernbench.flows/1``. ``fairness``: what the arbitration means for who gets how much.

    ``by_ports``: None unless inputs take turns; else whether the analysis of turns by input applies, or why not.
    """

    schema: str
    name: str
    topology: str
    options: OptionsRecord
    arbitration: str
    fairness: str
    makespan_ns: float
    flows: list[FlowRecord]
    links: list[LinkRecord]
    by_ports: str | None
    notes: list[str]
