"""Work ``requests``: streams of requests to one part, which is alone in its environment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from simpy.events import Event

from benches.experiments.findings import Findings, not_empty
from benches.experiments.tcm_client import TcmClient
from benches.experiments.works import Home, Measured, Metric, Run, Work, as_finding
from components.parameters import check_parameters
from components.quantities import Ns
from components.registry import lookup
from simcore.errors import InputError, hint
from simcore.kernel import INSTANT_LIMIT, Countdown, Environment, KernelError, Part, Story, undrained
from simcore.units import TICKS_PER_NS, ns_to_ticks

PART = "part"
"""Name of the part under test."""

EVENTS_PER_REQUEST = 16
"""More than a request can cause at one instant."""


class Client(Protocol):
    """Whoever sends requests to one kind of part."""

    part: Part[Any]

    def send(self, direction: str, nbytes: int, tag: str, done: Event) -> None:
        """Sends one request; ``done`` happens when it has been served."""


CLIENTS: dict[str, Callable[[Environment, str, dict[str, Any], str | None], Client]] = {"tcm": TcmClient}
"""Builds a part of this kind, from its name, parameters and impl, with its client."""

Count = Annotated[int, Field(ge=1, le=10**6)]


class Stream(BaseModel):
    """``repeat`` requests of ``nbytes`` each, from ``at_ns`` on.

    ``window`` of them are under way at once; the next is sent as soon as one of them is done.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: Annotated[str, AfterValidator(not_empty)]
    direction: Literal["read", "write"]
    nbytes: Annotated[int, Field(ge=0, le=10**15)]
    at_ns: Ns = Fraction(0)
    repeat: Count = 1
    window: Count = 1


class RequestsWork(Work):
    """``part`` is the kind of the part under test, ``impl`` which of its kind, ``parameters`` what it is built with."""

    metrics: ClassVar = (
        Metric("finish_ns", "end of the last request"),
        Metric("moved_bytes", "bytes of all requests", detail=True),
        Metric("throughput_gbs", "those bytes over the time from the first request to the last end", detail=True),
        Metric("end_ns", "end of the stream's last request", per="stream"),
        Metric("latency_ns", "from the stream's at_ns to that end", per="stream"),
        Metric("busy_ns", "time for which slots of a channel were held, added up over its slots", per="channel"),
        Metric("wait_ns", "time for which requests waited for a channel, added up over them", per="channel"),
    )

    part: str
    impl: str | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    requests: Annotated[list[Stream], AfterValidator(not_empty)]

    def ready(self, home: Home, findings: Findings) -> Run | None:
        """The run, once the part is known and its parameters are right."""
        before = len(findings.found)
        if self.part not in CLIENTS:
            findings.add(("part",), f'no requests can be sent to "{self.part}" {hint(self.part, list(CLIENTS))}')
            return None
        names = [stream.name for stream in self.requests]
        for k, name in enumerate(names):
            if name in names[:k]:
                findings.add(("requests", k, "name"), f'a second stream is called "{name}"')
        try:
            entry = lookup(self.part, self.impl)
        except InputError as error:
            findings.add(("impl",), as_finding(error))
            return None
        checked = check_parameters(entry.parameters, self.parameters)
        for fault in checked if isinstance(checked, list) else ():
            findings.add(("parameters", *fault.key.split(".")), f"{fault.key}: {fault.message}", at_key=True)
        return self._run if len(findings.found) == before else None

    def _run(self) -> Measured:
        total = sum(stream.repeat for stream in self.requests)
        env = Environment(instant_limit=max(INSTANT_LIMIT, EVENTS_PER_REQUEST * total))
        client = CLIENTS[self.part](env, PART, self.parameters, self.impl)
        left = Countdown(env, total, "requests")
        sources = [_Source(env, client, stream, left) for stream in self.requests]
        env.spawn(_start(env, sources), "client")
        env.run(left)
        rest = undrained(env)
        if rest:
            raise KernelError(PART, env.now, f"all requests are done, but it is not empty: {'; '.join(rest)}")
        return _measured(env, sources)


class _Source:
    """Sends the requests of one stream."""

    def __init__(self, env: Environment, client: Client, stream: Stream, left: Countdown) -> None:
        self.env = env
        self.client = client
        self.stream = stream
        self.at_ticks = ns_to_ticks(stream.at_ns)
        self.end_ticks = 0
        self._left = left
        self._sent = 0

    def start(self) -> None:
        """Sends the first requests, as many as the window holds."""
        for _ in range(min(self.stream.window, self.stream.repeat)):
            self._send()

    def _send(self) -> None:
        self._sent += 1
        done = self.env.event()
        done.callbacks.append(self._done)
        self.client.send(self.stream.direction, self.stream.nbytes, self.stream.name, done)

    def _done(self, _done: Event) -> None:
        self.end_ticks = self.env.now
        if self._sent < self.stream.repeat:
            self._send()
        self._left.arrive()


def _start(env: Environment, sources: Sequence[_Source]) -> Story:
    """Starts every stream at its time; those of one instant in the order in which they are written."""
    for source in sorted(sources, key=lambda s: s.at_ticks):
        if source.at_ticks > env.now:
            yield env.timeout(source.at_ticks - env.now)
        source.start()


def _measured(env: Environment, sources: Sequence[_Source]) -> Measured:
    finish = max(source.end_ticks for source in sources)
    took = finish - min(source.at_ticks for source in sources)
    moved = sum(source.stream.nbytes * source.stream.repeat for source in sources)
    channels = {c.name.removeprefix(f"{PART}."): c for c in env.channels if c.name.startswith(f"{PART}.")}
    return Measured(
        single={
            "finish_ns": Fraction(finish, TICKS_PER_NS),
            "moved_bytes": Fraction(moved),
            "throughput_gbs": Fraction(moved * TICKS_PER_NS, took) if took else None,
        },
        several={
            "end_ns": {s.stream.name: Fraction(s.end_ticks, TICKS_PER_NS) for s in sources},
            "latency_ns": {s.stream.name: Fraction(s.end_ticks - s.at_ticks, TICKS_PER_NS) for s in sources},
            "busy_ns": {name: Fraction(c.busy_ticks, TICKS_PER_NS) for name, c in channels.items()},
            "wait_ns": {name: Fraction(c.wait_ticks, TICKS_PER_NS) for name, c in channels.items()},
        },
    )
