"""Measured figures: unions of intervals, and the summary that travels beside a derived program."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.program.measured import (
    DmaPacket,
    MeasuredInstruction,
    Measurement,
    SummaryThrottle,
    ThrottleState,
    covered_ns,
    load_summary,
    summary_path,
)


def _instruction(id_: int, engine: str, start: int, duration: int, opcode: str = "COPY") -> MeasuredInstruction:
    return MeasuredInstruction(id_, f"i{id_}", opcode, engine, id_, start, duration, None, "", (), (), ())


MEASUREMENT = Measurement(
    instructions=(
        _instruction(1, "PE", 100, 50, "LDWEIGHTS"),
        _instruction(2, "PE", 120, 80, "MATMUL"),
        _instruction(3, "DVE", 150, 500, "EVENT_SEMAPHORE"),
        _instruction(4, "DVE", 650, 50),
    ),
    packets=(
        DmaPacket(64, 0, "hardware_dynamic", 80, 40, 512, completion=False, transfer=None),
        DmaPacket(65, 0, "hardware_dynamic", 110, 20, 512, completion=False, transfer="t"),
        DmaPacket(65, 0, "hardware_dynamic", 690, 100, 4, completion=True, transfer="t"),
    ),
    semaphores=(),
    throttle=(ThrottleState(60, 400, 4, 8),),
    window_start_ns=100,
    window_end_ns=700,
)


@pytest.mark.parametrize(
    ("spans", "covered"),
    [
        ([], 0),
        ([(0, 10), (20, 30)], 20),
        ([(0, 10), (5, 30)], 30),
        ([(0, 30), (5, 10)], 30),
        ([(5, 10), (0, 5)], 10),
        ([(-50, 200)], 100),
        ([(-50, -10), (100, 120)], 0),
        ([(7, 7)], 0),
    ],
)
def test_covered_time_is_the_union_inside_the_window(spans: list[tuple[int, int]], covered: int) -> None:
    assert covered_ns(spans, 0, 100) == covered


def test_overlaps_count_once_and_waits_not_at_all() -> None:
    assert MEASUREMENT.engine_busy_ns() == {"Pool": 0, "Activation": 0, "PE": 100, "DMA": 40, "DVE": 50, "SP": 0}


def test_a_transfer_spans_its_own_packets() -> None:
    assert MEASUREMENT.transfer_spans_ns() == {"t": (110, 790)}


def test_a_summary_survives_its_file_and_counts_from_the_window(tmp_path: Path) -> None:
    summary = MEASUREMENT.summary("kernel")
    assert (summary.window_ns, summary.hardware_instructions, summary.dma_packets) == (600, 4, 3)
    assert summary.throttle == [SummaryThrottle(start_ns=-40, duration_ns=400, k=4, n=8)]
    path = tmp_path / "kernel.measured.json"
    summary.save(path)
    assert load_summary(path) == summary
    assert path.read_text().startswith('{\n  "schema": "kernbench.measured/1",\n')


@pytest.mark.parametrize("name", ["k.yaml", "k.json", "k.yaml.gz"])
def test_the_summary_lies_beside_its_program(name: str) -> None:
    assert summary_path(Path("folder") / name) == Path("folder/k.measured.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a measured summary"),
        ("[]", "not a measured summary: Expected `object`, got `array`"),
        ('{"schema": "kernbench.measured/1"}', "missing required field `program`"),
        ('{"window_ns": NaN}', "not a measured summary"),
        ('"window_ns": true', "Expected `int`, got `bool`"),
        ('"window_ns": -1', "window_ns: -1 is negative"),
        ('"PE": -7', "PE: -7 is negative"),
        ('"GPU": 7', 'engine_busy_ns: unknown lane "GPU" (allowed: Pool, Activation, PE, DMA, DVE, SP)'),
        ('"schema": "kernbench.measured/2"', 'schema "kernbench.measured/2" (allowed: kernbench.measured/1)'),
        ('"extra": 1', "unknown field `extra`"),
    ],
)
def test_a_summary_that_is_not_one_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "k.measured.json"
    MEASUREMENT.summary("k").save(path)
    key = text.split(":")[0]
    if text[0] == '"':
        lines = path.read_text().splitlines()
        at = next((k for k, line in enumerate(lines) if line.strip().startswith(key + ":")), None)
        if at is None:
            lines.insert(8 if "GPU" in key else 1, text + ",")
        else:
            lines[at] = text + ("," if lines[at].endswith(",") else "")
        text = "\n".join(lines)
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_summary(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_summary_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_summary(tmp_path / "none.measured.json")
