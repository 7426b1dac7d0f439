"""DMA: triggers, the way to the first packet, the packet law, the stagger of the engines, completion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean, median

from simcore.oracle.helpers import DMA_ENGINES, DMA_PEAK_GBS
from simcore.program.measured import MeasuredInstruction
from simcore.timing.device.constants import Constant, assumed, documented, fitted, measured
from simcore.timing.device.observe import TRIGGER, Observed
from simcore.timing.device.packets import PATHS, DeviceTransfer, path_of
from simcore.timing.device.platform import ByPath, DmaTiming

DOCUMENTED_START_NS, DOCUMENTED_TRIGGER_NS = 1300.0, 600.0
"""Documented: from a DMA's semaphore to its start; hardware descriptor generation per instruction."""

_GUIDE = "AWS NKI DMA guide"

_IDLE_NS = 150
"""An engine is idle before a packet if its last one ended this much earlier."""

_PAUSE_NS = 20
"""Packets of a busy engine follow each other within this."""

_HELD_UP_NS = 60
"""A start this soon after its semaphore was set may have waited for it."""

_RECENT_NS = 3000
"""Triggers of the software queue within this of each other are still being worked on."""

_OVERLAP_NS = 3.0
"""By how much packets of a busy engine overlap, as the profiles time them."""

_COMPLETION_NS = 6.0
"""A completion packet where no profile shows one."""

_MANY = 20
"""Packets of one size that make a point of the packet law."""


def fit_dma(profiles: Sequence[Observed]) -> DmaTiming:
    """All constants of transfers but the stalls of reads."""
    found: dict[str, list[float]] = defaultdict(list)
    for profile in profiles:
        _triggers(profile, found)
        _starts(profile, found)
    packet_ns, packet_gbs, short_run_ns, completion_ns = _packet_law(profiles)
    transfer_ns, per_packet_ns = _software_law([pair for profile in profiles for pair in _software_pairs(profile)])
    first = _by_path(found, "first", DOCUMENTED_START_NS, "trigger to the first packet of a transfer on idle engines")
    behind = measured([ns - first.hardware_read.value for ns in found["behind"]], _BEHIND)
    stagger = [found[f"stagger {engine}"] for engine in range(DMA_ENGINES)]
    return DmaTiming(
        trigger_ns=measured(found["trigger"], "durations of hardware-described triggers")
        or documented(DOCUMENTED_TRIGGER_NS, _GUIDE),
        trigger_gap_ns=_or_zero(
            [ns for ns in found["trigger gap"] if ns >= 0],
            "end of a trigger to the next start, if that waits for nothing",
        ),
        software_preparation_ns=_or_zero(found["preparation"], "semaphore's change to the start of GpSimd's trigger"),
        software_interval_ns=_or_zero(found["interval"], "between two triggers of GpSimd that wait for nothing"),
        software_trigger_ns=_or_zero(found["software trigger"], "durations of GpSimd's triggers"),
        software_transfer_ns=transfer_ns,
        software_packet_ns=per_packet_ns,
        first_packet_ns=first,
        behind_read_ns=behind or assumed(0.0, f"no profile shows it ({_BEHIND})"),
        packet_ns=packet_ns,
        packet_gbs=packet_gbs,
        short_run_ns=short_run_ns,
        completion_packet_ns=completion_ns,
        tail_ns=_by_path(found, "tail", 0.0, "end of the last packet to the semaphore's full value", mean=True),
        stagger_ns=tuple(median(values) if values else 0.0 for values in stagger),
        stagger_points=min(len(values) for values in stagger),
    )


_BEHIND = "trigger to first packet of a read whose queue was still at work, beyond that of an idle one"


