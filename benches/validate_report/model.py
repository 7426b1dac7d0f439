"""The fields of ``kernbench.validate/1``, as written by ``validate --json``. Times are nanoseconds, errors signed.

An error is predicted minus measured: negative where the prediction is too short or too early.
"""

from __future__ import annotations

import msgspec


class EngineError(msgspec.Struct):
    """Busy time of one engine; ``error_pct`` is None where nothing was measured."""

    measured_busy_ns: float
    predicted_busy_ns: float
    error_pct: float | None


class ClassError(msgspec.Struct):
    """Instructions of one opcode on one engine that read one dtype: how far their starts and durations are off."""

    opcode: str
    engine: str
    dtype: str
    count: int
    mean_start_error_ns: float
    median_abs_start_error_ns: float
    measured_mean_duration_ns: float
    mean_duration_error_ns: float
    mean_abs_duration_error_ns: float


class TransferError(msgspec.Struct):
    """DMA transfers, each from its first packet to its last one."""

    count: int
    median_abs_start_error_ns: float
    mean_start_error_ns: float
    measured_mean_span_ns: float
    mean_span_error_ns: float
    mean_abs_span_error_ns: float
    median_abs_end_error_ns: float


class ChainStep(msgspec.Struct):
    """One instruction of a chain of causes. ``error_ns`` is its start error, ``added_ns`` what the step adds to it.

    Both times count from the block's first instruction.
    """

    name: str
    opcode: str
    engine: str
    predicted_start_ns: float
    measured_start_ns: float
    error_ns: float
    added_ns: float
    predicted_cause: str
    predicted_on: str | None
    measured_cause: str
    measured_on: str | None


class ErrorOrigin(msgspec.Struct):
    """Where the greatest start error comes from; see :mod:`benches.validate_report.explain_error`.

    ``jump`` is the first step of the predicted chain that adds at least half of what the worst step adds; ``behind``
    says in words what it waited for in both timelines. ``part_at`` is where, going back from ``instruction``, the two
    chains first wait for different instructions (None: they never do).
    """

    instruction: str
    error_ns: float
    jump: ChainStep
    behind: str
    part_at: str | None
    predicted_chain: list[ChainStep]
    measured_chain: list[str]


class ProfileReport(msgspec.Struct):
    """One profile. ``predicted_ns`` is the mean over the phases of the PE's clock throttle, ``band_ns`` 5 to 95 %.

    ``fitted_on``: names of the profiles that the timing's constants come from, None if it was not fitted here.
    """

    name: str
    arch: str
    family: str
    measured_ns: int
    predicted_ns: float
    band_ns: tuple[float, float]
    error_pct: float
    inside_band: bool
    engines: dict[str, EngineError]
    instructions: int
    median_abs_start_error_ns: float
    worst_start_error_ns: float
    classes: list[ClassError]
    transfers: TransferError | None
    greatest_error: ErrorOrigin | None
    confidence: str
    confidence_reason: str
    fitted_on: list[str] | None
    notes: list[str]


class Summary(msgspec.Struct):
    """Several windows together. ``bias_pct`` is the mean signed error, ``worst_...`` the largest by size.

    ``median_abs_start_error_ns`` is over the instructions of all profiles, the worst one that of a single profile.
    """

    profiles: int
    mean_abs_error_pct: float
    bias_pct: float
    worst_error_pct: float
    worst_profile: str
    inside_band: int
    worst_pe_busy_error_pct: float | None
    median_abs_start_error_ns: float
    worst_median_abs_start_error_ns: float


class Aim(msgspec.Struct):
    """One accuracy aim and what was reached."""

    name: str
    limit: float
    reached: float
    met: bool


class HeldOut(msgspec.Struct):
    """Profiles predicted with constants from others. ``held_out`` says which were kept apart."""

    held_out: str
    summary: Summary
    profiles: list[ProfileReport]
    aims: list[Aim]


class AblationRow(msgspec.Struct):
    """One effect switched off: what the held-out windows' errors become."""

    without: str
    mean_abs_error_pct: float
    bias_pct: float
    worst_error_pct: float


class ValidateReport(msgspec.Struct, omit_defaults=True):
    """The whole result. ``profiles`` are predicted with the timing as it is; what is held out stands by itself.

    ``phases``: runs per prediction. ``measured_throttle``: the PE clock was the measured one, for diagnosis.
    """

    schema: str
    timing: str
    phases: int
    measured_throttle: bool
    profiles: list[ProfileReport]
    mean_abs_error_pct: float
    summary: Summary
    leave_one_out: HeldOut | None = None
    families: list[HeldOut] | None = None
    ablation: list[AblationRow] | None = None
