"""``kernbench calibrate``: fits, what is refused, stored platforms, and whether their numbers follow from the rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.benches.cli.conftest import Call

LOOP = "n,cycles\n1,52\n2,64\n4,88\n8,136\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "sweep.csv"
    path.write_text(LOOP)
    return path


def report_of(kernbench: Call, *arguments: object) -> dict[str, Any]:
    code, out, err = kernbench("calibrate", *arguments, "--json", "-")
    assert (code, err) == (0, "")
    return json.loads(out)  # type: ignore[no-any-return]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def test_a_loop_is_fitted_and_reported_field_by_field(kernbench: Call, corpus: Path) -> None:
    report = report_of(kernbench, "fit", corpus, "--target", "cycles", "--features", "n", "--form", "loop")
    assert report.pop("coefficients") == pytest.approx({"latency": 52, "ii": 12})
    for name in ("max_abs_residual", "max_rel_error_pct", "loo_max_rel_error_pct", "bias_pct", "loo_bias_pct"):
        assert report.pop(name) == pytest.approx(0, abs=1e-9)
    assert report == {
        "schema": "kernbench.fit/1",
        "form": "loop",
        "corpus": str(corpus),
        "target": "cycles",
        "unit": "cycles",
        "features": ["n"],
        "unroll": 1,
        "unroll_r2": None,
        "weights": "none",
        "n_points": 4,
        "n_distinct_points": 4,
        "n_free_parameters": 2,
        "r2": 1.0,
        "side": "none",
        "measured_as_zero": 0,
        "below_zero": 0,
        "holdout": None,
        "identifiable": True,
        "not_identifiable": [],
        "ranges": {"n": [1, 8]},
        "confidence": "EXACT",
        "degenerate_fit": False,
        "stored": None,
    }


def test_the_published_bus_law_and_what_its_rows_cannot_tell(kernbench: Call, shared: Path) -> None:
    rows = shared / "data/waveflow/bus_points.csv"
    arguments = ("--target", "span_cycles", "--features", "num_trans,nwords")
    report = report_of(kernbench, "fit", rows, *arguments, "--where", "direction=read")
    expected = {"num_trans": 0.0661479, "nwords": 1.0583658, "intercept": -1.0}
    assert report["coefficients"] == pytest.approx(expected, abs=5e-8)
    assert (report["identifiable"], report["confidence"]) == (False, "INTERPOLATED")
    (reason,) = report["not_identifiable"]
    assert reason["coefficients"] == ["num_trans", "nwords"]
    assert reason["points"][0] == {"nwords": 129, "num_trans": 9}
    without = report_of(kernbench, "fit", rows, *arguments, "--no-intercept")
    assert set(without["coefficients"]) == {"num_trans", "nwords"}


def test_a_loop_of_one_trip_count_says_what_is_open(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("n,cycles\n61,40\n64,42\n")
    arguments = ("fit", path, "--target", "cycles", "--features", "n", "--form", "loop", "--unroll", "4")
    report = report_of(kernbench, *arguments)
    assert report["not_identifiable"] == [
        {
            "coefficients": ["latency", "ii"],
            "reason": "ceil(n/4) is 16",
            "advice": "measure another number of iterations, such as n=128",
            "points": [{"n": 128}],
        }
    ]
    assert report["identifiable"] is False
    code, out, _ = kernbench("calibrate", *arguments)
    assert code == 0
    assert "not identifiable: latency and ii (ceil(n/4) is 16 in every row)" in out


def test_a_holdout_is_judged_unseen(kernbench: Call, shared: Path, tmp_path: Path) -> None:
    rows = [line.split(",") for line in (shared / "data/waveflow/loop_points.csv").read_text().splitlines()[1:]]
    for role in ("fit", "holdout"):
        text = "".join(f"{trips},{cycles}\n" for name, _, trips, cycles, r in rows if (name, r) == ("vmac", role))
        (tmp_path / f"{role}.csv").write_text("trips,cycles\n" + text)
    arguments = ("fit", tmp_path / "fit.csv", "--target", "cycles", "--features", "trips")
    report = report_of(kernbench, *arguments, "--holdout", tmp_path / "holdout.csv")
    assert report["coefficients"] == pytest.approx({"trips": 18.983, "intercept": 42.665}, abs=5e-4)
    assert report["r2"] == pytest.approx(0.999996, abs=5e-7)
    holdout = report["holdout"]
    assert holdout["max_rel_error_pct"] == pytest.approx(1.54, abs=0.005)
    assert (holdout["side"], holdout["n_points"], holdout["extrapolated"]) == ("too long", 1, 1)
    code, out, _ = kernbench("calibrate", *arguments, "--holdout", tmp_path / "holdout.csv")
    assert code == 0
    assert "holdout: 1 rows, worst error 1.54 %, bias +1.539 % (too long); 1 of them EXTRAPOLATED" in out


def test_of_several_unroll_factors_the_best_is_kept(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "u.csv"
    path.write_text("n,cycles\n" + "".join(f"{n},{30 + 3 * (-(-n // 4) - 1)}\n" for n in range(1, 30)))
    arguments = ("fit", path, "--target", "cycles", "--features", "n", "--form", "loop")
    report = report_of(kernbench, *arguments, "--unroll", "1,2,4")
    assert (report["unroll"], set(report["unroll_r2"])) == (4, {"1", "2", "4"})
    assert report["coefficients"] == pytest.approx({"latency": 30, "ii": 3})
    assert report_of(kernbench, *arguments, "--unroll", "2")["unroll"] == 2


@pytest.mark.parametrize("form", ["table", "lookup"])
def test_tables_give_their_values(kernbench: Call, corpus: Path, form: str) -> None:
    report = report_of(kernbench, "fit", corpus, "--target", "cycles", "--features", "n", "--form", form)
    values = report["coefficients"]
    if form == "table":
        assert values == {"x": [1, 2, 4, 8], "y": [52, 64, 88, 136]}
        assert report["confidence"] == "INTERPOLATED"
    else:
        assert values == {"points": [[1], [2], [4], [8]], "values": [52, 64, 88, 136]}
        assert (report["confidence"], report["loo_max_rel_error_pct"]) == ("EXACT", None)


def test_relative_weights_change_the_fit_and_need_targets_above_zero(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("n,cycles\n1,10\n2,30\n100,1000\n")
    arguments = ("fit", path, "--target", "cycles", "--features", "n")
    plain, weighted = (report_of(kernbench, *arguments, "--weights", w) for w in ("none", "inverse_square"))
    assert weighted["max_rel_error_pct"] < plain["max_rel_error_pct"]
    path.write_text("n,cycles\n1,0\n2,30\n3,-1\n")
    code, out, err = kernbench("calibrate", *arguments, "--weights", "inverse_square")
    assert (code, out) == (2, "")
    assert [line.split(":")[1] for line in err.splitlines()] == ["2", "4"]


def test_every_bad_row_is_reported_with_its_line(kernbench: Call, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("n,cycles\n1,2\nx,3\n4\n5,\n")
    code, out, err = kernbench("calibrate", "fit", path, "--target", "cycles", "--features", "n")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f'{path}:3: n: "x" is no number',
        f"{path}:4: 1 cells in a row of 2 columns",
        f"{path}:5: cycles: the cell is empty (expected a number)",
    ]


def test_an_unknown_column_is_named_with_the_nearest(kernbench: Call, corpus: Path) -> None:
    code, _, err = kernbench("calibrate", "fit", corpus, "--target", "cycls", "--features", "m,n")
    assert code == 2
    assert err.splitlines() == [
        f'{corpus}:1: no column "cycls" (allowed: n, cycles; did you mean "cycles"?)',
        f'{corpus}:1: no column "m" (allowed: n, cycles)',
    ]


def test_every_wrong_option_is_reported_at_once(kernbench: Call, corpus: Path) -> None:
    code, out, err = kernbench(
        *("calibrate", "fit", corpus, "--target", "cycles", "--features", "n,m", "--form", "table"),
        *("--weights", "inverse_square", "--no-intercept", "--unroll", "4", "--name", "x", "--force", "--part", "p"),
        *("--where", "n", "--clock-hz", "fast"),
    )
    assert (code, out) == (2, "")
    expected = {
        "--features: a table has one feature, not 2 (a lookup takes several)",
        "--weights: a table meets its points; nothing is weighed",
        "--no-intercept: a table has no intercept",
        "--unroll: is for --form loop, not table",
        "--where n: expected COLUMN=TEXT",
        "--name: needs --store",
        "--force: needs --store",
        "--part: needs --store",
        '--clock-hz: "fast" is no clock in Hz (allowed: 1 to 1e12)',
    }
    assert set(err.splitlines()) == expected


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--form", "lop", 'unknown form "lop" (allowed: linear, loop, table, lookup; did you mean "loop"?)'),
        ("--weights", "inverse", 'unknown weights "inverse" (allowed: none, inverse_square'),
        ("--unroll", "0", '"0" is no unroll factor (allowed: 1 to 1000000'),
        ("--features", " , ", "no feature"),
        ("--features", "n,cycles", '"cycles" is the target, so it cannot be a feature'),
        ("--features", "n,n", 'the feature "n" is named twice'),
        ("--where", "n=3", 'no row has n = "3" (allowed: 1, 2, 4, 8)'),
    ],
)
def test_a_wrong_value_says_what_is_allowed(
    kernbench: Call, corpus: Path, option: str, value: str, message: str
) -> None:
    arguments = {"--target": "cycles", "--features": "n", option: value}
    code, out, err = kernbench("calibrate", "fit", corpus, *(word for pair in arguments.items() for word in pair))
    assert (code, out) == (2, "")
    assert message in err


def stored(kernbench: Call, corpus: Path, folder: Path, *more: object) -> dict[str, Any]:
    arguments = ("fit", corpus, "--target", "cycles", "--features", "n", "--form", "loop")
    return report_of(kernbench, *arguments, "--store", folder, "--name", "filter", *more)


def test_a_stored_fit_is_shown_with_its_source(kernbench: Call, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    report = stored(kernbench, corpus, folder, "--part", "xc7z020", "--clock-hz", "100e6")
    assert report["stored"] == str(folder / "models/filter")
    shown = report_of(kernbench, "show", folder)
    assert (shown["schema"], shown["part"], shown["clock_hz"]) == (
        "kernbench.platform-show/1",
        "xc7z020",
        100_000_000,
    )
    (row,) = shown["models"]
    assert (row["name"], row["form"], row["confidence"], row["corpus"]) == ("filter", "loop", "EXACT", "sweep.csv")
    assert row["coefficients"] == report["coefficients"]
    code, out, _ = kernbench("calibrate", "show", folder)
    assert code == 0
    assert "xc7z020, 100 MHz; all timing in cycles" in out
    assert re.search(r"filter +loop +latency 52, ii 12 +4 +1 +0\.00 +0\.00 +EXACT +fitted, sweep\.csv", out)


def test_fewer_points_do_not_replace_more_unless_forced(kernbench: Call, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    stored(kernbench, corpus, folder)
    before = tree(folder)
    corpus.write_text("n,cycles\n1,52\n2,64\n")
    arguments = ("fit", corpus, "--target", "cycles", "--features", "n", "--form", "loop", "--store", folder)
    code, out, err = kernbench("calibrate", *arguments, "--name", "filter", "--json", "-")
    assert (code, out) == (2, "")
    assert "holds a fit of 4 points; refusing to replace it with one of 2 (--force does)" in err
    assert tree(folder) == before
    assert stored(kernbench, corpus, folder, "--force")["n_points"] == 2
    assert tree(folder) != before


def test_a_report_that_cannot_be_written_stores_nothing(kernbench: Call, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    arguments = ("fit", corpus, "--target", "cycles", "--features", "n", "--store", folder, "--name", "m")
    code, _, err = kernbench("calibrate", *arguments, "--json", tmp_path / "no/such/out.json")
    assert code == 2
    assert "cannot be written" in err
    assert tree(folder) == {}


def test_measured_times_are_fitted_in_cycles_of_the_clock(kernbench: Call, tmp_path: Path) -> None:
    path, folder = tmp_path / "t.csv", tmp_path / "p"
    path.write_text("n,span_ns\n1,520\n2,640\n4,880\n")
    arguments = ("fit", path, "--target", "span_ns", "--features", "n", "--form", "loop")
    plain = report_of(kernbench, *arguments)
    assert (plain["unit"], plain["coefficients"]["ii"]) == ("ns", pytest.approx(120))
    code, _, err = kernbench("calibrate", *arguments, "--store", folder, "--name", "m")
    assert code == 2
    assert "is in ns; timing is stored in cycles, which takes the clock (--clock-hz)" in err
    assert not folder.exists()
    kept = report_of(kernbench, *arguments, "--store", folder, "--name", "m", "--clock-hz", "100e6")
    assert (kept["unit"], kept["coefficients"]) == ("cycles", pytest.approx({"latency": 52, "ii": 12}))
    # The platform now knows its clock.
    again = report_of(kernbench, *arguments, "--store", folder, "--name", "m")
    assert again["coefficients"] == kept["coefficients"]
    assert report_of(kernbench, "report", folder)["follows"] is True


def test_a_report_fits_again_and_notices_a_number_that_does_not_follow(
    kernbench: Call, corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "p"
    stored(kernbench, corpus, folder)
    report = report_of(kernbench, "report", folder)
    (check,) = report["models"]
    assert (report["follows"], check["follows"]) == (True, True)
    assert [(p["facts"], p["measured"]) for p in check["points"]] == [
        ({"n": 1}, 52),
        ({"n": 2}, 64),
        ({"n": 4}, 88),
        ({"n": 8}, 136),
    ]
    file = folder / "models/filter/model.json"
    document = json.loads(file.read_text())
    document["model"]["ii"] = 12.5
    file.write_text(json.dumps(document))
    code, out, _ = kernbench("calibrate", "report", folder)
    assert code == 1
    assert "filter (loop, EXACT): DOES NOT FOLLOW from its rows" in out


def test_a_corpus_that_was_changed_and_a_damaged_model_are_both_reported(
    kernbench: Call, corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "p"
    stored(kernbench, corpus, folder)
    report_of(kernbench, "fit", corpus, "--target", "cycles", "--features", "n", "--store", folder, "--name", "other")
    (folder / "models/filter/corpus.csv").write_text("n,cycles\n1,1\n")
    (folder / "models/other/model.json").write_text("{}")
    code, out, err = kernbench("calibrate", "report", folder)
    assert (code, out) == (2, "")
    assert "filter/corpus.csv: is not the corpus that the model beside it was fitted on" in err
    assert "other/model.json: its schema is None" in err
    assert kernbench("calibrate", "show", tmp_path)[0] == 2


def test_a_platform_with_a_bus_and_a_component_without_fit(kernbench: Call, tmp_path: Path) -> None:
    from simcore.timing.bus_trace import BusPoint
    from simcore.timing.residual import MeasuredFiring
    from simcore.timing.store.bus_store import add_run, fit_platform_bus
    from simcore.timing.store.component_store import ComponentResidual
    from simcore.timing.store.platform import Platform

    platform = Platform.open(tmp_path)
    for n in (17, 64, 100, 128):
        add_run(platform, f"n{n}", None, BusPoint(-(-n // 16), n, n + 2 * (-(-n // 16) - 1)))
    fit_platform_bus(platform)
    ComponentResidual(platform, "writer").collect_rtl("r", [MeasuredFiring((64, 4), 80)])
    shown = report_of(kernbench, "show", tmp_path)
    assert (shown["bus_directions"], shown["uncalibrated"]) == (["write"], ["writer"])
    assert (shown["models"][0]["name"], shown["models"][0]["confidence"]) == ("bus.write", "EXACT")
    assert report_of(kernbench, "report", tmp_path)["models"][0]["follows"] is True
    code, out, _ = kernbench("calibrate", "report", tmp_path)
    assert code == 0
    assert "writer: collected, not fitted: UNCALIBRATED" in out
    for file in (tmp_path / "points").iterdir():
        file.unlink()
    unchecked = report_of(kernbench, "report", tmp_path)
    assert (unchecked["follows"], unchecked["models"][0]["follows"]) == (True, None)
    assert kernbench("calibrate", "report", tmp_path, "--html", tmp_path / "p.html")[0] == 0


def test_the_page_plots_every_point_and_marks_what_lies_outside(
    kernbench: Call, corpus: Path, shared: Path, tmp_path: Path
) -> None:
    folder, page = tmp_path / "p", tmp_path / "page.html"
    stored(kernbench, corpus, folder)
    rows = shared / "data/waveflow/residual_corpus.csv"
    arguments = ("--target", "residual", "--features", "nwords,num_trans", "--where", "component=reader")
    report_of(kernbench, "fit", rows, *arguments, "--store", folder, "--name", "reader")
    assert kernbench("calibrate", "report", folder, "--html", page)[0] == 0
    text = page.read_text()
    plots = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text)]
    assert len(plots) == 4
    assert [len(plot.findall("circle")) for plot in plots] == [4, 4, 3, 3]
    outside = [line for line in plots[0].findall("polyline") if line.get("class") == "law outside"]
    assert len(outside) == 2
    assert "not identifiable: num_trans and nwords" in text
    first = page.read_bytes()
    kernbench("calibrate", "report", folder, "--html", page)
    assert page.read_bytes() == first
