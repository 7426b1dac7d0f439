"""The compiler's backend metrics, by number and name (``BackendMetricType``)."""

from __future__ import annotations

from enum import IntEnum

BACKEND = "backend"
"""The group that all of these belong to: a metric's full name is ``backend::<name>``."""


class BackendMetric(IntEnum):
    """A metric type. 9 to 26 are sizes of local and shared DMA transfers whose single names are not known."""

    PostUnrollInstructionCount = 0
    FullUnrollInstructionCount = 1
    TotalSplitSbNodesCount = 2
    CanSplitSbNodesCount = 3
    VNSplitterDeadNodesCount = 4
    ShrunkNodesCount = 5
    ShrinkDnSavings = 6
    mlBPCGSize = 7
    agRGCGSize = 8
    PreGcaDMAAccesses = 27
    PostGcaDMAAccesses = 28
    PsumRenumberLocationsCount = 29
    DramRenumberLocationsCount = 30
    DramSpillSpace = 31
    DramAlignedSpillSpace = 32
    DramLocalHWM = 33
    DramLocalTotalSize = 34
    DramSharedHWM = 35
    DramSharedTotalSize = 36
    SbRenumberLocationsCount = 37
    SplitSelectCount = 38
    TSPtoACTCount = 39
    COPYtoACTCount = 40
    RECIPROCALtoACTCount = 41
    PostSchedEstLatency = 42
    TotalAllocatedDramSize = 43
    TotalRuntimeDramSize = 44
    TotalCodeSize = 45
    TotalDescriptorSize = 46
    NumUnassignedInstructions = 47
    NumPoolInstructions = 48
    NumActivationInstructions = 49
    NumPEInstructions = 50
    NumDMAInstructions = 51
    NumDVEInstructions = 52
    NumSPInstructions = 53
