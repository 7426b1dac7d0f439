"""The 110 instruction types of the backend IR, by name and number.

The numbers are the ordinals of ``bir::InstructionType``; program files name them, columns store them.
"""

from __future__ import annotations

from enum import IntEnum


class Opcode(IntEnum):
    """An instruction type; ``Opcode["Matmult"]`` and ``Opcode(8)`` are the same member."""

    Generic = 0
    GenericCopy = 1
    GenericRelu = 2
    AbstractCopy = 3
    Activation = 4
    ReadActivationAccumulator = 5
    LoadActFuncSet = 6
    MatmultBase = 7
    Matmult = 8
    MatmultSparse = 9
    Memset = 10
    GetGlobalRankId = 11
    NoOp = 12
    EventSemaphore = 13
    GroupResetSemaphores = 14
    AllEngineBarrier = 15
    Drain = 16
    Halt = 17
    DMA = 18
    Load = 19
    Pool = 20
    Reciprocal = 21
    Save = 22
    TensorCopy = 23
    TensorCopyDynamicSrc = 24
    TensorCopyDynamicDst = 25
    IndirectCopy = 26
    TensorReduce = 27
    TensorScalar = 28
    TensorScalarPtr = 29
    TensorScalarCache = 30
    TensorTensor = 31
    DMACopy = 32
    GPSIMDSB2SB = 33
    BNStats = 34
    BNStatsAggregate = 35
    BNGradients = 36
    BNBackprop = 37
    BNBackprop2 = 38
    StreamShuffle = 39
    StreamTranspose = 40
    ReadVarAddr = 41
    GenericIndirectLoad = 42
    IndirectLoad = 43
    GenericIndirectSave = 44
    IndirectSave = 45
    IndirectSaveAccumulate = 46
    Collective = 47
    CollectiveCompute = 48
    CollectiveSend = 49
    CollectiveRecv = 50
    Select = 51
    CopyPredicated = 52
    CustomOp = 53
    BIRKernel = 54
    NKIKernel = 55
    NKIKLIRKernel = 56
    DevicePrint = 57
    GetRandState = 58
    SetRandState = 59
    Rand = 60
    Iota = 61
    TensorScalarAffineSelect = 62
    RangeSelect = 63
    GetSequenceBounds = 64
    Dropout = 65
    GetCurProcessingRankID = 66
    DMATrigger = 67
    DMADescriptor = 68
    DMADescriptorCopy = 69
    DMADescriptorCCE = 70
    DMADescriptorTranspose = 71
    DMADescriptorReplicate = 72
    RegisterAlu = 73
    RegisterMove = 74
    TensorLoad = 75
    TensorSave = 76
    Terminator = 77
    CompareAndBranch = 78
    UnconditionalBranch = 79
    BranchHint = 80
    Return = 81
    Exit = 82
    Break = 83
    Call = 84
    SwitchQueueInstance = 85
    ResetQueueInstance = 86
    CoreBarrier = 87
    Max = 88
    MaxIndex = 89
    MatchReplace = 90
    MaxIndexAndMatchReplace = 91
    Gather = 92
    InlineASMBytes = 93
    TensorCompletion = 94
    MatmultMx = 95
    QuantizeMx = 96
    Rand2 = 97
    RandSetState = 98
    RandGetState = 99
    Rng = 100
    ActivationReadAccumulator = 101
    DveReadAccumulator = 102
    Exponential = 103
    NonzeroWithCount = 104
    Loop = 105
    DynamicForLoop = 106
    DMABlock = 107
    DoWhile = 108
    TongaReduceMacroSymbolic = 109


DMA_OPCODES = frozenset(
    {
        Opcode.DMA,
        Opcode.Load,
        Opcode.Save,
        Opcode.DMACopy,
        Opcode.ReadVarAddr,
        Opcode.GenericIndirectLoad,
        Opcode.IndirectLoad,
        Opcode.GenericIndirectSave,
        Opcode.IndirectSave,
        Opcode.IndirectSaveAccumulate,
    }
)
"""Opcodes that run on the DMA lane whatever their engine field says (DMATrigger does not)."""

DESCRIPTOR_OPCODES = frozenset(
    {
        Opcode.DMADescriptor,
        Opcode.DMADescriptorCopy,
        Opcode.DMADescriptorCCE,
        Opcode.DMADescriptorTranspose,
        Opcode.DMADescriptorReplicate,
    }
)
"""Opcodes found inside the DMA blocks of a queue; as a trigger's transfer they run on the DMA lane."""

COLLECTIVE_OPCODES = frozenset(
    {Opcode.Collective, Opcode.CollectiveCompute, Opcode.CollectiveSend, Opcode.CollectiveRecv}
)
"""Opcodes that run on a collective stream (or on the DMA lane when ``is_local``)."""

TRANSFER_OPCODES = DMA_OPCODES | DESCRIPTOR_OPCODES
"""Opcodes that a DMATrigger can start."""
