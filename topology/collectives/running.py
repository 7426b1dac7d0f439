"""A plan under way: every send a flow of the machine's fabric that starts when what it waits for is over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Protocol

from simcore.units import ns_to_ticks
from topology.collectives.send import Plan, Send
from topology.collectives.slots import NO_COSTS, Costs
from topology.collectives.ways import Share, Ways
from topology.machine.hops import ONCE, charge_ns, engine_start_ns
from topology.routes.route import Route

if TYPE_CHECKING:
    from simpy.events import Event

    from components.fabric.flow import Flow
    from simcore.kernel import Environment
    from topology.machine.machine import Machine
    from topology.machine.site import Site
    from topology.system import System


@dataclass(slots=True)
class SendTimes:
    """Picoseconds. ``ready``: nothing is waited for any more; ``left``: the last byte has arrived; ``usable``: the
    receiver can go on with it. ``bound_by``: the send that was waited for last, None for a rank."""

    ready: int
    left: Fraction = Fraction(0)
    usable: Fraction = Fraction(0)
    bound_by: str | None = None


class Watch(Protocol):
    """Who is told of the shares of a run's sends."""

    def begins(self, send: Send, share: Share) -> None:
        """``send`` is ready: the start of its sender runs for this share."""

    def ends(self, send: Send, share: Share, flow: Flow, start_ticks: int) -> None:
        """The share has arrived as ``flow``; ``start_ticks`` of its sender's start ran before that."""


