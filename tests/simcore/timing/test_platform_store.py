"""The platform on disk: readable, whole, refusing what would lose something, and saying where numbers come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.timing.confidence import Level
from simcore.timing.corpus import Corpus, corpus_of
from simcore.timing.corpus_csv import parse_corpus
from simcore.timing.corpus_units import in_cycles
from simcore.timing.fit import fit_linear, fit_lookup, fit_loop, fit_table
from simcore.timing.store.platform import Platform, load_corpus, load_model

CORPUS = corpus_of({"n": [1, 2, 4, 8], "cycles": [52, 64, 88, 136]}, "sweep.csv")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def test_a_stored_fit_is_readable_json_with_its_provenance(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path / "p").identified("xc7z020", 100_000_000)
    platform.save_fit("filter", fit_loop(CORPUS, "cycles", "n"), CORPUS)
    assert list(tree(tmp_path / "p")) == ["models/filter/corpus.csv", "models/filter/model.json", "platform.json"]
    assert json.loads((tmp_path / "p/platform.json").read_text()) == {
        "schema": "kernbench.platform/1",
        "part": "xc7z020",
        "clock_hz": 100_000_000,
    }
    text = (tmp_path / "p/models/filter/model.json").read_text()
    assert len(text.splitlines()) > 20
    stored = json.loads(text)
    assert stored["schema"] == "kernbench.timing-model/1"
    assert (stored["model"]["form"], stored["model"]["size"], stored["model"]["unroll"]) == ("loop", "n", 1)
    assert (stored["model"]["latency"], stored["model"]["ii"]) == pytest.approx((52, 12))
    assert stored["provenance"] | {"corpus_sha256": "", "kernbench": ""} == {
        "obtained": "fitted",
        "corpus": "sweep.csv",
        "corpus_sha256": "",
        "target_unit": "cycles",
        "weights": "none",
        "kernbench": "",
    }


def test_a_reloaded_fit_predicts_and_judges_as_before(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    fits = {
        "loop": fit_loop(CORPUS, "cycles", "n"),
        "law": fit_linear(CORPUS, "cycles", ["n"]),
        "table": fit_table(CORPUS, "cycles", ["n"]),
        "lookup": fit_lookup(CORPUS, "cycles", ["n"]),
    }
    for name, fit in fits.items():
        platform.save_fit(name, fit, CORPUS)
    again = Platform.existing(tmp_path)
    assert [folder.name for folder in again.model_folders()] == ["law", "lookup", "loop", "table"]
    for name, fit in fits.items():
        stored = load_model(again.model_folder(name))
        assert stored.model == fit.model
        assert load_corpus(again.model_folder(name), stored).numbers("cycles").tolist() == [52, 64, 88, 136]
    law = load_model(again.model_folder("law")).model
    assert law.confidence({"n": 500}).level is Level.EXTRAPOLATED
    assert law.confidence({"n": 4}).level is Level.EXACT


def test_the_same_fit_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        Platform.open(tmp_path / name).save_fit("m", fit_loop(CORPUS, "cycles", "n"), CORPUS)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_a_fit_of_fewer_points_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    platform.save_fit("m", fit_linear(CORPUS, "cycles", ["n"]), CORPUS)
    before, fewer = tree(tmp_path), CORPUS.kept([0, 1])
    with pytest.raises(InputError, match=r"holds a fit of 4 points; refusing .* one of 2 \(--force does\)"):
        platform.save_fit("m", fit_linear(fewer, "cycles", ["n"]), fewer)
    assert tree(tmp_path) == before
    platform.save_fit("m", fit_linear(fewer, "cycles", ["n"]), fewer, force=True)
    assert (
        load_model(platform.model_folder("m")).provenance.corpus_sha256
        != json.loads(before["models/m/model.json"])["provenance"]["corpus_sha256"]
    )


def test_as_many_points_or_more_replace(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    for _ in range(2):
        platform.save_fit("m", fit_linear(CORPUS, "cycles", ["n"]), CORPUS)
    assert load_model(platform.model_folder("m")).r2 == 1.0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "the file ends inside the document"),
        ("[]", "its schema is None (expected 'kernbench.timing-model/1')"),
        ('{"schema": "kernbench.timing-model/2"}', "its schema is 'kernbench.timing-model/2'"),
        ('{"schema": "kernbench.timing-model/1"}', "Object missing required field"),
    ],
)
def test_a_damaged_model_is_refused_and_not_replaced_unasked(tmp_path: Path, text: str, fault: str) -> None:
    platform = Platform.open(tmp_path)
    fit = fit_linear(CORPUS, "cycles", ["n"])
    platform.save_fit("m", fit, CORPUS)
    file = platform.model_folder("m") / "model.json"
    file.write_text(text)
    with pytest.raises(InputError) as refused:
        load_model(platform.model_folder("m"))
    assert str(refused.value).startswith(str(file))
    assert fault in str(refused.value)
    with pytest.raises(InputError):
        platform.save_fit("m", fit, CORPUS)
    platform.save_fit("m", fit, CORPUS, force=True)
    assert load_model(platform.model_folder("m")).model == fit.model


def test_a_wrong_value_is_named_by_its_place(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    platform.save_fit("m", fit_loop(CORPUS, "cycles", "n"), CORPUS)
    file = platform.model_folder("m") / "model.json"
    for change, where in (
        (lambda d: d["model"].update(ii="x"), "$.model.ii"),
        (lambda d: d["model"].update(speed=1), "$.model"),
        (lambda d: d["model"].update(unroll=0), "$.model"),
    ):
        document = json.loads(file.read_text())
        change(document)
        broken = tmp_path / "broken" / "model.json"
        broken.parent.mkdir(exist_ok=True)
        broken.write_text(json.dumps(document))
        with pytest.raises(InputError) as refused:
            load_model(broken.parent)
        assert refused.value.problems[0].where == where


def test_a_corpus_that_was_changed_is_not_the_one_that_was_fitted(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path)
    platform.save_fit("m", fit_linear(CORPUS, "cycles", ["n"]), CORPUS)
    folder = platform.model_folder("m")
    (folder / "corpus.csv").write_text("n,cycles\n1,2\n")
    with pytest.raises(InputError, match="is not the corpus that the model beside it was fitted on"):
        load_corpus(folder, load_model(folder))


def test_a_platform_is_one_part_at_one_clock(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path).identified("a", 100)
    platform.save_fit("m", fit_linear(CORPUS, "cycles", ["n"]), CORPUS)
    again = Platform.open(tmp_path)
    assert again.identified(None, 100).record == platform.record
    with pytest.raises(InputError) as refused:
        again.identified("b", 200)
    assert [p.message for p in refused.value.problems] == [
        "is the platform of part a, not b (fits hold for one part at one clock)",
        "is the platform of clock 100, not 200 (fits hold for one part at one clock)",
    ]


def test_a_folder_that_is_no_platform_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no platform \(a folder with a platform\.json\)"):
        Platform.existing(tmp_path)


@pytest.mark.parametrize("name", ["", "a/b", "..", ".hidden", "a b", "ü"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="is no name"):
        Platform.open(tmp_path).save_fit(name, fit_linear(CORPUS, "cycles", ["n"]), CORPUS)
    assert tree(tmp_path) == {}


def times(header: str) -> Corpus:
    return parse_corpus(f"n,{header}\n1,100\n2,150\n", "t.csv")


def test_measured_times_are_stored_in_cycles_of_the_platform(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path).identified("trn2", 1_200_000_000)
    raw = times("span_ns")
    corpus = in_cycles(raw, "span_ns", platform.clock)
    assert corpus.numbers("span_ns").tolist() == [120.0, 180.0]
    assert in_cycles(times("t [us]"), "t", platform.clock).numbers("t").tolist() == [120_000.0, 180_000.0]
    platform.save_fit("m", fit_linear(corpus, "span_ns", ["n"]), raw)
    stored = load_model(platform.model_folder("m"))
    assert stored.model.cycles({"n": 1}) == pytest.approx(120)
    assert stored.provenance.target_unit == "ns"
    # The copy keeps what was measured.
    assert load_corpus(platform.model_folder("m"), stored).numbers("span_ns").tolist() == [100.0, 150.0]


def test_a_time_without_a_clock_and_a_target_that_is_no_time_are_not_stored(tmp_path: Path) -> None:
    platform = Platform.open(tmp_path / "p")
    for header, name, fault in (
        ("span_ns", "span_ns", r"is in ns; timing is stored in cycles, which takes the clock \(--clock-hz\)"),
        ("size [bytes]", "size", "is in bytes, which is no time"),
    ):
        raw = times(header)
        with pytest.raises(InputError, match=fault):
            platform.save_fit("m", fit_linear(raw, name, ["n"]), raw)
    assert not (tmp_path / "p").exists()
    raw = times("span [cycles]")
    platform.save_fit("m", fit_linear(raw, "span", ["n"]), raw)
    assert load_model(platform.model_folder("m")).provenance.target_unit == "cycles"
