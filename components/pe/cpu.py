"""PE CPU: runs the kernels of a PE, one command after the other (ADR-0053).

First action of an assignment: it waits for the CPU, which runs one at a time. Then the dispatch overhead runs; a kernel
waits for the start that all its PEs keep; and its commands go to the scheduler, each after the overhead again. The CPU
goes on without waiting for them, unless the kernel says so; the kernel is over when all of them are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict
from simpy.events import Event

from components.fabric.end_hop import EndHop
from components.host.orders import Assignment, Letter, MapPages, PeReport, PeWork, Report, RunKernel, UnmapPages
from components.pe.commands import Busy, Command, Wait
from components.pe.faults import ProgramFault
from components.pe.mmu import PageRequest, Refusal
from components.pe.scheduler import Submission
from components.quantities import Ns
from components.registry import register
from simcore.errors import hint
from simcore.kernel import Channel, Environment, Part, Port, PortSpec, Story, Token
from simcore.units import ns_to_ticks


class PeCpuParameters(BaseModel):
    """``overhead_ns``: to dispatch an assignment, and each command of a kernel."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    overhead_ns: Ns


@register("pe_cpu", "in_order", default=True)
class PeCpu(Part[PeCpuParameters], EndHop):
    """The CPU of a PE. It counts assignments.

    Log rows: ``start`` and ``end`` (kernel), ``dispatch`` (command).
    """

    port_specs = (
        PortSpec("inbox", "in", Letter),
        PortSpec("outbox", "out", Letter),
        PortSpec("commands", "out", Submission),
        PortSpec("pages", "out", PageRequest, optional=True),
    )

    def __init__(
        self, env: Environment, name: str, parameters: PeCpuParameters, ports: Mapping[str, Port[Any]]
    ) -> None:
        super().__init__(env, name, parameters, ports)
        self._cpu = Channel(env, f"{name}.cpu")
        self.decode_ticks = ns_to_ticks(parameters.overhead_ns)
        self.ports["inbox"].hand_to(self._receive)

    def _receive(self, letter: Letter) -> None:
        assignment = letter.body
        if not isinstance(assignment, Assignment):
            raise self.error(f"a letter from {letter.sender} is no assignment: {assignment!r}")
        self.accepted += 1
        token = self._cpu.acquire(self, assignment.tag)
        self.spawn(self._carry_out(letter.sender, assignment.tag, assignment.work, token), assignment.tag)

    def _carry_out(self, sender: str, tag: str, work: PeWork, token: Token) -> Story:
        yield token
        yield from self._dispatch()
        match work:
            case RunKernel(commands, start_ticks):
                if start_ticks is not None and start_ticks > self.env.now:
                    yield self.env.timeout(start_ticks - self.env.now)
                began = self.env.now
                yield from self._run(tag, commands)
                report = PeReport(self.name, began, self.env.now, None)
            case MapPages(virtual, physical, nbytes):
                report = yield from self._change_pages(virtual, physical, nbytes)
            case UnmapPages(virtual, nbytes):
                report = yield from self._change_pages(virtual, None, nbytes)
        self._cpu.release(token)
        self.completed += 1
        self.ports["outbox"].put(Letter(self.name, sender, Report(tag, (report,))))

    def _run(self, tag: str, commands: tuple[Command, ...]) -> Story:
        """The kernel called ``tag``, from its first command until all are over."""
        self._write("start", tag)
        dispatched: dict[str, Event] = {}
        for command in commands:
            match command:
                case Busy(duration_ns):
                    yield self.env.timeout(ns_to_ticks(duration_ns))
                case Wait(names):
                    for name in names:
                        yield from self._wait(tag, name, dispatched)
                case _:
                    if command.name in dispatched:
                        raise self._fault(f"kernel {tag!r} has two commands called {command.name!r}")
                    yield from self._dispatch()
                    self._write("dispatch", command.name)
                    dispatched[command.name] = self.env.event()
                    self.ports["commands"].put(Submission(command, dispatched[command.name]))
        for name in dispatched:
            yield from self._wait(tag, name, dispatched)
        self._write("end", tag)

    def _dispatch(self) -> Story:
        if self.decode_ticks:
            yield self.env.timeout(self.decode_ticks)

    def _wait(self, tag: str, name: str, dispatched: Mapping[str, Event]) -> Story:
        if name not in dispatched:
            known = hint(name, list(dispatched)) if dispatched else "(none was dispatched before)"
            raise self._fault(f"kernel {tag!r} waits for {name!r}, which is no command of it so far {known}")
        commands = self.ports["commands"]
        yield self.env.me.waiting_on(dispatched[name], commands.receiver or commands.name, name)

    def _change_pages(self, virtual: int, physical: int | None, nbytes: int) -> Story:
        began, refusal = self.env.now, None
        if "pages" in self.ports:
            request = PageRequest(virtual, physical, nbytes, self.env.event())
            self.ports["pages"].put(request)
            refusal = yield request.done
        else:
            refusal = Refusal("no_mmu", f"{self.name}: this PE has no MMU")
        return PeReport(self.name, began, self.env.now, refusal)

    def _fault(self, message: str) -> ProgramFault:
        return ProgramFault(self.name, self.env.now, message)

    def _write(self, what: str, name: str) -> None:
        if self.record is not None:
            self.record((self.env.now, self.name, what, name))