class CollectiveRun:
    """``plan`` over ``machine``, rank r at the part ``nodes[r]``; ``ways``: over which links, None: the routes.

    A rank takes part from its :meth:`arrive` on: nothing is sent from it or to it before. ``rank_done[r]`` happens when
    rank r has nothing more to send or to receive, ``done`` when nobody has; ``times`` by the sends' names.
    """

    def __init__(
        self,
        machine: Machine,
        plan: Plan,
        nodes: Sequence[str],
        costs: Costs = NO_COSTS,
        name: str = "collective",
        *,
        ways: Ways | None = None,
        watch: Watch | None = None,
    ) -> None:
        env = machine.env
        self.machine = machine
        self.plan = plan
        self.nodes = nodes
        self.costs = costs
        self.name = name
        self._ways = ways if ways is not None else Ways(machine.site, nodes)
        self._watch = watch
        self.done: Event = env.event()
        self.rank_done: list[Event] = [env.event() for _ in range(plan.ranks)]
        self.times: dict[str, SendTimes] = {}
        self._waits = [len(send.after) + 2 for send in plan.sends]
        self._to_do = [1] * plan.ranks
        """For each rank its arrival, its sends that have not left and what it has not received."""
        self._arrived = [False] * plan.ranks
        self._paid_ticks = [0] * plan.ranks
        self._known_starts: dict[tuple[int, int, int], int] = {}
        """What a share pays before it moves, by source, destination and engine."""
        self._shares_left: dict[int, int] = {}
        self._of_rank: dict[int, list[int]] = defaultdict(list)
        self._after_left: dict[str, list[int]] = defaultdict(list)
        self._after_usable: dict[str, list[int]] = defaultdict(list)
        destination = {send.name: send.dst for send in plan.sends}
        for number, send in enumerate(plan.sends):
            for rank in (send.src, send.dst):
                self._of_rank[rank].append(number)
                self._to_do[rank] += 1
            for before in send.after:
                received = destination[before] == send.src
                (self._after_usable if received else self._after_left)[before].append(number)

    def arrive(self, rank: int, paid_ticks: int = 0) -> None:
        """Rank ``rank`` has its data ready, and takes data from now on.

        ``paid_ticks``: as much of the start of its sends that wait for no other is paid for elsewhere.
        """
        if self._arrived[rank]:
            raise ValueError(f"{self.name}: rank {rank} arrives twice")
        self._arrived[rank] = True
        self._paid_ticks[rank] = paid_ticks
        self._one_less(rank)
        self._release(self._of_rank[rank], None)

    def arrive_all(self) -> None:
        """All ranks are ready now."""
        for rank in range(self.plan.ranks):
            self.arrive(rank)

    def sends_of(self, rank: int) -> list[Send]:
        """The sends from and to ``rank``, in the plan's order."""
        return [self.plan.sends[number] for number in self._of_rank[rank]]

    def _release(self, numbers: Iterable[int], by: str | None) -> None:
        for number in numbers:
            self._waits[number] -= 1
            if not self._waits[number]:
                self._start(number, by)

    def _start(self, number: int, by: str | None) -> None:
        send, env = self.plan.sends[number], self.machine.env
        self.times[send.name] = SendTimes(ready=env.now, bound_by=by)
        shares = self._ways.take(send)
        self._shares_left[number] = len(shares)
        for share in shares:
            paid = 0 if send.after else self._paid_ticks[send.src]
            before = max(self._start_ticks(send, share) - paid, 0)
            if self._watch is not None:
                self._watch.begins(send, share)
            _after(env, before, partial(self._submit, number, share, before))

    def _start_ticks(self, send: Send, share: Share) -> int:
        key = send.src, send.dst, share.engine
        if key not in self._known_starts:
            self._known_starts[key] = ns_to_ticks(start_ns(self.machine.site.system, share.route))
        return self._known_starts[key]

    def _submit(self, number: int, share: Share, before: int) -> None:
        machine, send = self.machine, self.plan.sends[number]
        flow = machine.flow(f"{self.name}.{send.name}", share.nbytes, machine.path(share.route))
        flow.order = number
        done = machine.fabric.submit(flow)
        assert done.callbacks is not None

        def has_left(_: Event) -> None:
            assert flow.ended_ticks is not None
            if self._watch is not None:
                self._watch.ends(send, share, flow, before)
            times = self.times[send.name]
            times.left = max(times.left, flow.ended_ticks)
            self._shares_left[number] -= 1
            if not self._shares_left[number]:
                self._left(send, times.left)

        done.callbacks.append(has_left)

    def _left(self, send: Send, at: Fraction) -> None:
        env, times = self.machine.env, self.times[send.name]
        delay = self.costs.after_arrival_ticks(send)
        times.usable = Fraction(env.now + delay) if delay else at
        self._release(self._after_left[send.name], send.name)
        self._one_less(send.src)
        _after(env, delay, lambda: self._usable(send))

    def _usable(self, send: Send) -> None:
        self._release(self._after_usable[send.name], send.name)
        self._one_less(send.dst)

    def _one_less(self, rank: int) -> None:
        self._to_do[rank] -= 1
        if not self._to_do[rank]:
            self.rank_done[rank].succeed()
            if not any(self._to_do):
                self.done.succeed()


def routes_of(site: Site, plan: Plan, nodes: Sequence[str]) -> list[Route]:
    """The routes of all sends, each once. Raises NoRouteError where there is none."""
    return Ways(site, nodes).routes(plan)


def start_ns(system: System, route: Route) -> Fraction:
    """What a send along ``route`` pays before its first byte moves: its DMA engines' start, its sender's order."""
    source = system.node(route.nodes[0])
    return engine_start_ns(system, route) + (charge_ns(source) if source.kind in ONCE else Fraction(0))


def simulate(
    site: Site, plan: Plan, nodes: Sequence[str], costs: Costs = NO_COSTS, *, watch: Watch | None = None
) -> CollectiveRun:
    """``plan`` alone on a fresh machine, all ranks ready at 0. Raises InputError for ranks without a way."""
    from simcore.kernel import Environment

    env = Environment()
    run = CollectiveRun(site.machine(env, routes_of(site, plan, nodes)), plan, nodes, costs, watch=watch)
    run.arrive_all()
    env.run(run.done)
    return run


def _after(env: Environment, ticks: int, act: Callable[[], None]) -> None:
    """Lets ``act`` happen in ``ticks``, at once if that is none."""
    if not ticks:
        act()
        return
    timeout = env.timeout(ticks)
    assert timeout.callbacks is not None
    timeout.callbacks.append(lambda _: act())