def _triggers(profile: Observed, found: dict[str, list[float]]) -> None:
    for engine, rows in profile.by_engine.items():
        for before, row in pairwise([None, *rows]):
            assert row is not None
            software = engine == "Pool"
            waited = profile.waited_until_ns(row)
            held_up = waited is not None and row.start_ns - waited < _HELD_UP_NS
            if before is not None and before.opcode == TRIGGER and not software and not held_up:
                found["trigger gap"].append(row.start_ns - before.end_ns)
            if row.opcode != TRIGGER:
                continue
            found["software trigger" if software else "trigger"].append(row.duration_ns)
            if not software:
                continue
            if waited is not None:
                found["preparation"].append(row.start_ns - waited)
            elif before is not None and before.opcode == TRIGGER:
                found["interval"].append(row.start_ns - before.start_ns)


def _starts(profile: Observed, found: dict[str, list[float]]) -> None:
    """First packets, stagger and tails. A start counts for an idle path only where nothing else delayed it."""
    earlier: list[tuple[MeasuredInstruction, DeviceTransfer]] = []
    for trigger, transfer in profile.triggers:
        packets = profile.packets[transfer.name]
        path = path_of(transfer)
        first = min(rows[0].start_ns for rows in packets.values())
        last = max(p.end_ns for rows in packets.values() for p in rows)
        queued = [(t, x) for t, x in earlier if x.queue == transfer.queue]
        at_work = bool(queued) and _ends(profile, queued[-1][1]) > trigger.start_ns
        recent = any(x.software and trigger.start_ns - t.start_ns < _RECENT_NS for t, x in queued)
        pauses = [_pause(profile, transfer, engine) for engine in packets]
        if all(pause > _IDLE_NS for pause in pauses) and not recent and not (at_work and not transfer.software):
            found[f"first {path}"].append(first - trigger.start_ns)
            if not (transfer.reads_hbm and transfer.software):
                base = min(packets)
                for engine, rows in packets.items():
                    found[f"stagger {engine - base}"].append(rows[0].start_ns - first)
        leader = min(packets, key=lambda engine: packets[engine][0].start_ns)
        if at_work and transfer.reads_hbm and not transfer.software and _pause(profile, transfer, leader) > _PAUSE_NS:
            found["behind"].append(first - trigger.start_ns)
        if (done := profile.completed_ns(trigger)) is not None:
            found[f"tail {path}"].append(done - last)
        earlier.append((trigger, transfer))


def _ends(profile: Observed, transfer: DeviceTransfer) -> int:
    return max(p.end_ns for rows in profile.packets[transfer.name].values() for p in rows)


def _pause(profile: Observed, transfer: DeviceTransfer, engine: int) -> int:
    """How long a DMA engine had been idle when the transfer's first packet there began."""
    start = profile.packets[transfer.name][engine][0].start_ns
    before = (p.end_ns for p in profile.on_engine[engine] if p.start_ns < start)
    return start - max(before, default=0)


def _packet_law(profiles: Sequence[Observed]) -> tuple[Constant, Constant, Constant, Constant]:
    """Overhead and rate by the medians of two sizes, the interval of short runs, the completion packet."""
    by_size: dict[int, list[float]] = defaultdict(list)
    short: list[float] = []
    completion: list[float] = []
    for profile in profiles:
        for _, transfer in profile.triggers:
            is_short = transfer.writes_hbm and transfer.is_short
            for rows in profile.packets[transfer.name].values():
                # the first packet of a transfer on an engine may have waited for data
                for packet, following in pairwise(rows[1:]):
                    interval = following.start_ns - packet.start_ns
                    if following.completion:
                        completion.append(following.duration_ns)
                    elif is_short:
                        short.append(interval / transfer.runs_per_packet)
                    else:
                        by_size[packet.nbytes].append(interval)
    what = "intervals of packets in a row"
    points = {size: median(values) for size, values in sorted(by_size.items()) if len(values) > _MANY}
    count = [ns for size in points for ns in by_size[size]]
    sizes = sorted(points)
    if sizes and points[sizes[-1]] > points[sizes[0]]:
        low, high = sizes[0], sizes[-1]
        fast, slow = points[low], points[high]
        gbs = (high - low) / (slow - fast)
        overhead = fast - low / gbs
        rates = [size / (ns - overhead) for size, ns in points.items()]
        rate = fitted(gbs, rates, f"slope of {what} over bytes").model_copy(update={"points": len(count)})
    else:
        gbs = DMA_PEAK_GBS
        rate = documented(DMA_PEAK_GBS, _GUIDE)
        overhead = fmean(ns - size / gbs for size, ns in points.items()) if points else 0.0
    beyond = [ns - size / gbs for size, ns in points.items()]
    what_beyond = f"{what}, less bytes at the rate"
    per_packet = assumed(0.0, f"no profile shows it ({what_beyond})")
    if points:
        per_packet = fitted(overhead, beyond, what_beyond).model_copy(update={"points": len(count)})
    run = measured(short, f"{what} that write short runs to device memory, per run")
    no_run = assumed(per_packet.value + 512 / rate.value, "no profile writes short runs to device memory; as 512 bytes")
    return per_packet, rate, run or no_run, _completion(completion)


