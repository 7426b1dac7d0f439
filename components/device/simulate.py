"""Running a block on a device: one part for each engine, queue and DMA engine, built from a platform's constants."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, cast

from components.device.dma_engine import DeviceDmaEngine
from components.device.dma_queue import DmaQueue
from components.device.engine import DeviceEngine
from components.device.parameters import engine_parameters, queue_parameters, throttle_parameters
from components.device.pe import DevicePe
from components.device.run import DeviceInstruction, DeviceRun, ThrottleWindow
from components.device.semaphore import DeviceSemaphore
from components.device.throttle import RecordedThrottle, WorkShareThrottle
from components.device.transfer import Transfer
from components.device.work import DeviceWork
from components.registry import build
from simcore.errors import InputError, Problem
from simcore.garbage import collection_paused
from simcore.kernel import Countdown, Environment, Row
from simcore.oracle.helpers import DMA_ENGINES
from simcore.program.measured import Measurement
from simcore.program.program import Block
from simcore.timing.device.costs import DeviceCosts, MatmulCost, OperationCost
from simcore.timing.device.effects import Effect
from simcore.timing.device.lowering import DeviceOp, Kind, device_ops
from simcore.timing.device.packets import DeviceTransfer
from simcore.timing.device.platform import DevicePlatform
from simcore.timing.device.stall_draws import NO_STALLS, Stalls, draw_pattern
from simcore.units import TICKS_PER_NS

NO_EFFECTS: frozenset[Effect] = frozenset()

MOST_WINDOWS = 10**6
"""The most windows of the throttle that a program is followed through: three seconds on trn2."""


def simulate_on_device(
    block: Block,
    platform: DevicePlatform,
    *,
    phase_ns: float = 0.0,
    draw: int | None = None,
    without: Set[Effect] = NO_EFFECTS,
    measured_throttle: Measurement | None = None,
    log: list[Row] | None = None,
    file: str = "<program>",
) -> DeviceRun:
    """The run of ``block`` on a device that starts empty.

    ``phase_ns``: how far into a window of the PE's throttle the run begins; ``draw``: which observed stalls its reads
    meet (None: their mean). Neither can be known of a run to come: predict with :func:`simulate_runs`. ``without``
    leaves effects out. ``measured_throttle`` replaces the throttle's rule by the record of a profile, for diagnosis.
    Raises InputError for a phase outside a window and for what the device model does not know, naming ``file``.
    """
    window_ns = platform.throttle.window_ns.value
    if not 0 <= phase_ns < window_ns:
        raise InputError([Problem(f"a phase of {phase_ns:g} ns (allowed: 0 to {window_ns:g}, exclusive)", file)])
    device = _Device(platform, without, draw, log, device_ops(block, platform.arch, file=file))
    device.check_length(file)
    device.build(throttle_parameters(platform, without, phase_ns), measured_throttle)
    with collection_paused():
        device.run()
    return device.outcome(phase_ns)


def simulate_runs(
    block: Block,
    platform: DevicePlatform,
    *,
    runs: int = 32,
    without: Set[Effect] = NO_EFFECTS,
    file: str = "<program>",
) -> tuple[DeviceRun, ...]:
    """Runs at evenly spaced phases of the throttle, each with its own draw of stalls: mean and spread predict."""
    window_ns = platform.throttle.window_ns.value
    return tuple(
        simulate_on_device(block, platform, phase_ns=number * window_ns / runs, draw=number, without=without, file=file)
        for number in range(runs)
    )


def _least_ps(work: DeviceWork) -> int:
    """How long a work keeps its datapath at least; what moves or only waits is short."""
    cost = work.cost
    if isinstance(cost, MatmulCost):
        return cost.passes * cost.pass_ps
    return cost.interval_ps if cost is not None else 0


class _Device:
    """One device with one program."""

    def __init__(
        self,
        platform: DevicePlatform,
        without: Set[Effect],
        draw: int | None,
        log: list[Row] | None,
        ops: tuple[DeviceOp, ...],
    ) -> None:
        self.platform, self.without, self.draw = platform, without, draw
        self.env = Environment(log)
        self.costs = DeviceCosts(platform, without)
        self.works = [self._work(op) for op in ops]
        self._wire()

    def _work(self, op: DeviceOp) -> DeviceWork:
        cost: OperationCost | MatmulCost | None = None
        if op.kind is Kind.compute:
            cost = self.costs.operation(op)
        elif op.kind is Kind.matmul:
            cost = self.costs.matmul(op)
        work = DeviceWork(op, cost)
        if op.transfer is not None:
            work.transfer = self._transfer(op.transfer, work, op.index)
        return work

    def check_length(self, file: str) -> None:
        """Refuses a program of more throttle windows than can be followed, by the instruction that lasts longest."""
        longest = max(self.works, key=_least_ps, default=None)
        windows = sum(map(_least_ps, self.works)) // self.platform.throttle.window_ns.ps
        if longest is not None and windows > MOST_WINDOWS:
            text = (
                f"lasts {_least_ps(longest) / TICKS_PER_NS:g} ns of a program of {windows} throttle windows "
                f"(allowed: at most {MOST_WINDOWS} windows)"
            )
            raise InputError([Problem(text, file, where=f"instruction {longest.op.name}")])

    def _transfer(self, moves: DeviceTransfer, trigger: DeviceWork, number: int) -> Transfer:
        packet_ps = self.costs.packet_ps(moves)
        if Effect.sixteen_engines in self.without:
            return Transfer(moves, trigger, (moves.packets,), -(-packet_ps // DMA_ENGINES), self._stalls(moves, number))
        packets = tuple(moves.on_engine(engine) for engine in range(DMA_ENGINES))
        return Transfer(moves, trigger, packets, packet_ps, self._stalls(moves, number))

    def _stalls(self, moves: DeviceTransfer, number: int) -> Stalls:
        if not moves.reads_hbm or Effect.hbm_read_stalls in self.without:
            return NO_STALLS
        hbm = self.platform.hbm
        first = hbm.first_short if moves.is_short else hbm.first
        return Stalls(
            first_ps=draw_pattern(first, number, self.draw),
            next_ps=draw_pattern(hbm.next, number, self.draw),
            met_ps=draw_pattern(hbm.first, number + len(hbm.first) + 1, self.draw),
        )

    def _wire(self) -> None:
        for work in self.works:
            for producer, of_transfer in work.op.waits:
                transfer = self.works[producer].transfer if of_transfer else None
                (transfer.followers if transfer is not None else self.works[producer].followers).append(work)

    def build(self, throttle: Mapping[str, object], record: Measurement | None) -> None:
        """Builds the parts that the program needs and loads it."""
        by_engine: dict[str, list[DeviceWork]] = {}
        for work in self.works:
            by_engine.setdefault(work.op.engine, []).append(work)
        self.throttle = self._throttle(throttle, record)
        pool = self._dma_engines("")
        for engine, works in by_engine.items():
            queue = self._queue(engine, works, pool) if any(w.transfer for w in works) else None
            parameters = engine_parameters(self.platform, engine, self.without)
            is_pe = engine == "PE"
            part = cast(
                DeviceEngine, build(self.env, "device_pe" if is_pe else "device_engine", engine, parameters.engine, {})
            )
            if isinstance(part, DevicePe):
                part.throttle = self.throttle
            semaphore = build(self.env, "device_semaphore", f"{engine}.semaphore", parameters.semaphore, {})
            part.load(works, cast(DeviceSemaphore, semaphore), queue)

    def _throttle(self, rule: Mapping[str, object], record: Measurement | None) -> WorkShareThrottle | RecordedThrottle:
        if record is None:
            return cast(WorkShareThrottle, build(self.env, "device_throttle", "throttle", rule, {}))
        begin = record.window_start_ns
        full = tuple(
            (max(0, state.start_ns - begin) * TICKS_PER_NS, max(0, state.end_ns - begin) * TICKS_PER_NS)
            for state in record.throttle
            if state.full_speed
        )
        return cast(RecordedThrottle, build(self.env, "device_throttle", "throttle", {"full_ps": full}, {}, "recorded"))

    def _dma_engines(self, owner: str) -> list[DeviceDmaEngine]:
        dma, hbm = self.platform.dma, self.platform.hbm
        parameters = {"idle_ps": hbm.idle_ns.ps, "completion_ps": dma.completion_packet_ns.ps}
        count = 1 if Effect.sixteen_engines in self.without else DMA_ENGINES
        return [
            cast(DeviceDmaEngine, build(self.env, "device_dma_engine", f"dma{owner}.engine{n}", parameters, {}))
            for n in range(count)
        ]

    def _queue(self, engine: str, works: list[DeviceWork], pool: list[DeviceDmaEngine]) -> DmaQueue:
        software = any(w.transfer.moves.software for w in works if w.transfer)
        parameters = queue_parameters(self.platform, self.without, len(pool), software=software)
        queue = cast(DmaQueue, build(self.env, "device_dma_queue", f"{engine}.queue", parameters, {}))
        alone = Effect.shared_engines in self.without
        queue.engines = self._dma_engines(f".{engine}") if alone else pool
        return queue

    def run(self) -> None:
        """Lets the program happen, to its last instruction and transfer."""
        engines = [part for part in self.env.parts if isinstance(part, DeviceEngine | DmaQueue)]
        left = Countdown(self.env, sum(w.transfer is not None for w in self.works) + len(self.works), "program")
        for part in engines:
            part.retired = left.arrive
        self.env.run(left)

    def outcome(self, phase_ns: float) -> DeviceRun:
        """What happened, from the start of the first instruction on."""
        begin = min((w.start_at for w in self.works if w.start_at is not None), default=0)
        instructions = tuple(self._instruction(work, begin) for work in self.works)
        end = max((i.end_ps for i in instructions), default=0)
        transfers = {
            w.transfer.moves.name: (w.transfer.first_at - begin, w.transfer.ended_at - begin)
            for w in self.works
            if w.transfer is not None and w.transfer.first_at is not None and w.transfer.ended_at is not None
        }
        return DeviceRun(
            instructions=instructions,
            transfers=transfers,
            throttle=_windows(self.throttle.windows(begin + end), begin, end),
            window_ps=end,
            phase_ns=phase_ns,
            draw=self.draw,
        )

    def _instruction(self, work: DeviceWork, begin: int) -> DeviceInstruction:
        op = work.op
        assert work.start_at is not None and work.end_at is not None
        return DeviceInstruction(
            name=op.name,
            opcode=op.opcode,
            engine=op.engine,
            kind=op.kind,
            start_ps=work.start_at - begin,
            end_ps=work.end_at - begin,
            cause=work.cause,
            on=None if work.on is None else work.on.op.name,
            confidence=self.costs.confidence(op) if work.cost is None else work.cost.confidence,
        )


def _windows(changes: list[tuple[int, bool]], begin: int, end: int) -> tuple[ThrottleWindow, ...]:
    """Neighbours of one speed as one."""
    found: list[ThrottleWindow] = []
    bounds: list[Any] = [*(start - begin for start, _ in changes[1:]), end]
    for (start, full), stop in zip(changes, bounds, strict=True):
        if found and found[-1].full == full:
            found[-1] = ThrottleWindow(found[-1].start_ps, stop - found[-1].start_ps, full)
        else:
            found.append(ThrottleWindow(start - begin, stop - (start - begin), full))
    return tuple(found)
