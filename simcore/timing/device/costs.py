"""What an operation costs on a device: its class's numbers in picoseconds, and how far they can be trusted.

An operation without a class of its own is costed as the nearest one that the platform knows: the same but for the type,
else the engine's median fixed part on top of the documented cycles.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from statistics import median

from simcore.timing.confidence import Level
from simcore.timing.device.constants import Constant, Obtained
from simcore.timing.device.effects import Effect
from simcore.timing.device.lowering import DeviceOp, Kind
from simcore.timing.device.observe import clock_ghz
from simcore.timing.device.packets import PATHS, DeviceTransfer, packet_ns, path_of
from simcore.timing.device.platform import DevicePlatform, MatmulClass, OperationClass
from simcore.units import TICKS_PER_NS


@dataclass(frozen=True, slots=True)
class OperationCost:
    """Picoseconds from the start to when the datapath is free, and to completion."""

    interval_ps: int
    latency_ps: int
    confidence: Level


@dataclass(frozen=True, slots=True)
class MatmulCost:
    """One matmul: ``passes`` of ``pass_ps`` (at full speed) each; pairs are (at half speed, at full speed).

    ``load_ps`` is from the start of a weight load that nothing hides to the start of its pass, ``gap_ps`` what follows
    a pass, ``latency_ps`` from its end to its completion.
    """

    passes: int
    pass_ps: int
    load_ps: tuple[int, int]
    gap_ps: tuple[int, int]
    latency_ps: tuple[int, int]
    confidence: Level


class DeviceCosts:
    """The costs of operations on ``platform`` without some effects."""

    def __init__(self, platform: DevicePlatform, without: Set[Effect] = frozenset()) -> None:
        self.platform = platform
        self._fixed = Effect.fixed_parts not in without
        self._overhead = Effect.packet_overhead not in without
        self._classes = {known.key: known for known in platform.operations}
        self._median: dict[str, tuple[float, float]] = {}
        self._matmuls = {known.key: known for known in platform.pe.classes}

    def operation(self, op: DeviceOp) -> OperationCost:
        """The cost of a compute operation."""
        if op.given_ns is not None:
            return OperationCost(op.given_ns * TICKS_PER_NS, op.given_ns * TICKS_PER_NS, Level.EXACT)
        known, confidence = self._nearest(op)
        ghz = clock_ghz(self.platform.arch, op.engine)
        cycles_ns = op.cycles / (known.speedup if known else 1) / ghz if ghz else 0.0
        interval, latency = self._medians(op.engine)
        if known is not None:
            latency = known.latency_ns.value
            interval = known.interval_ns.value if known.interval_ns is not None else interval
        if not self._fixed:
            interval = latency = 0.0
        return OperationCost(_ps(cycles_ns + interval), _ps(cycles_ns + max(interval, latency)), confidence)

    def _nearest(self, op: DeviceOp) -> tuple[OperationClass | None, Level]:
        own = self._classes.get(op.operation)
        if own is not None:
            return own, Level.INTERPOLATED if own.interval_ns is not None else Level.EXTRAPOLATED
        engine, opcode, space, _, pointer = op.operation
        kin = [
            k
            for k in self.platform.operations
            if (k.engine, k.opcode, k.space, k.pointer) == (engine, opcode, space, pointer)
        ]
        return (kin[0], Level.EXTRAPOLATED) if kin else (None, Level.UNCALIBRATED)

    def _medians(self, engine: str) -> tuple[float, float]:
        """(interval, latency) beyond the cycles of the engine's operations; of all engines if it has none."""
        if engine not in self._median:
            everywhere = self.platform.operations
            own = [k for k in everywhere if k.engine == engine] or list(everywhere)
            intervals = [k.interval_ns.value for k in own if k.interval_ns is not None]
            intervals = intervals or [k.interval_ns.value for k in everywhere if k.interval_ns is not None]
            latencies = [k.latency_ns.value for k in own]
            self._median[engine] = (median(intervals or [0.0]), median(latencies or [0.0]))
        return self._median[engine]

    def matmul(self, op: DeviceOp) -> MatmulCost:
        """The cost of a matmul. One of a type that no profile shows is one pass of its documented cycles."""
        pe, key = self.platform.pe, (op.operation[3], op.transpose)
        known = self._matmuls.get(key)
        confidence = Level.INTERPOLATED if known is None else _matmul_level(known)
        if known is None:
            kin = (
                [k for k in pe.classes if k.dtype == key[0]]
                or [k for k in pe.classes if k.passes == 1]
                or list(pe.classes)
            )
            confidence = Level.EXTRAPOLATED if kin and kin[0].dtype == key[0] else Level.UNCALIBRATED
            known = kin[0] if kin else None
        same = known is not None and known.key == key
        passes = known.passes if known is not None and same else 1
        rate = known.cycles_per_documented.value if known is not None and same else 1.0
        cycles_ns = op.cycles * rate / passes / clock_ghz(self.platform.arch, "PE")
        if op.given_ns is not None:
            passes, cycles_ns, known = 1, float(op.given_ns), None
        if known is None or not self._fixed:
            return MatmulCost(passes, _ps(cycles_ns), (0, 0), (0, 0), (0, 0), confidence)
        latency = (pe.latency_half_ns.ps, pe.latency_full_ns.ps)
        stalled = (known.stalled_half_ns.ps, known.stalled_full_ns.ps)
        gap = (max(0, known.gap_half_ns.ps), max(0, known.gap_full_ns.ps))
        return MatmulCost(
            passes=passes,
            pass_ps=_ps(cycles_ns),
            load_ps=(max(0, stalled[0] - latency[0] - gap[0]), max(0, stalled[1] - latency[1] - gap[1])),
            gap_ps=gap,
            latency_ps=latency,
            confidence=confidence,
        )

    def confidence(self, op: DeviceOp) -> Level:
        """How far the platform's own times of what neither computes nor multiplies can be trusted."""
        if op.kind is Kind.table_load:
            return _level(self.platform.table_load_ns)
        if op.transfer is not None:
            return self._of_transfer(op.transfer)
        engine = next(e for e in self.platform.engines if e.engine == op.engine)
        return _level(engine.event_ns, *(e.event_ns for e in self.platform.engines))

    def _of_transfer(self, transfer: DeviceTransfer) -> Level:
        dma, hbm = self.platform.dma, self.platform.hbm
        path = path_of(transfer)
        levels = [
            _level(getattr(times, path), *(getattr(times, other) for other in PATHS.values()))
            for times in (dma.first_packet_ns, dma.tail_ns)
        ]
        levels.append(_level(dma.software_trigger_ns if transfer.software else dma.trigger_ns))
        if transfer.reads_hbm and not (hbm.first_short if transfer.is_short else hbm.first):
            levels.append(Level.EXTRAPOLATED if hbm.first or hbm.first_short else Level.UNCALIBRATED)
        return min(levels)

    def packet_ps(self, transfer: DeviceTransfer) -> int:
        """One packet on one DMA engine."""
        dma = self.platform.dma
        if not self._overhead:
            return _ps(transfer.packet_bytes / dma.packet_gbs.value)
        return _ps(packet_ns(transfer, transfer.packet_bytes, dma))


def _level(constant: Constant, *kin: Constant) -> Level:
    """Of a time that rests on ``constant``; ``kin`` are those it was taken from where no profile shows it."""
    if constant.obtained is not Obtained.assumed:
        return Level.INTERPOLATED
    seen = any(other.obtained is not Obtained.assumed for other in kin)
    return Level.EXTRAPOLATED if seen else Level.UNCALIBRATED


def _matmul_level(known: MatmulClass) -> Level:
    """Another matmul's gap or weight load stands in where no profile shows the class's own."""
    own = (known.gap_full_ns, known.gap_half_ns, known.stalled_full_ns, known.stalled_half_ns)
    assumed = any(c.obtained is Obtained.assumed for c in (known.cycles_per_documented, *own))
    return Level.EXTRAPOLATED if assumed else Level.INTERPOLATED


def _ps(ns: float) -> int:
    return max(0, round(ns * TICKS_PER_NS))
