"""A second, deliberately plain oracle: one instruction at a time, exact fractions, if after if, no table and no numpy.

Written from the sources, not from the product: it shares only the records of a program and the sizes of its types.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt

from simcore.program.dtypes import DType
from simcore.program.instruction import Instruction, Operand

DMA_COPY_LIKE = {
    "DMA", "Load", "Save", "DMACopy", "ReadVarAddr", "GenericIndirectLoad", "IndirectLoad", "GenericIndirectSave",
    "IndirectSave", "IndirectSaveAccumulate", "DMADescriptor", "DMADescriptorCopy", "DMADescriptorCCE",
    "DMADescriptorTranspose", "DMADescriptorReplicate",
}  # fmt: skip
COLLECTIVES = {"Collective", "CollectiveCompute", "CollectiveSend", "CollectiveRecv"}
PROGRAMS = {"InlineASMBytes", "CustomOp", "BIRKernel", "NKIKernel", "NKIKLIRKernel"}
SCALAR_TOO = {
    "GenericCopy",
    "AbstractCopy",
    "GenericRelu",
    "TensorCopy",
    "TensorScalar",
    "TensorScalarPtr",
    "Reciprocal",
}
ELEMENT_PER_CYCLE = {
    "GenericCopy", "AbstractCopy", "TensorCopy", "GenericRelu", "Pool", "TensorScalarCache", "BNStats", "StreamShuffle",
    "StreamTranspose", "RangeSelect", "Dropout", "Max", "MaxIndex", "MatchReplace", "Rand", "Rng", "GetRandState",
    "SetRandState",
}  # fmt: skip
SINCE_GEN3 = {"MaxIndexAndMatchReplace", "NonzeroWithCount", "RandSetState", "RandGetState"}
SINCE_GEN4 = {"QuantizeMx", "Rand2"}

Cost = tuple[int, int, str]
NONE: Cost = (0, 0, "not_costed")

HWM_CLOCKS = {
    "Trainium": {"Pool": 140, "Activation": 140, "PE": 140, "DVE": 112},
    "Gen3": {"Pool": 120, "Activation": 120, "PE": 120, "DVE": 96},
    "CoreV4": {"Pool": 120, "Activation": 120, "PE": 120, "DVE": 120},
}
GHZ = {
    "Trainium": {"Pool": "1.4", "Activation": "1.4", "PE": "2.8", "DVE": "1.12"},
    "Gen3": {"Pool": "1.2", "Activation": "1.2", "PE": "2.4", "DVE": "0.96"},
    "CoreV4": {"Pool": "1.2", "Activation": "1.2", "PE": "2.4", "DVE": "1.2"},
}


class Plain:
    """What the formulas ask of an instruction."""

    def __init__(self, i: Instruction) -> None:
        self.i = i
        self.ins = [o for o in i.ins if not o.symbolic and o.space != "REG"]
        self.outs = [o for o in i.outs if not o.symbolic and o.space != "REG"]
        self.all = self.ins + self.outs
        self.nep = max((o.elements for o in self.all), default=0)
        self.in_spaces = [o.space for o in self.ins]
        self.bf16 = bool(self.all) and all(o.dtype == "bfloat16" for o in self.all)
        self.contiguous = not any(_strided(o) for o in self.all)

    def op(self, field: str, *meant: str) -> bool:
        word = (getattr(self.i, field) or "").lower()
        return {"sub": "subtract", "mul": "multiply", "mult": "multiply", "elemwise_mul": "multiply"}.get(
            word, word
        ) in meant

    def has_bytes(self, n: int) -> bool:
        return any(DType[o.dtype].nbytes == n for o in self.all)

    def moving(self) -> int:
        if not self.ins:
            return self.outs[0].elements if self.outs else 0
        return self.ins[self._moving_index()].elements

    def stationary(self) -> int:
        others = [o for k, o in enumerate(self.ins) if k != self._moving_index()]
        if others:
            return others[0].elements
        return self.outs[0].partitions if self.outs else 0

    def _moving_index(self) -> int:
        for k, o in enumerate(self.ins):
            if self.outs and o.elements == self.outs[0].elements:
                return k
        return 0

    def transfer(self) -> tuple[int, int, int]:
        """Partitions, elements per partition, bytes per element."""
        outs_first = self.i.outs + self.i.ins
        if not outs_first:
            return 0, 0, 0
        on_chip = [o for o in self.outs + self.ins if o.space in ("SB", "PSUM")]
        candidates = on_chip or self.outs or self.ins or self.i.outs or self.i.ins
        size = max(candidates, key=lambda o: o.partitions * o.elements)
        typed = self.i.outs[0] if self.i.outs else size
        return size.partitions, size.elements, DType[typed.dtype].nbytes


def _strided(o: Operand) -> bool:
    if o.free is None:
        return False
    return 1 + sum(step * (num - 1) for step, num in o.free) != o.elements


def plain_cost(i: Instruction, oracle: str, timing: str) -> Cost:
    """(readInit, exec, provenance) of ``i``, which has no cost of its own."""
    if i.opcode in PROGRAMS:
        return NONE if i.latency_estimate is None else (0, i.latency_estimate, "given")
    return _hwm(i, oracle) if timing == "hwm" else _public(i, oracle)


# --- the compiler's model ---------------------------------------------------------------------------------------------


def _hwm(i: Instruction, oracle: str) -> Cost:
    p, clocks = Plain(i), HWM_CLOCKS[oracle]
    if i.opcode == "DMATrigger":
        return 0, 0, "documented"
    if i.opcode in DMA_COPY_LIKE or (i.opcode in COLLECTIVES and i.is_local):
        return _hwm_transfer(p, oracle)
    if i.opcode in COLLECTIVES:
        sides = [sum(o.partitions * o.elements * DType[o.dtype].nbytes for o in side) for side in (i.ins, i.outs)]
        return 10000, isqrt(max(sides) ** 2 * (len(i.ins) + len(i.outs)) // 160000), "assumed"
    if i.opcode in ("Matmult", "MatmultSparse", "MatmultMx"):
        if (i.opcode == "MatmultSparse" and oracle == "Trainium") or (i.opcode == "MatmultMx" and oracle != "CoreV4"):
            return NONE
        return _one_floor(
            20000, p.moving() // 2 * 100, clocks["PE"], "documented" if i.opcode == "Matmult" else "assumed"
        )
    if i.opcode == "Memset":
        return _one_floor(5000, p.nep * 100, clocks["DVE"], "documented")
    if i.opcode == "Activation" or (i.opcode == "Exponential" and oracle == "CoreV4"):
        known = "documented" if i.opcode == "Activation" and oracle == "CoreV4" else "assumed"
        return _two_floors(_activation_base(p), 1, p.nep, clocks["Activation"], known)
    if i.engine not in clocks:
        return NONE
    shape = _hwm_shape(p, oracle)
    if shape is None:
        return NONE
    base, mult, minimum = shape
    return _two_floors(base, mult, p.nep, clocks[i.engine], "assumed", minimum)


def _hwm_transfer(p: Plain, oracle: str) -> Cost:
    partitions, elements, nbytes = p.transfer()
    swdge, hwdge = (500, 0) if oracle == "Trainium" else (583, 416)
    start = 1300 + {"swdge": swdge, "hwdge": hwdge}.get(p.i.dge_type or "none", 0)
    if not p.all:
        return start, partitions * elements * nbytes // 300, "assumed"
    rate = 17 if oracle == "Trainium" else 23
    run = -(-partitions // 16) * elements * nbytes // rate if nbytes > 1 else partitions * elements // (16 * rate)
    stated = oracle == "Trainium" or (oracle == "Gen3" and p.i.dge_type not in ("swdge", "hwdge"))
    return start, run, "documented" if p.i.opcode == "DMACopy" and stated else "assumed"


def _activation_base(p: Plain) -> int:
    return 222 if p.has_bytes(2) else 172 if p.has_bytes(4) else 100


def _hwm_shape(p: Plain, oracle: str) -> tuple[int, Fraction | int, int] | None:
    """(base, multiplier, minimum) in cycles."""
    op = p.i.opcode
    if op in ("ReadActivationAccumulator", "ActivationReadAccumulator", "DveReadAccumulator"):
        return 64, 0, 0
    if op in SCALAR_TOO and p.i.engine == "Activation":
        return _activation_base(p), 1, 0
    if (
        op in ELEMENT_PER_CYCLE
        or (op in SINCE_GEN3 and oracle != "Trainium")
        or (op in SINCE_GEN4 and oracle == "CoreV4")
    ):
        return 50, 1, 0
    if op in ("TensorCopyDynamicSrc", "TensorCopyDynamicDst"):
        return 50, 1, 600
    if op in ("Iota", "TensorScalarAffineSelect", "Gather"):
        return 150, 1, 0
    if op in ("GetSequenceBounds", "GPSIMDSB2SB") and oracle != "Trainium":
        return 150, 1, 0
    if op == "IndirectCopy":
        return 150, Fraction(1, 8), 0
    mult = _shared_multiplier(p)
    if mult is not None:
        return 50, mult, 0
    if op in ("BNGradients", "BNBackprop", "BNBackprop2"):
        return 50, 2, 0
    if op == "Select":
        return 50, 3, 0
    if op in ("TensorScalar", "TensorScalarPtr"):
        return (114 if p.i.acc else 50), 1, 0
    return None


def _shared_multiplier(p: Plain) -> Fraction | int | None:
    """Cycles per element where they depend on operands, flags or operations; None: nothing published does."""
    op = p.i.opcode
    if op == "Reciprocal":
        return 8
    if op == "BNStatsAggregate":
        return Fraction(13, 3)
    if op == "CopyPredicated":
        return 1 if "SB" in p.in_spaces and "PSUM" in p.in_spaces else 2
    if op == "TensorTensor":
        one_psum = p.in_spaces.count("PSUM") == 1
        in_sbuf = bool(p.in_spaces) and set(p.in_spaces) == {"SB"}
        fast = in_sbuf and p.bf16 and p.contiguous and p.op("op", "add", "multiply", "subtract")
        return 1 if one_psum or fast else 2
    if op == "TensorReduce":
        return Fraction(1, 2) if p.bf16 and p.op("op", "add", "max") else 1
    if op == "TensorScalarPtr" and p.i.is_tensor_tensor_scan:
        return 2
    if op == "TensorScalarPtr" and p.i.is_scalar_tensor_tensor:
        fast = p.bf16 and p.op("op0", "subtract") and p.op("op1", "multiply") and p.nep % 2 == 0
        return 1 if fast else 2
    return None


# --- the documented cycles --------------------------------------------------------------------------------------------


def _public(i: Instruction, oracle: str) -> Cost:
    p = Plain(i)
    clocks = {engine: floor(Fraction(ghz) * 100) for engine, ghz in GHZ[oracle].items()}
    if i.opcode == "DMATrigger":
        return 0, 0, "assumed"
    if i.opcode in DMA_COPY_LIKE or (i.opcode in COLLECTIVES and i.is_local):
        partitions, elements, nbytes = p.transfer()
        run = partitions * elements * nbytes // {"Trainium": 272, "Gen3": 368, "CoreV4": 528}[oracle]
        known = "assumed" if i.opcode in COLLECTIVES or i.dge_type == "swdge" else "public"
        if i.dge_type == "hwdge" and oracle == "CoreV4":
            known = "assumed"
        return 1300 + (600 if i.dge_type == "hwdge" else 0), run, known
    if i.opcode == "Matmult":
        return _public_matmult(p, oracle, clocks["PE"])
    if i.opcode == "Activation":
        return _two_floors(64 if i.acc else 0, 1, p.nep, clocks["Activation"], "public", 64)
    if i.engine not in clocks:
        return NONE
    shape = _public_shape(p)
    if shape is None:
        return NONE
    base, mult, minimum, known = shape
    return _two_floors(base, mult, p.nep, clocks[i.engine], known, minimum)


def _public_matmult(p: Plain, oracle: str, clock: int) -> Cost:
    factor, known = Fraction(1), "public"
    stationary, moving = p.stationary(), p.moving()
    if p.i.is_transpose:
        if p.outs:
            stationary, moving = p.outs[0].partitions, p.outs[0].elements
        elif p.ins:
            stationary, moving = p.ins[0].elements, p.ins[0].partitions
        else:
            stationary = moving = 0
    elif any(o.dtype == "float32" for o in p.ins):
        factor = Fraction(4)
    elif p.i.perf_mode in ("DoubleRow", "DoubleRowSwInterleave") and oracle != "Trainium":
        factor, known = Fraction(1, 2), "assumed"
    return 0, floor(max(min(64, stationary), moving) * factor * 100 / clock), known


def _public_shape(p: Plain) -> tuple[int, Fraction | int, int, str] | None:
    """(base, multiplier, minimum, provenance)."""
    op, engine = p.i.opcode, p.i.engine
    on_vector = "public" if engine == "DVE" else "assumed"
    if op in ("ReadActivationAccumulator", "ActivationReadAccumulator"):
        return 64, 0, 0, "public"
    if op in ("TensorCopy", "GenericCopy"):
        return None if engine == "PE" else (0, 1, 64, "public")
    if op in ("TensorCopyDynamicSrc", "TensorCopyDynamicDst"):
        return 0, 1, 600, "public"
    if op in ("BNStats", "Dropout", "RangeSelect"):
        return 0, 1, 64, on_vector
    if op in ("StreamShuffle", "StreamTranspose", "MatchReplace"):
        return (0, 1, 64, "public") if engine == "DVE" else None
    if op in ("Max", "MaxIndex"):
        return (0, 1, 0, "public") if engine == "DVE" else None
    if op == "Memset":
        zero = bool(p.outs) and p.outs[0].dtype in ("bfloat16", "float16") and p.i.constant == 0
        return 0, Fraction(1, 2) if zero and engine == "DVE" else 1, 64, on_vector
    if op in ("Iota", "TensorScalarAffineSelect"):
        return 150, 1, 0, "public" if engine == "Pool" else "assumed"
    if op == "IndirectCopy":
        return (150, Fraction(1, 8), 0, "assumed") if engine == "Pool" else None
    if op == "CopyPredicated":
        split, inside = "SB" in p.in_spaces and "PSUM" in p.in_spaces, {o.space for o in p.all} == {"SB"}
        known = "public" if engine == "DVE" and (split or inside) else "assumed"
        return 0, 1 if split and engine == "DVE" else 2, 64, known
    if op == "Reciprocal" and engine == "Activation":
        return 0, 1, 64, "assumed"
    if op in ("TensorTensor", "TensorReduce") and engine != "DVE":
        return 0, 2 if op == "TensorTensor" else 1, 64 if op == "TensorTensor" else 0, "assumed"
    if op == "TensorScalarPtr" and p.i.is_scalar_tensor_tensor and not p.i.is_tensor_tensor_scan and engine != "DVE":
        return 0, 2, 0, "assumed"
    mult = _shared_multiplier(p)
    if mult is not None:
        no_minimum = op == "TensorReduce" or (op == "TensorScalarPtr" and not p.i.is_tensor_tensor_scan)
        return 0, mult, 0 if no_minimum else 64, on_vector
    if op in ("TensorScalar", "TensorScalarPtr"):
        if p.i.acc:
            return 64, 1, 64, on_vector
        return 0, 1, 64, "public" if engine in ("DVE", "Activation") else "assumed"
    return None


# --- rounding ---------------------------------------------------------------------------------------------------------


def _two_floors(base: int, mult: Fraction | int, nep: int, clock: int, known: str, minimum: int = 0) -> Cost:
    return floor(Fraction(base * 100, clock)), floor(max(nep * mult, minimum) * Fraction(100, clock)), known


def _one_floor(fixed: int, growing: int, clock: int, known: str) -> Cost:
    return fixed // clock, (fixed + growing) // clock - fixed // clock, known
