"""Random small networks and traffic."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from tests.components.fabric.plain import PlainFlow, PlainHop, PlainLink, PlainNetwork

FLIT_BYTES = 64
RATES = [Fraction(64), Fraction(64), Fraction(32), Fraction(48), Fraction("204.8"), Fraction(7), Fraction(1, 3)]
ARBITRATIONS = ["flow_round_robin", "port_round_robin", "fifo"]


@st.composite
def networks(draw, *, banks: tuple[str, ...] = (), unlimited: bool = False) -> PlainNetwork:
    """Links lead from lower to higher nodes, so that finite buffers cannot lock each other up."""
    nodes = draw(st.integers(2, 5))
    hops = tuple(
        PlainHop(draw(st.sampled_from([0, 0, 1000, 2500])), draw(st.integers(0, 5)) == 0) for _ in range(nodes)
    )
    arbitration = draw(st.sampled_from([*ARBITRATIONS, None]))
    buffers = draw(st.booleans())
    links = tuple(draw(a_link(i, arbitration, buffers, unlimited)) for i in range(nodes - 1))
    extra = draw(st.integers(0, 3))
    links += tuple(
        draw(a_link(draw(st.integers(0, nodes - 2)), arbitration, buffers, unlimited, nodes)) for _ in range(extra)
    )
    flows = tuple(draw(a_flow(i, links, banks)) for i in range(draw(st.integers(1, 6))))
    return PlainNetwork(FLIT_BYTES, hops, links, flows)


@st.composite
def a_link(draw, source: int, arbitration: str | None, buffers: bool, unlimited: bool, nodes: int = 0) -> PlainLink:
    destination = draw(st.integers(source + 1, nodes - 1)) if nodes else source + 1
    rate = draw(st.sampled_from([*RATES, Fraction(0)] if unlimited else RATES))
    latency = draw(st.sampled_from([0, 0, 0, 500, 1000, 7001, 30_000]))
    places = draw(st.sampled_from([None, 64, 100, 128, 300, 1000])) if buffers else None
    returns = draw(st.sampled_from([0, 0, 2000, 9000]))
    return PlainLink(
        source, destination, rate, latency, arbitration or draw(st.sampled_from(ARBITRATIONS)), places, returns
    )


@st.composite
def a_flow(draw, number: int, links: tuple[PlainLink, ...], banks: tuple[str, ...]) -> PlainFlow:
    at = draw(st.integers(0, max(link.source for link in links)))
    path: list[int] = []
    while out := [i for i, link in enumerate(links) if link.source == at]:
        if path and draw(st.integers(0, 3)) == 0:
            break
        path.append(draw(st.sampled_from(out)))
        at = links[path[-1]].destination
    if draw(st.integers(0, 15)) == 0:
        path = []
    nbytes = draw(st.one_of(st.integers(0, 300), st.integers(0, 6000), st.sampled_from([640, 6400])))
    start = draw(st.sampled_from([0, 0, 0, 1000, 5000, 12_345, 40_000, 100_000]))
    after = tuple(sorted(draw(st.sets(st.integers(0, number - 1), max_size=2)))) if number else ()
    after = after if draw(st.booleans()) else ()
    window = draw(st.sampled_from([None, None, 1, 2, 3, 16, 50]))
    ends: dict[str, str] = {}
    if banks and path:
        ends = {end: draw(st.sampled_from(banks)) for end in ("source", "sink") if draw(st.booleans())}
    address = draw(st.integers(0, 7)) * FLIT_BYTES
    return PlainFlow(nbytes, tuple(path), start, window, after, **ends, address=address)
