"""Words that NKI and people use for what program files call otherwise: for guesses in errors, never read as such."""

from __future__ import annotations

from collections.abc import Collection

OTHER_NAMES: dict[str, str] = {
    # Engines: AWS NKI architecture guide.
    "tensor": "PE",
    "tensore": "PE",
    "vector": "DVE",
    "vectore": "DVE",
    "scalar": "Activation",
    "scalare": "Activation",
    "act": "Activation",
    "gpsimd": "Pool",
    "sync": "SP",
    "sbuf": "SB",
    "hbm": "DRAM",
    # Instructions: nki.isa.
    "nc_matmul": "Matmult",
    "nc_transpose": "Matmult",
    "store": "Save",
    "copy": "TensorCopy",
    "dma_copy": "DMACopy",
    "tensor_copy": "TensorCopy",
    "tensor_tensor": "TensorTensor",
    "tensor_reduce": "TensorReduce",
    "tensor_scalar": "TensorScalarPtr",
    "allreduce": "CollectiveCompute",
    "allgather": "CollectiveCompute",
    "reducescatter": "CollectiveCompute",
    "alltoall": "CollectiveCompute",
    # Element types: the short names of frameworks.
    "fp32": "float32",
    "f32": "float32",
    "fp16": "float16",
    "f16": "float16",
    "bf16": "bfloat16",
}


def meant_by(word: str, allowed: Collection[str]) -> str | None:
    """The allowed word that goes by the other name ``word``, whatever its case; None if there is none."""
    name = OTHER_NAMES.get(word.casefold())
    return name if name in allowed else None
