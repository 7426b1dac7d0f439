"""Hardware opcode names, as the profiler prints them -> the backend IR's opcodes.

The profiler prints the instruction set's own names, with ``_ARITH_OP`` and ``_BITVEC_OP`` left out. The first group
stands in the profiles this reader was tested on; the second holds names of the same instruction set that have exactly
one counterpart in the IR. A name that is not here is an input error: a guessed opcode would get a guessed cost.
"""

from __future__ import annotations

SEEN: dict[str, str] = {
    "ACT_TABLE_LOAD": "LoadActFuncSet",
    "ACTIVATE": "Activation",
    "CAST": "TensorCopy",
    "COPY": "TensorCopy",
    "DMA_DIRECT2D": "DMATrigger",
    "EVENT_SEMAPHORE": "EventSemaphore",
    "LDWEIGHTS": "Matmult",
    "MATMUL": "Matmult",
    "NOP": "NoOp",
    "RECIPROCAL": "Reciprocal",
    "TENSOR_REDUCE": "TensorReduce",
    "TENSOR_SCALAR": "TensorScalar",
}

NAMED_ALIKE: dict[str, str] = {
    "ACTIVATION_READ_ACCUMULATOR": "ActivationReadAccumulator",
    "ALU_OP": "RegisterAlu",
    "BATCH_NORM_AGGREGATE": "BNStatsAggregate",
    "BATCH_NORM_STATS": "BNStats",
    "BATCH_NORM_STATS2": "BNStats",
    "BRANCH_PREFETCH_HINT": "BranchHint",
    "COMPARE_BRANCH": "CompareAndBranch",
    "COPY_PREDICATED": "CopyPredicated",
    "DRAIN": "Drain",
    "DROPOUT": "Dropout",
    "DVE_READ_ACCUMULATOR": "DveReadAccumulator",
    "EXPONENTIAL": "Exponential",
    "FIND_INDEX8": "MaxIndex",
    "GATHER": "Gather",
    "GET_SEQUENCE_BOUNDS": "GetSequenceBounds",
    "HALT": "Halt",
    "INDIRECT_COPY": "IndirectCopy",
    "IOTA": "Iota",
    "LDWEIGHTS_MX": "MatmultMx",
    "MATCH_REPLACE8": "MatchReplace",
    "MATMUL_MX": "MatmultMx",
    "MATMUL_SPARSE": "MatmultSparse",
    "MAX8": "Max",
    "MEMSET": "Memset",
    "MOVE": "RegisterMove",
    "NONZERO_WITH_COUNT": "NonzeroWithCount",
    "POOL": "Pool",
    "QUANTIZE_MX": "QuantizeMx",
    "RAND": "Rand",
    "RAND2": "Rand2",
    "RAND_GET_STATE": "RandGetState",
    "RAND_SET_STATE": "RandSetState",
    "RANGE_SELECT": "RangeSelect",
    "RNG": "Rng",
    "SCALAR_TENSOR_TENSOR": "TensorScalarPtr",
    "STREAM_SHUFFLE": "StreamShuffle",
    "STREAM_TRANSPOSE": "StreamTranspose",
    "TENSOR_LOAD": "TensorLoad",
    "TENSOR_SCALAR_AFFINE_SELECT": "TensorScalarAffineSelect",
    "TENSOR_SCALAR_CACHE_CUMULATIVE": "TensorScalarCache",
    "TENSOR_SCALAR_CACHE_REDUCE": "TensorScalarCache",
    "TENSOR_SCALAR_PTR": "TensorScalarPtr",
    "TENSOR_SCALAR_SELECT": "Select",
    "TENSOR_STORE": "TensorSave",
    "TENSOR_TENSOR": "TensorTensor",
    "TENSOR_TENSOR_SCAN": "TensorScalarPtr",
}

HARDWARE_OPCODES: dict[str, str] = {**SEEN, **NAMED_ALIKE}
"""Every hardware opcode that the reader knows -> the IR's opcode."""

DMA_TRIGGER = "DMA_DIRECT2D"
"""The instruction that starts a transfer whose descriptors are made on the device."""

WEIGHT_LOADS = frozenset({"LDWEIGHTS", "LDWEIGHTS_MX"})
"""Load the stationary operand of the matmul that follows."""

MATMULS = frozenset({"MATMUL", "MATMUL_SPARSE", "MATMUL_MX"})
"""Stream the moving operand through the array."""

ENGINE_LANES: dict[str, str] = {
    "GpSimd": "Pool",
    "Scalar": "Activation",
    "Sync": "SP",
    "Tensor": "PE",
    "TensorMatrix": "PE",
    "Vector": "DVE",
}
"""The profiler's engine labels -> the IR's engines (``Tensor`` loads weights, ``TensorMatrix`` multiplies)."""

EDGE_KINDS: dict[str, str] = {
    "ANTI_DEPENDENCE": "Anti",
    "FLOW_DEPENDENCE": "Flow",
    "ORDERED": "Ordered",
    "OUTPUT_DEPENDENCE": "Output",
}
"""The profiler's producer types -> edge kinds."""
