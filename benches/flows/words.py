"""What an arbitration means for fairness, in a sentence or two."""

from __future__ import annotations

from benches.flows.traffic import PORTS, FlowOptions

_TURNS = {
    "flow_round_robin": "Flows take turns at every link: each gets its max-min fair share, up to some flits.",
    PORTS: (
        "Router inputs take turns, not flows: a flow gets less at every merge on its way (along a chain a half, a "
        "quarter, an eighth), whatever its fair share."
    ),
    "fifo": (
        "Links serve flits as they come: who has more in a queue gets more. Equal windows give a flow less the more "
        "busy links it crosses, not its max-min fair share."
    ),
}


def fairness_of(options: FlowOptions) -> str:
    """Who gets how much under ``options``, and what holds sources back."""
    return f"{_TURNS[options.arbitration]} {_held_back(options)}"


def _held_back(options: FlowOptions) -> str:
    window, room = options.window_flits, options.link_buffer_bytes
    if options.arbitration == PORTS and room is not None:
        given = "" if options.buffer_bytes is not None else f", which is the window of {window} flits held at each link"
        return f"Sources are held back by the {room} bytes of buffer behind each link{given}."
    if room is not None:
        return (
            f"Flows share the {room} bytes of buffer behind each link, so that one that is held up holds up those "
            "behind it, and may end far later than its fair share says."
        )
    if window is None:
        return "Nothing holds a source back (window_flits and buffer_bytes are null): " + (
            "its flits queue at its first link, where they are in nobody's way."
            if options.arbitration == "flow_round_robin"
            else "whole transfers queue at links, and short ones wait behind long ones."
        )
    return f"A flow has at most {window} flits under way; buffers have no end, so that nobody blocks a link for others."
