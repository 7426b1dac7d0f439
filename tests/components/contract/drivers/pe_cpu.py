"""Drives a PE CPU: kernels that wait, that are busy, that come at once, and changes of the page table."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from simpy.events import Event

from components.host.orders import Assignment, Letter, MapPages, Report, RunKernel, UnmapPages
from components.pe.commands import Busy, DmaRead, DmaWrite, Wait
from components.pe.mmu import PageRequest
from components.pe.scheduler import Submission
from components.registry import Registered, build
from simcore.kernel import Countdown, Environment, Port
from tests.components.actor import Actor
from tests.components.contract.bench import Bench

KERNEL = (DmaRead("a", 0, 100), Busy(Fraction(7, 2)), DmaRead("b", 0, 900), Wait(("a",)), DmaWrite("c", 0, 10))
BATCH = [
    (0, MapPages(0, 4096, 4096)),
    (0, RunKernel(KERNEL)),
    (0, RunKernel((Busy(Fraction(1)),))),
    (500, UnmapPages(0, 4096)),
    (300_000, RunKernel(())),
]


def parameters(impl: str) -> dict[str, object]:
    return {"overhead_ns": 1.5}


def bench(env: Environment, name: str, entry: Registered, parameters: Mapping[str, object]) -> Bench:
    inbox, outbox = Port(env, f"post->{name}", Letter), Port(env, f"{name}->post", Letter)
    commands, pages = Port(env, f"{name}->scheduler", Submission), Port(env, f"{name}->mmu", PageRequest)
    inbox.attach("out", Actor("post"))
    outbox.attach("in", Actor("post"))
    commands.attach("in", Actor("scheduler"))
    commands.hand_to(lambda submission: env.succeed_in(submission.done, 20 * submission.command.nbytes))
    pages.attach("in", Actor("mmu"))
    pages.hand_to(lambda request: env.succeed_in(request.done, 0))
    ports = {"inbox": inbox, "outbox": outbox, "commands": commands, "pages": pages}
    cpu = build(env, entry.kind, name, parameters, ports, entry.impl)
    batch: list[Countdown] = []

    def send_batch() -> Event:
        batch[:] = [Countdown(env, len(BATCH), "batch")]
        env.spawn(m_cpu(), "m_cpu")
        return batch[0]

    def m_cpu():
        for number, (pause_ps, work) in enumerate(BATCH):
            yield env.timeout(pause_ps)
            inbox.put(Letter("m_cpu", name, Assignment(f"k{number}", work)))

    def take(letter: Letter) -> None:
        report = letter.body
        assert isinstance(report, Report)
        board.answers.append((env.now, report.tag))
        batch[0].arrive()

    def kernel_of(*commands: object):
        def run() -> None:
            inbox.put(Letter("m_cpu", name, Assignment("bad", RunKernel(commands))))
            env.run(env.event())

        return run

    outbox.hand_to(take)
    bad = {
        "a letter that is no assignment": lambda: inbox.put(Letter("m_cpu", name, Report("r", ()))),
        "a wait for nothing": kernel_of(Wait(("x",))),
        "two commands of one name": kernel_of(DmaRead("a", 0, 1), DmaRead("a", 0, 1)),
    }
    board = Bench(cpu, send_batch, len(BATCH), bad)
    return board