def _completion(durations: list[float]) -> Constant:
    """A completion packet overlaps the packet before it by as much as any other does."""
    what = f"durations of completion packets, less {_OVERLAP_NS:g} ns overlap"
    if not durations:
        return assumed(_COMPLETION_NS, f"no profile shows it; as in profiles of trn2 ({what})")
    return fitted(median(durations) - _OVERLAP_NS, durations, what)


def _software_pairs(profile: Observed) -> Iterable[tuple[int, float]]:
    """(packets, ns between first packets) where the queue's third transfer in a row found an idle engine."""
    software = [(t, x) for t, x in profile.triggers if x.software]
    for (t0, x0), (_, x1), (t2, x2) in zip(software, software[1:], software[2:], strict=False):
        if t2.start_ns - t0.start_ns >= _RECENT_NS:
            continue
        if all(_pause(profile, x2, engine) <= _PAUSE_NS for engine in profile.packets[x2.name]):
            continue
        first = [min(rows[0].start_ns for rows in profile.packets[x.name].values()) for x in (x0, x2)]
        yield x1.packets, (first[1] - first[0]) / 2


def _software_law(pairs: list[tuple[int, float]]) -> tuple[Constant, Constant]:
    """A line over packets, or one through the origin if only one size was seen."""
    what = "between the first packets of transfers in GpSimd's queue"
    if not pairs:
        return assumed(0.0, f"no profile shows it ({what})"), assumed(0.0, f"no profile shows it ({what})")
    sizes, times = [float(size) for size, _ in pairs], [ns for _, ns in pairs]
    if len(set(sizes)) == 1:
        per_packet = fmean(times) / sizes[0]
        return assumed(0.0, f"one size seen: proportional to packets ({what})"), fitted(
            per_packet, [ns / size for size, ns in pairs], f"{what}, per packet"
        )
    mean_size, mean_ns = fmean(sizes), fmean(times)
    slope = sum((s - mean_size) * (t - mean_ns) for s, t in zip(sizes, times, strict=True)) / sum(
        (s - mean_size) ** 2 for s in sizes
    )
    return (
        fitted(mean_ns - slope * mean_size, times, f"{what}, at no packets"),
        fitted(slope, [ns / size for size, ns in pairs], f"{what}, per packet"),
    )


def _by_path(found: dict[str, list[float]], what: str, default: float, source: str, *, mean: bool = False) -> ByPath:
    everywhere = [ns for path in PATHS.values() for ns in found[f"{what} {path}"]]
    values: dict[str, Constant] = {}
    for path in PATHS.values():
        own = measured(found[f"{what} {path}"], source, mean=mean)
        if own is None and everywhere:
            own = assumed(median(everywhere), f"no profile shows this path; as on the others ({source})")
        values[path] = own or (
            documented(default, _GUIDE) if default else assumed(0.0, f"no profile shows it ({source})")
        )
    return ByPath(**values)


def _or_zero(values: list[float], source: str) -> Constant:
    return measured(values, source) or assumed(0.0, f"no profile shows it ({source})")
