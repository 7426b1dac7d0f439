"""The DMA engine of ADR-0056: what it costs to pass, and what it makes of a link."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import pytest

from components.fabric.fabric import Fabric
from components.fabric.flow import Flow
from components.memory.dma_engine import DmaEngine, DmaEngineParameters
from components.registry import build
from simcore.errors import InputError
from simcore.kernel import Environment

ENGINE = {"queues": 16, "start_ns": 1300, "practical_gbs": 16}
LINK = {"bw_gbs": 16, "propagation_ns": 0, "overhead_ns": 0, "arbitration": "flow_round_robin"}


def test_a_transfer_passes_an_engine_without_delay_and_is_counted_when_it_has_ended():
    env = Environment()
    fabric = cast(Fabric, build(env, "fabric", "fabric", {"flit_bytes": 256, "coalesce": True}, {}))
    memory, core = (build(env, "router", name, {"overhead_ns": 0}, {}) for name in ("memory", "core"))
    engine = cast(DmaEngine, build(env, "dma_engine", "engine", ENGINE, {}))
    inward, outward = (build(env, "link", name, LINK, {}) for name in ("inward", "outward"))
    fabric.connect(inward, memory, engine)
    fabric.connect(outward, engine, core)
    over = fabric.submit(Flow("f", 4096, (inward, outward), None))
    assert (engine.accepted, engine.completed, engine.passed_bytes) == (1, 0, 0)
    env.run(over)
    # 4096 bytes at 16 GB/s, and the last flit of 256 once more: the start is a request's, not a transfer's.
    assert env.now == 256_000 + 16_000
    assert (engine.accepted, engine.completed, engine.passed_bytes) == (1, 1, 4096)


@pytest.mark.parametrize(("link_gbs", "moved_gbs"), [(27, 16), (16, 16), (Fraction(1, 3), Fraction(1, 3))])
def test_a_link_is_no_quicker_than_the_engine_at_its_end(link_gbs, moved_gbs):
    assert DmaEngineParameters.model_validate(ENGINE).limited_gbs(Fraction(link_gbs)) == moved_gbs


def test_an_engine_that_moves_nothing_is_refused():
    with pytest.raises(InputError, match=r"engine\.practical_gbs: must be above 0: an engine that moves nothing"):
        build(Environment(), "dma_engine", "engine", {**ENGINE, "practical_gbs": 0}, {})
