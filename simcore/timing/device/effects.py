"""What the device model knows of beyond documented cycles; each can be left out, to see what it is worth."""

from __future__ import annotations

from enum import StrEnum


class Effect(StrEnum):
    """An effect of the device model.

    ``half_speed``: the PE runs at half speed when it had little to do (left out: always full speed);
    ``full_speed``: at full speed when it had much (left out: always half speed). ``fixed_parts``: what an operation
    costs beyond its documented cycles. ``table_loads``: an activation table takes time to load.
    ``semaphore_latencies``: from an instruction's end to its semaphore, and from there to the waiting engine.
    ``trigger_occupancy``: writing a transfer's descriptors keeps the triggering engine. ``software_preparation``:
    GpSimd prepares a transfer before it triggers it. ``first_packet_latency``: from the trigger to the first packet.
    ``start_stagger``: the sixteen DMA engines do not begin together. ``packet_overhead``: a packet costs more than its
    bytes. ``shared_engines``: queues share the DMA engines. ``sixteen_engines``: each packet has one engine (left out:
    all packets go through one pipe of sixteen times the rate). ``hbm_read_stalls``: reads of device memory begin
    slowly. ``completion_tail``: from the last packet to the semaphore. ``start_offsets``: engines do not all start
    with the kernel.
    """

    half_speed = "half_speed"
    full_speed = "full_speed"
    fixed_parts = "fixed_parts"
    table_loads = "table_loads"
    semaphore_latencies = "semaphore_latencies"
    trigger_occupancy = "trigger_occupancy"
    software_preparation = "software_preparation"
    first_packet_latency = "first_packet_latency"
    start_stagger = "start_stagger"
    packet_overhead = "packet_overhead"
    shared_engines = "shared_engines"
    sixteen_engines = "sixteen_engines"
    hbm_read_stalls = "hbm_read_stalls"
    completion_tail = "completion_tail"
    start_offsets = "start_offsets"
