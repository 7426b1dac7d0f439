"""The bench of fair shares measures the same traffic every time, and tells what it measured."""

from __future__ import annotations

import pytest

from benches.speed import fair_share


def test_the_bench_at_its_smallest(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(fair_share, "FLOWS", 20)
    monkeypatch.setattr(fair_share, "PLAIN_FLOWS", 10)
    names = [figure["name"] for figure in fair_share.main()["figures"]]
    assert names[0] == "20 flows, light load"
    assert names[-1] == "10 flows, plain Python over compiled"
    assert "raw SimPy timeouts" in capsys.readouterr().out


def test_its_traffic_is_the_same_every_time():
    assert fair_share.random_traffic(50, 1000) == fair_share.random_traffic(50, 1000)
