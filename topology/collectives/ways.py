"""Over which links a rank's sends go: the system's route to the other rank, or one by each of its DMA engines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components.core.spread import spread
from topology.collectives.send import Plan, Send
from topology.routes.route import Route

if TYPE_CHECKING:
    from topology.machine.site import Site


@dataclass(frozen=True, slots=True)
class Share:
    """``nbytes`` of a send along ``route``, by number ``engine`` of its source's DMA engines."""

    engine: int
    nbytes: int
    route: Route


class Ways:
    """Rank r is the part ``nodes[r]``, and ``engines[r]`` are its DMA engines; none: its sends go as the route leads.

    A send is spread over the engines of its source as a haul is (:func:`components.core.spread.spread`), the next send
    beginning behind the last engine used. What leaves by a rank's engine k comes in by the other rank's engine k (of
    fewer: k modulo their number).
    """

    def __init__(self, site: Site, nodes: Sequence[str], engines: Sequence[Sequence[str]] | None = None) -> None:
        self.nodes = nodes
        self._site = site
        self._engines = engines if engines is not None else [()] * len(nodes)
        self._next: dict[int, int] = defaultdict(int)
        self._known: dict[tuple[int, int, int], Route] = {}

    def take(self, send: Send) -> list[Share]:
        """The shares of ``send``, which starts now."""
        count, flit_bytes = self._count(send.src), self._site.system.flit_bytes
        parts = spread(send.nbytes, flit_bytes, count, self._next[send.src])
        self._next[send.src] = (self._next[send.src] + len(parts)) % count
        return [Share(part.engine, part.nbytes, self._route(send.src, send.dst, part.engine)) for part in parts]

    def routes(self, plan: Plan) -> list[Route]:
        """All routes that the sends of ``plan`` may take, each once. Raises NoRouteError where there is none."""
        pairs = dict.fromkeys((send.src, send.dst) for send in plan.sends)
        return [self._route(src, dst, number) for src, dst in pairs for number in range(self._count(src))]

    def _count(self, rank: int) -> int:
        return max(1, len(self._engines[rank]))

    def _route(self, src: int, dst: int, number: int) -> Route:
        key = src, dst, number
        if key not in self._known:
            self._known[key] = self._along(
                [self.nodes[src], *self._engine(src, number), *self._engine(dst, number), self.nodes[dst]]
            )
        return self._known[key]

    def _engine(self, rank: int, number: int) -> list[str]:
        engines = self._engines[rank]
        return [engines[number % len(engines)]] if engines else []

    def _along(self, stops: Sequence[str]) -> Route:
        """The route that calls at all ``stops``."""
        route = Route((stops[0],), ())
        for stop in stops[1:]:
            further = self._site.route(route.nodes[-1], stop)
            route = Route(route.nodes + further.nodes[1:], route.links + further.links)
        return route
