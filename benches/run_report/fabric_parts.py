"""What the parts around the cores did in a run on real memory: DMA engines, SBUF channels, links, memories.

Names: a DMA engine and a memory as in the topology, ``DEVICE.sbuf.read``, ``SOURCE>DESTINATION`` of a link. ``busy`` is
the time for which a part served (a DMA engine: had requests), ``wait`` how much longer requests were there for others.
"""

from __future__ import annotations

from collections import Counter

from benches.run_report.on_fabric import DeviceRun, FabricRun
from benches.run_report.parts import PartUse
from components.fabric.passage import link_label
from components.memory.hbm import HbmController
from components.memory.sram import Sram
from simcore.explain.why import Why
from simcore.schedule import Cause
from simcore.units import service_ticks


def device_parts(run: DeviceRun) -> dict[str, PartUse]:
    """The DMA engines and the SBUF channels of one device."""
    uses = {
        engine.name: PartUse(engine.requests, engine.busy_ticks, engine.wait_ticks, moved_bytes=engine.moved_bytes)
        for engine in run.surroundings.engines
        if engine.requests
    }
    sbuf = run.surroundings.sbuf
    if sbuf is not None:
        for direction, channel in sbuf.channels.items():
            requests, moved = sbuf.requests[direction], sbuf.moved_bytes[direction]
            if requests:
                use = PartUse(requests, channel.busy_ticks, channel.wait_ticks, channel.slots, moved)
                uses[f"{sbuf.name}.{direction}"] = use
    return uses


def shared_parts(run: FabricRun) -> dict[str, PartUse]:
    """The links and memories that anything has used."""
    waits: Counter[Why] = Counter(run.collective_waits)
    for device in run.devices:
        waits.update(device.surroundings.hauler.waits)
    uses = {}
    for link in run.machine.links.values():
        if link.accepted:
            name = link_label(link)
            busy = service_ticks(link.moved_bytes, link.parameters.bw_gbs)
            uses[name] = PartUse(link.accepted, busy, waits[Why(Cause.link.name, name)], moved_bytes=link.moved_bytes)
    for name, hop in run.machine.hops.items():
        wait = waits[Why(Cause.hbm.name, name)]
        if isinstance(hop, HbmController) and hop.accepted:
            channels = hop.parameters.num_pcs
            bursts = sum(use.read_bursts + use.write_bursts for use in map(hop.use, range(channels)))
            busy = round(bursts * hop.burst_ticks)
            uses[name] = PartUse(hop.accepted, busy, wait, channels, sum(hop.moved_bytes.values()))
        elif isinstance(hop, Sram) and hop.accepted:
            uses[name] = PartUse(hop.accepted, round(hop.busy_ticks()), wait, 1, sum(hop.moved_bytes.values()))
    return uses
