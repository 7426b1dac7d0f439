"""File names of traces: legal, short enough, and never shared by two blocks."""

from __future__ import annotations

from simcore.trace.file_names import MAX_STEM_BYTES, TracePrefix, trace_file_names


def names(*blocks: tuple[str, str], module: str = "m") -> list[str]:
    return trace_file_names(TracePrefix.ESTIMATE, module, blocks)


def test_the_prefixes_are_those_of_the_source():
    assert [str(p) for p in TracePrefix] == ["perf_sim.", "perf_sim_at_end_trace.", "ps_trace."]


def test_characters_that_a_path_may_not_hold_are_replaced():
    assert names(('f<>:"/', "\\|?*\0\n")) == ["perf_sim.m.f_____.______.json"]


def test_dots_and_letters_of_any_script_stay():
    assert names(("..", "блок 1")) == ["perf_sim.m....блок 1.json"]


def test_names_that_become_equal_are_numbered():
    assert names(("f", "a/b"), ("f", "a:b"), ("f", "a_b")) == [
        "perf_sim.m.f.a_b.json",
        "perf_sim.m.f.a_b~2.json",
        "perf_sim.m.f.a_b~3.json",
    ]


def test_a_block_that_is_called_like_a_number_given_before_gets_another():
    assert names(("f", "a/b"), ("f", "a:b"), ("f", "a_b~2"), ("f", "a|b")) == [
        "perf_sim.m.f.a_b.json",
        "perf_sim.m.f.a_b~2.json",
        "perf_sim.m.f.a_b~2~2.json",
        "perf_sim.m.f.a_b~3.json",
    ]


def test_a_dot_in_a_name_cannot_make_two_blocks_one():
    assert names(("a.b", "c"), ("a", "b.c")) == ["perf_sim.m.a.b.c.json", "perf_sim.m.a.b.c~2.json"]


def test_names_that_differ_in_case_only_are_numbered_too():
    assert names(("F", "b"), ("f", "B")) == ["perf_sim.m.F.b.json", "perf_sim.m.f.B~2.json"]


def test_long_names_are_cut_between_characters_and_stay_apart():
    made = names(("f", "é" * 200), ("f", "é" * 201))
    assert made[0] == "perf_sim.m.f." + "é" * 113 + ".json"
    assert made[1] == "perf_sim.m.f." + "é" * 113 + "~2.json"
    assert all(len(name.encode()) <= 255 for name in made)
    assert len(made[0].removesuffix(".json").encode()) <= MAX_STEM_BYTES
