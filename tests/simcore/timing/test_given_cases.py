"""Every case of the shared file, given and expected: none is left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simcore.errors import InputError
from simcore.kernel import Environment
from simcore.timing.attach import TimedDelay
from simcore.timing.bus import bursts_of
from simcore.timing.bus_trace import BusPoint, PortTrace
from simcore.timing.clock import Clock
from simcore.timing.composite import ConcatModel, DerivedModel, FormulaModel
from simcore.timing.confidence import Level
from simcore.timing.corpus import corpus_of
from simcore.timing.fit import check_holdout, fit_linear, fit_lookup, fit_table
from simcore.timing.fit_summary import FitSummary
from simcore.timing.fixtures.component_fixture import calibrate, reader_fixture, writer_fixture
from simcore.timing.fixtures.memory_streams import Command, Memory, copy_memory, period_cycles
from simcore.timing.linear import LinearModel
from simcore.timing.polled_slave import PolledSlave
from simcore.timing.polling import BusPollers, PollCondition
from simcore.timing.residual import MeasuredFiring, SimulatedFiring, declared_residual, fit_residual, join, simulated
from simcore.timing.store.bus_store import add_run, bus_timing, calibrate_bus, fit_platform_bus, read_laws, runs
from simcore.timing.store.component_store import ComponentResidual, collect_step, fit_step
from simcore.timing.store.platform import Platform, load_model
from simcore.timing.streaming import burst_start
from simcore.timing.transfers import PortLatency

Case = Callable[[dict[str, Any], dict[str, Any], Path], None]
CASES: dict[str, Case] = {}
STREAM = ("nwords", "num_trans")
HZ_100M = Clock.of_hz(100e6)
SECOND = 10**12


def case(name: str) -> Callable[[Case], Case]:
    def keep(check: Case) -> Case:
        CASES[name] = check
        return check

    return keep


def at(words: float) -> tuple[float, float]:
    return (float(words), float(bursts_of(int(words))))


def fitted_bus(folder: Path, given: dict[str, Any]) -> Platform:
    platform = Platform.open(folder)
    for bursts, words in given["write points (num_trans,nwords)"]:
        add_run(platform, f"n{words}", None, BusPoint(bursts, words, words + 2 * (bursts - 1)))
    fit_platform_bus(platform)
    return platform


def seconds(platform: Platform, clock: Clock, query: list[int]) -> float:
    return bus_timing(platform, clock).ticks("write", query[1], query[0]) / SECOND


@case("bus1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    platform, clock = fitted_bus(tmp_path, given), Clock.of_hz(given["clock_hz"])
    got = seconds(platform, clock, given["query"])
    assert got == pytest.approx(expect["write_span_seconds"], rel=expect["rel_tol"])
    bursts, words = given["query"]
    assert bus_timing(platform, clock).span_cycles("read", words, bursts) is expect["read_span"]


@case("bus2")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    points = {"write points (num_trans,nwords)": [[8, 128], [16, 256], [32, 512], [4, 64]]}
    fitted_bus(tmp_path, points)
    for file in (tmp_path / "points").iterdir():
        file.unlink()
    got = seconds(Platform.open(tmp_path), HZ_100M, given["query"])
    assert got == pytest.approx(expect["write_span_seconds"], rel=expect["rel_tol"])


@case("bus4")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    for span in given["same run id written twice"]:
        add_run(platform, "run", None, BusPoint(8, 128, span))
    (run,) = runs(platform).values()
    assert run.write is not None
    assert (len(runs(platform)), run.write.span) == (expect["corpus points"], expect["span"])


@case("bus6")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    assert given["write-only fit"]
    platform = fitted_bus(tmp_path, {"write points (num_trans,nwords)": [[8, 128], [32, 512]]})
    laws = read_laws(platform)
    assert list(laws) == expect["directions stored"]
    assert list(laws["write"].coefficients) == expect["basis"]


@case("bus7")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    def trace(words: int, span: int) -> PortTrace:
        pause = (span - words) // 7  # between the eight bursts
        beats = [cycle + cycle // 16 * pause for cycle in range(words)]
        return PortTrace(beats, beats[::16])

    step = calibrate_bus(Platform.open(tmp_path), "n128", {"read": trace(128, 135), "write": trace(128, 142)})
    assert step.point.read == BusPoint(8, 128, 135)
    assert step.point.write == BusPoint(8, 128, 142)
    assert list(step.fitted_directions) == expect["fitted_directions"]


@case("res1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    ours = SimulatedFiring(at(128), given["pysim"], given["current_dly"])
    joined = join(STREAM, {"r": [MeasuredFiring(at(128), given["rtl"])]}, {"r": [ours]})
    assert joined.corpus is not None
    assert joined.corpus.numbers("residual").tolist() == [expect["residual"]]


@case("res2")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    firings = [MeasuredFiring(at(128), 183), *[MeasuredFiring(at(128), 213, 30)] * 15]
    joined = join(STREAM, {"r": firings}, {"r": [SimulatedFiring(at(128), given["pysim"], 0)]})
    assert joined.corpus is not None
    assert joined.corpus.numbers("residual").tolist() == [expect["residual"]]


@case("res3")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    rtl = [MeasuredFiring(at(n), 1000 + n + 2 * (n // 16)) for n in (128, 512)]
    ours = [SimulatedFiring(at(n), 1000 + n, 0) for n in (128, 512)]
    model = fit_residual(join(STREAM, {"r": rtl}, {"r": ours}), STREAM).model
    got = model.cycles(dict(zip(STREAM, given["query"], strict=True)))
    assert [got] == pytest.approx(expect["predict"], abs=expect["abs_tol"])


@case("res4")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    rtl = {"r1": [MeasuredFiring(at(128), given["rtl n=128"])]}
    ours = {f"p{n}": [SimulatedFiring(at(n), given[f"pysim n={n}"], 0)] for n in (128, 256)}
    joined = join(STREAM, rtl, ours)
    assert joined.corpus is not None
    assert len(joined.corpus) == expect["rows"]
    assert joined.corpus.numbers("residual").tolist() == [expect["residual"]]
    for side in ("matched", "rtl_only", "pysim_only"):
        assert [list(point) for point in getattr(joined.coverage, side)] == expect[side]


@case("res5")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=expect["error"]):
        fit_residual(join(STREAM, {"r": [MeasuredFiring(at(128), 183)]}, {}), STREAM)


@case("res7")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    seed = declared_residual(STREAM, {"num_trans": 2.0}, 22.0)
    model = ComponentResidual(Platform.open(tmp_path), "c").model(seed)
    assert [model.cycles(dict(zip(STREAM, given["query"], strict=True)))] == expect["predict"]


@case("res8")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    clock = Clock.of_hz(10**9 / given["clock period"])
    timing = TimedDelay("c", clock, declared_residual(STREAM))
    timing.record(dict(zip(STREAM, at(128), strict=True)), 0, int(given["pysim time"] * 1000))
    ours = simulated(timing.firings or (), STREAM, clock)
    joined = join(STREAM, {"r": [MeasuredFiring(at(128), given["rtl cycles"])]}, {"r": ours})
    assert joined.corpus is not None
    assert joined.corpus.numbers("span_pysim").tolist() == [expect["span_pysim"]]
    assert joined.corpus.numbers("residual").tolist() == [expect["residual"]]


def fitted_residual(folder: Path) -> ComponentResidual:
    residual = ComponentResidual(Platform.open(folder), "c")
    residual.collect_rtl("r", [MeasuredFiring(at(n), 1010 + n + 2 * bursts_of(n)) for n in (128, 512)])
    residual.collect_pysim("r", [SimulatedFiring(at(n), 1000 + n, 0) for n in (128, 512)])
    return residual


@case("res12")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    residual = fitted_residual(tmp_path)
    residual.fit()
    query = dict(zip(STREAM, given["after fit, delete params only; query"], strict=True))
    assert residual.model().cycles(query) == pytest.approx(42)
    residual.reset(params=True)
    assert [residual.model().cycles(query)] == expect["predict"]


@case("res14")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    residual = fitted_residual(tmp_path)
    residual.fit()
    assert (residual.folder / "corpus.csv").read_text().splitlines()[0].split(",") == expect["columns"]


@case("rec2")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    delay = TimedDelay("c", HZ_100M)
    assert delay.ticks({"nwords": 128}) == expect["timed_delay"]
    assert delay.firings is None


@case("fx1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    fixture = writer_fixture({})
    assert len(fixture.sweep) == expect["points"]
    grid = {(n, f) for n in (128, 512) for f in (1, 2, 4)}
    points = {fixture.point(p) for p in fixture.sweep}
    assert points == {(n, (n + 15) // 16, f) for n, f in grid}


def calibrated_platform(folder: Path) -> Platform:
    platform = Platform.open(folder)
    for n in (17, 64, 100, 128, 512):
        k = bursts_of(n)
        add_run(platform, f"n{n}", BusPoint(k, n, n + (k - 1)), BusPoint(k, n, n + 2 * (k - 1)))
    fit_platform_bus(platform)
    return platform


@case("fx2")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    platform, rates = calibrated_platform(tmp_path), []
    for k in (0, 13):
        spans = {(64.0, 4.0, float(f)): 40 + 64 + 2 * (4 - 1) + k * f for f in (1, 2, 4)}
        fixture = writer_fixture(spans, sizes=(64,), component=f"w{k}")
        rates.append(calibrate(fixture, platform, HZ_100M).params.coefficients["n_fwd"])
    expected = expect["fitted n_fwd coefficient difference"]
    assert rates[1] - rates[0] == pytest.approx(expected, abs=expect["abs_tol"])


@case("step1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    residual = fitted_residual(tmp_path)
    step = fit_step([residual])
    assert [f.points for f in step.fitted] == [expect["points"]]
    assert list(step.skipped) == expect["skipped"]
    assert load_model(residual.folder).name == "c"


@case("step3")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=expect["error"]):
        collect_step(Platform.open(tmp_path), "r", [object()])


@case("lin3")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    def derive(row: Any) -> dict[str, float]:
        return {"row_setup": row["clk"] * (row["nr"] - 1), "beat": row["clk"] * row["nr"] * row["nc"]}

    facts = [{"clk": 10e-9, "nr": nr, "nc": nc} for nr in (1, 4, 16) for nc in (16, 64, 256)]
    rows = [{**f, **derive(f), "s": (8 * (f["nr"] - 1) + f["nr"] * f["nc"]) * f["clk"]} for f in facts]
    corpus = corpus_of({name: [row[name] for row in rows] for name in rows[0]})
    model = fit_linear(corpus, "s", ["row_setup", "beat"], intercept=False).model
    assert isinstance(model, LinearModel)
    assert list(model.coefficients.values()) == pytest.approx(expect["coeffs"])
    for clk, key in ((10e-9, "predict(nr=4,nc=64,clk=10ns)"), (2e-9, "predict(clk=2ns)")):
        assert DerivedModel(model, derive).cycles({"clk": clk, "nr": 4, "nc": 64}) == pytest.approx(expect[key])


@case("lin5")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    x, y = zip(*given["rows"], strict=True)
    fit = fit_linear(corpus_of({"x": x, "y": y}), "y", ["x"], intercept=given["intercept"])
    assert fit.accuracy.n_points - fit.accuracy.measured_as_zero == expect["relative errors reported"]
    assert fit.accuracy.max_rel_error < 1e-9


@case("lin6")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    grid = [(t, t * n) for t in (1, 2, 4, 8) for n in (64, 256, 1024)]
    held_out = grid.index((2, 512))
    columns = {"num_trans": [t for t, _ in grid], "nwords": [n for _, n in grid], "span": [5 * t + n for t, n in grid]}
    corpus = corpus_of(columns)
    train = corpus.kept([k for k in range(len(grid)) if k != held_out])
    fit = fit_linear(train, "span", ["num_trans", "nwords"], intercept=False)
    report = check_holdout(fit.model, corpus.kept([held_out]), "span")
    assert fit.accuracy.r2 == pytest.approx(expect["r2_train"])
    assert report.accuracy.n_points == expect["test rows"]
    assert report.accuracy.max_rel_error == pytest.approx(expect["max_rel_err"], abs=1e-9)


@case("lin7")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    """A model without a fit or a seed cannot even be made, nor one be read where none was stored."""
    with pytest.raises(TypeError):
        LinearModel("y")  # type: ignore[call-arg]
    with pytest.raises(InputError, match="cannot be read"):
        load_model(tmp_path)


@case("lin9")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    assert LinearModel("y", {"x": 3.0}, intercept=7.0).cycles({"x": next(iter(given.values()))}) == expect["predict"]


@case("int1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    model = fit_table(corpus_of({"x": given["x"], "y": given["y"]}), "y", ["x"]).model
    for query, value in expect.items():
        assert model.cycles({"x": float(query.split()[0])}) == pytest.approx(value, abs=0.05)


@case("int3")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one feature"):
        fit_table(corpus_of({"a": [1], "b": [2], "y": [3]}), "y", ["a", "b"])


@case("doc1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    corpus = corpus_of({"m": given["m"], "cycles": given["cycles"]})
    fit = fit_linear(corpus, "cycles", ["m"])
    assert isinstance(fit.model, LinearModel)
    assert (fit.model.coefficients["m"], fit.model.intercept) == pytest.approx((expect["slope"], expect["intercept"]))
    assert fit.model.cycles({"m": 3}) == pytest.approx(expect["predict(3)"])
    assert fit.accuracy.r2 == expect["R2"]
    without = fit_linear(corpus.kept([0, 1, 3]), "cycles", ["m"]).model
    assert without.cycles({"m": 4}) == pytest.approx(expect["holdout m=4"]["pred"])


def affine() -> dict[str, list[float]]:
    sizes = [16.0 * k for k in range(1, 7)]
    return {"n": sizes, "cycles": [2 * n + 10 for n in sizes]}


@case("cf3")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    columns = affine()
    columns["cycles"][2] += 7
    found = fit_linear(corpus_of(columns), "cycles", ["n"]).model.confidence({"n": given["query"]})
    assert found.level.name == expect["level"]
    assert (found.facts.max_rel_residual or 0) > 0


@case("cf8")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    corpus = corpus_of(affine())
    platform = Platform.open(tmp_path)
    platform.save_fit("m", fit_linear(corpus, "cycles", ["n"]), corpus)
    model = load_model(platform.model_folder("m")).model
    for query, level in expect.items():
        assert model.confidence({"n": float(query)}).level.name == level


@case("cf10")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    model = fit_table(corpus_of({"x": given["table x"], "y": given["y"]}), "y", ["x"]).model
    assert model.confidence({"x": 128}).level.name == expect["query 128"]
    beyond = {**model.confidence({"x": 4096}).to_json(), "value": model.cycles({"x": 4096})}
    assert {key: beyond[key] for key in expect["query 4096"]} == expect["query 4096"]


@case("cf11")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    assert [level.name for level in sorted([*Level][::-1])] == expect["order"]


@case("lk1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    grid = [(n, k) for n in (4, 16, 64) for k in (1, 2)]
    columns: dict[str, list[float]] = {
        "nwords": [n for n, _ in grid] + [64],
        "num_trans": [k for _, k in grid] + [2],
        "residual": [8 + 1.5 * n + 3 * k for n, k in grid] + [99],
    }
    model = fit_lookup(corpus_of(columns), "residual", ["nwords", "num_trans"]).model
    assert model.confidence({"nwords": 4, "num_trans": 1}).level.name == expect["stored point level"]
    assert model.cycles({"nwords": 4, "num_trans": 1}) == model.cycles({"nwords": 4.0, "num_trans": 1.0}) == 17
    assert model.confidence({"nwords": 17, "num_trans": 2}).level.name == expect["(17,2) level"]
    assert model.cycles({"nwords": 17, "num_trans": 2}) == expect["unmeasured value"]
    assert model.cycles({"nwords": 64, "num_trans": 2}) == 99  # the last of a repeated point
    with pytest.raises(InputError, match="does not say"):
        model.cycles({"nwords": 4})


@case("cc1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    n = [2, 4, 8, 16]
    fit = fit_linear(corpus_of({"n": n, "lut": [100 + 30 * k for k in n]}), "lut", ["n"])
    rule = FormulaModel("dsp", lambda row: 2 * row["n"], FitSummary({}, 4, 4, 0, 0.0, 0.0, 32.0))
    both = ConcatModel({"dsp": rule, "lut": fit.model}, {"dsp": ["dsp"], "lut": ["lut"]})
    got = both.estimates({"n": next(iter(given.values()))})
    assert {name: e.cycles for name, e in got.items()} == pytest.approx({"dsp": expect["dsp"], "lut": expect["lut"]})
    assert fit.summary.n_free_parameters == expect["n_free_params"]
    assert both.confidence({"n": 999}).to_json() == expect["query 999"]


@case("pl1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    env, clock = Environment(), Clock.of_hz(given["clock_hz"])
    slave = PolledSlave(env, "s", clock, warn=[].append)
    poll = slave.poll_until(0, PollCondition("Eq", 0), given["condition already true, interval"])
    env.run(env.spawn(poll, "poll"))
    assert env.now / SECOND == expect["elapsed"]


@case("pl6")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    env, clock = Environment(), Clock.of_hz(1)
    latency = PortLatency(given["latency_init"], given["latency_read_return"])
    slave = PolledSlave(env, "s", clock, latency=latency, warn=[].append)
    slave.pollers.start(2)
    assert slave.pollers.overhead == given["ov"]
    env.run(env.spawn(slave.read(0, given["read words"]), "master"))
    assert env.now / SECOND == expect["elapsed"]


@case("pl10")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    said: list[str] = []
    BusPollers("bus", said.append).start(given["interval"])
    assert expect["warning"] in said[0]


@case("mp3")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    end = 5_000_000
    assert burst_start(end, given["read words"], HZ_100M) == end - 9 * 10_000


@case("e2e1")
def _(given: dict[str, Any], expect: dict[str, Any], tmp_path: Path) -> None:
    platform = calibrated_platform(tmp_path)
    jobs, measured = given["jobs"], given["memory copy, writer RTL span"]

    def period(words: str) -> float:
        reader = ComponentResidual(platform, "r")
        writer = ComponentResidual(platform, "w", (*STREAM, "n_fwd"))
        timings = [TimedDelay(c.component, HZ_100M, c.model()) for c in (reader, writer)]
        memory = Memory(bus_timing(platform, HZ_100M))
        return period_cycles(copy_memory(memory, *timings, [Command(int(words), 1)] * jobs[words])[1])

    assert period("128") == 147 < 163
    spans = {(float(n), float(bursts_of(int(n))), 1.0): float(span) for n, span in measured.items()}
    calibrate(writer_fixture(spans, component="w"), platform, HZ_100M)
    calibrate(reader_fixture({(64, 4): 83, (128, 8): 151, (256, 16): 287}, component="r"), platform, HZ_100M)
    for words, span in measured.items():
        assert period(words) == pytest.approx(span, rel=0.02)


def test_every_given_case_is_checked(shared: Path) -> None:
    given = json.loads((shared / "data/waveflow/cases.json").read_text())["cases"]
    assert [c["id"] for c in given if c["id"] not in CASES] == []
    assert len(given) == len(CASES)


@pytest.mark.parametrize("name", CASES)
def test_case(shared: Path, tmp_path: Path, name: str) -> None:
    given = {c["id"]: c for c in json.loads((shared / "data/waveflow/cases.json").read_text())["cases"]}[name]
    CASES[name](given["given"], given["expect"], tmp_path)
