"""Max-min fairness once more, in exact fractions and without any economy: everything anew at every event."""

from __future__ import annotations

from fractions import Fraction

from benches.fair_share.fluid import Network

INFINITE = None


def fair_rates(network: Network, running: list[int]) -> dict[int, Fraction | None]:
    """All rates grow together; a flow stops growing when a link of its way is used up."""
    rates: dict[int, Fraction] = dict.fromkeys(running, Fraction(0))
    limits: list[tuple[Fraction, list[int]]] = []
    for link, capacity in enumerate(network.capacities_gbs):
        members = [n for n in running if link in network.flows[n].links]
        if members and capacity != float("inf"):
            limits.append((Fraction(capacity), members))
    growing = {n for n in running if any(n in members for _, members in limits)}
    free = [n for n in running if n not in growing]
    while growing:
        step = min(
            (capacity - sum(rates[n] for n in members)) / len(active)
            for capacity, members in limits
            if (active := [n for n in members if n in growing])
        )
        for n in growing:
            rates[n] += step
        for capacity, members in limits:
            if sum(rates[n] for n in members) == capacity:
                growing -= set(members)
    return {**rates, **dict.fromkeys(free, INFINITE)}


def ends(network: Network) -> list[Fraction]:
    """When each flow ends, in ns."""
    flows = network.flows
    left = {n: Fraction(flow.nbytes) for n, flow in enumerate(flows)}
    ended: dict[int, Fraction] = {}
    on_links: dict[int, Fraction] = {}
    running: list[int] = []
    now = Fraction(0)
    while len(ended) < len(flows):
        for n, flow in enumerate(flows):
            if n not in on_links and all(other in ended for other in flow.after):
                start = max([Fraction(flow.start_ns), *(ended[other] for other in flow.after)])
                on_links[n] = start + Fraction(flow.head_ns)
        waiting = [n for n, at in on_links.items() if n not in ended and n not in running]
        rates = fair_rates(network, running)
        times = [on_links[n] for n in waiting]
        times += [now if rates[n] is INFINITE else now + left[n] / rates[n] for n in running]
        then = min(times)
        for n in running:
            if rates[n] is not INFINITE:
                left[n] -= rates[n] * (then - now)
        now = then
        over = [n for n in running if rates[n] is INFINITE or left[n] == 0]
        running = [n for n in running if n not in over]
        for n in waiting:
            if on_links[n] == now:
                (running if left[n] else over).append(n)
        for n in over:
            ended[n] = now + Fraction(flows[n].tail_ns)
    return [ended[n] for n in range(len(flows))]
