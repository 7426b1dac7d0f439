"""Files that are no program at all: each is refused with its reason, and its place where it has one."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from simcore.errors import InputError
from simcore.program.read import load_program, program_from_bytes
from tests.simcore.program.marked import assert_problems, problems_of, stream_json, stream_yaml

FORMATS = "stream (JSON or YAML), BIR JSON, neuron-profile JSON, columns (.npz)"
HEAD = '{"schema": "kernbench.stream/1", "name": "p", "arch": "gen3"'
YAML_HEAD = "schema: kernbench.stream/1\nname: p\narch: gen3\n"

BYTES = {
    "nothing": (b"", "1:1: the file is empty"),
    "white space": (b" \r\n\t\n", "1:1: the file is empty"),
    "a byte order mark alone": (b"\xef\xbb\xbf", "1:1: the file is empty"),
    "UTF-16": ("schema: x".encode("utf-16"), "1:1: UTF-16 text (allowed: UTF-8)"),
    "UTF-16, big end first": (b"\xfe\xff\x00a", "1:1: UTF-16 text (allowed: UTF-8)"),
    "UTF-32": (b"\xff\xfe\x00\x00a\x00\x00\x00", "1:1: UTF-32 text (allowed: UTF-8)"),
    "UTF-32, big end first": (b"\x00\x00\xfe\xff\x00\x00\x00a", "1:1: UTF-32 text (allowed: UTF-8)"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "1:1: not UTF-8 text: invalid start byte"),
    "zeros": (bytes(64), "1:1: not text: the character U+0000 (allowed: printable ones)"),
    "an ELF header": (b"\x7fELF\x02\x01", "1:1: not text: the character U+007F (allowed: printable ones)"),
    "Latin-1 in YAML": (b"a: 1\nb: caf\xe9\n", "2:7: not UTF-8 text: invalid continuation byte"),
    "Latin-1 in JSON": (b'{"a": 1,\n "b": "caf\xe9"}', "2:11: not UTF-8 text: invalid continuation byte"),
    "a control character in YAML": (b"a: 1\nb: x\x01", "2:5: not text: the character U+0001 (allowed: printable ones)"),
    "a control character in JSON": (b'{"a":\n "x\x01"}', "2:4: not valid JSON: Invalid control character at"),
    "a list": (b"[1, 2]", f"1:1: not a program: expected a mapping at the top, got a list (known formats: {FORMATS})"),
    "a number": (
        b"5\n",
        f"1:1: not a program: expected a mapping at the top, got the number 5 (known formats: {FORMATS})",
    ),
    "a text": (b"x", f'1:1: not a program: expected a mapping at the top, got the text "x" (known formats: {FORMATS})'),
    "a comment": (
        b"# nothing\n",
        f"1:1: not a program: expected a mapping at the top, got nothing (null) (known formats: {FORMATS})",
    ),
    "an empty object": (b"{}", f"1:1: not a program of any known format (known: {FORMATS})"),
    "another JSON": (b'{"a": 1}', f"1:1: not a program of any known format (known: {FORMATS})"),
    "another YAML": (b"a: 1\n", f"1:1: not a program of any known format (known: {FORMATS})"),
}


@pytest.mark.parametrize("case", BYTES)
def test_what_is_no_program_is_refused(case: str, tmp_path: Path) -> None:
    data, problem = BYTES[case]
    assert problems_of(tmp_path / "p", data) == [problem]


SYNTAX = {
    "a truncated name": (HEAD + ', "functions": [{«"na', "the file ends inside the document (truncated?)"),
    "a truncated object": (HEAD + "«", "the file ends inside the document (truncated?)"),
    "a truncated list": (
        HEAD + ', "functions": [\n {"name": "f"},\n«',
        "the file ends inside the document (truncated?)",
    ),
    "no comma": (HEAD + ' «"functions": []}', "not valid JSON: Expecting ',' delimiter"),
    "no colon": (HEAD + ', "functions" «[]}', "not valid JSON: Expecting ':' delimiter"),
    "two documents": (HEAD + "}\n«{}", "not valid JSON: Extra data"),
    "an endless number": (
        HEAD + f', "modular_flow_runs": «{"9" * 5000}}}',
        "not valid JSON: a number of more than 4300 digits",
    ),
    "a truncated YAML list": (
        YAML_HEAD + "functions: [a,\n«",
        "the file ends inside the document (truncated?): did not find expected node content",
    ),
    "a truncated YAML text": (
        YAML_HEAD + 'functions: "a«',
        "the file ends inside the document (truncated?): found unexpected end of stream",
    ),
    "YAML in a wrong column": (
        YAML_HEAD + " functions«: []\n",
        "not valid YAML: mapping values are not allowed in this context",
    ),
    "YAML with a tab": (
        YAML_HEAD + "«\tfunctions: []\n",
        "not valid YAML: found a tab character that violates indentation",
    ),
    "two YAML documents": (YAML_HEAD + "«---\na: 1\n", "a second document in the file (allowed: one)"),
    "a list as a key": (YAML_HEAD + "? «[a]\n: 1\n", "a key that is not a word"),
}


@pytest.mark.parametrize("case", SYNTAX)
def test_a_syntax_error_is_refused_at_its_place(case: str, tmp_path: Path) -> None:
    text, message = SYNTAX[case]
    assert_problems(tmp_path, text, message)


def test_100_000_brackets_are_refused_in_json_and_yaml(tmp_path: Path) -> None:
    brackets = "[" * 100_000
    path = tmp_path / "p"
    begin = len(HEAD) + len(', "functions": ')
    assert problems_of(path, f'{HEAD}, "functions": {brackets}'.encode()) == [
        f"1:{begin + 256}: nested deeper than 256 brackets"
    ]
    (problem,) = problems_of(path, f"{YAML_HEAD}functions: {brackets}".encode())
    assert problem.startswith("4:")
    assert problem.endswith(": nested deeper than 256 levels")


def test_closed_brackets_are_refused_too(tmp_path: Path) -> None:
    nested = "[" * 100_000 + "]" * 100_000
    for text in (f'{HEAD}, "functions": {nested}}}', f"{YAML_HEAD}functions: {nested}\n"):
        (problem,) = problems_of(tmp_path / "p", text.encode())
        assert "nested deeper than 256" in problem


def test_block_style_yaml_is_refused_at_its_257th_level(tmp_path: Path) -> None:
    lines = "".join(f"{' ' * k}a:\n" for k in range(300))
    assert problems_of(tmp_path / "p", lines.encode()) == ["257:257: nested deeper than 256 levels"]


def test_repeated_keys_are_refused_each_at_its_second_place(tmp_path: Path) -> None:
    twice = 'the key "{}" stands twice in one mapping'
    instruction = '{"name": "a", "opcode": "NoOp", «"name": "a", "engine": "SP", «"op\\u0063ode": "NoOp"}'
    assert_problems(tmp_path, stream_json(instruction), twice.format("name"), twice.format("opcode"))
    instruction = '{name: a, opcode: NoOp, «name: a, engine: SP, «"opcode": NoOp}'
    assert_problems(tmp_path, stream_yaml(instruction), twice.format("name"), twice.format("opcode"))
    assert_problems(tmp_path, HEAD + ', «"arch": "gen3"}', twice.format("arch"))
    assert_problems(
        tmp_path, HEAD + ', "functions": [{"name": "f", "blocks": [], «"blocks": []}]}', twice.format("blocks")
    )
    assert_problems(tmp_path, HEAD + ', "functions": [], «"functions": [{"name": "f"}]}', twice.format("functions"))


@pytest.mark.parametrize(
    "instruction",
    [
        '{"name": "a:b", "opcode": "NoOp", "engine": "SP", "op": ":"}',
        '{"name": "a\\u003ab", "opcode": "NoOp", "engine": "SP"}',
        '{"name" : "a", "opcode" :"NoOp", "engine"\n: "SP", "dependencies": [], "cost": null, "region": 0}',
        '{"name": "a", "opcode": "NoOp", "engine": "SP", "op": "\\":\\""}',
    ],
)
def test_colons_and_given_defaults_are_not_taken_for_repeated_keys(instruction: str) -> None:
    assert len(program_from_bytes(stream_json(instruction).encode(), "p").blocks[0][1].columns) == 1
    repeated = instruction[:-1] + ', "engine": "SP"}'
    with pytest.raises(InputError, match="stands twice"):
        program_from_bytes(stream_json(repeated).encode(), "p")


def test_given_defaults_of_the_head_are_not_taken_for_repeated_keys() -> None:
    text = stream_json().replace('"arch":', '"modular_flow_runs": 1, "origin": null, "arch_version": null, "arch":')
    assert program_from_bytes(text.encode(), "p").modular_flow_runs == 1


def test_aliases_merge_keys_and_tags_are_refused(tmp_path: Path) -> None:
    text = "a: &x 1\nb: «*x\n«<<: {c: 1}\nd: «!!str 1\ne: «!mine {}\n«!!str f: 1\n"
    messages = (
        "alias *x (not allowed: write the value out)",
        "merge key << (not allowed: write the values out)",
        "tag tag:yaml.org,2002:str (not allowed)",
        "tag !mine (not allowed)",
        "tag tag:yaml.org,2002:str (not allowed)",
    )
    assert_problems(tmp_path, text, *messages)


def test_keys_of_yaml_are_text_as_it_stands(tmp_path: Path) -> None:
    keys = "(allowed: schema, name, arch, arch_version, modular_flow_runs, origin, functions)"
    messages = [f'unknown key "{key}" {keys}' for key in ("1", "yes", "null", "1.5")]
    assert_problems(tmp_path, YAML_HEAD + "«1: a\n«yes: a\n? «null\n: a\n«1.5: a\n", *messages)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^.*: is a directory \(expected a program file\)$"):
        load_program(tmp_path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^.*no: cannot be read: No such file or directory$"):
        load_program(tmp_path / "no")


def test_a_name_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be read: embedded null"):
        load_program("a\0b")


def test_damaged_gzip_data_are_refused(tmp_path: Path) -> None:
    good = gzip.compress(stream_yaml().encode(), mtime=0)
    wrong_sum = good[:-8] + bytes(8)
    for data in (good[:20], good[:-4], wrong_sum, good[:10] + b"\xff" * 20, b"\x1f\x8b"):
        (problem,) = problems_of(tmp_path / "p.gz", data)
        assert problem.startswith("damaged gzip data: ")


def test_what_is_in_a_gzip_file_is_located_like_any_other(tmp_path: Path) -> None:
    data = gzip.compress(b"schema: kernbench.stream/1\nname: p\narch: gen9\n")
    (problem,) = problems_of(tmp_path / "p.gz", data)
    assert problem.startswith('3:7: unknown arch "gen9"')


def test_a_byte_order_mark_and_line_ends_of_either_kind_are_no_matter(tmp_path: Path) -> None:
    a = '{"name": "a", "opcode": "NoOp", "engine": "SP"}'
    for text in (stream_json(a), stream_yaml(a)):
        for changed in (text, "\ufeff" + text, text.replace("\n", "\r\n"), "\n\n  " + text if text[0] == "{" else text):
            (tmp_path / "p").write_bytes(changed.encode())
            assert load_program(tmp_path / "p").blocks[0][1].columns.name_list() == ["a"]
    wrong = stream_yaml(a.replace("NoOp", "Noop"))
    assert problems_of(tmp_path / "p", ("\ufeff" + wrong.replace("\n", "\r\n")).encode())[0].startswith("9:31: ")
    wrong = stream_json(a.replace("NoOp", "Noop"))
    assert problems_of(tmp_path / "p", ("\ufeff" + wrong.replace("\n", "\r\n")).encode())[0].startswith("3:25: ")


def test_the_order_of_keys_and_the_place_of_the_schema_are_no_matter() -> None:
    text = '{"functions": [{"blocks": [{"instructions": [], "name": "b"}], "name": "f"}], "arch": "trn1", "name": "p", '
    for schema in ('"schema": "kernbench.stream/1"}', '"schema": "kernbench.stream\\/1"}'):
        program = program_from_bytes((text + schema).encode(), "p")
        assert (program.arch, program.arch_version, len(program.blocks[0][1].columns)) == ("sunda", 20, 0)


def test_yaml_may_begin_with_a_brace() -> None:
    text = "{schema: kernbench.stream/1, name: p, arch: gen3, functions: [{name: f, blocks: [{name: b}]}]}\n"
    assert len(program_from_bytes(text.encode(), "p").blocks) == 1


def test_a_program_without_functions_and_a_block_without_instructions_are_valid() -> None:
    assert program_from_bytes((HEAD + "}").encode(), "p").functions == []
    assert program_from_bytes(YAML_HEAD.encode(), "p").functions == []
    for text in (stream_json(), stream_yaml().replace("instructions:", "instructions: []")):
        assert len(program_from_bytes(text.encode(), "p").blocks[0][1].columns) == 0


def test_a_stream_without_schema_is_told_so(tmp_path: Path) -> None:
    text = "«name: p\narch: gen3\nfunctions: []\n"
    assert_problems(tmp_path, text, 'missing key "schema"')
    assert_problems(tmp_path, '«{"name": "p", "arch": "gen3"}', 'missing key "schema"')


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    if os.fork() == 0:
        pipe.write_text(stream_yaml().replace("instructions:", "instructions: []"))
        os._exit(0)
    assert load_program(pipe).name == "p"
    os.wait()
