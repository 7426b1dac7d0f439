"""The random programs: valid, of the size asked for, with every feature, and able to shrink."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings

from tests.reference.plain_perfsim import simulate_block
from tests.reference.plain_program import every_instruction, lane_of, psum_use, queue_of
from tests.reference.random_programs import FEATURES, programs, random_program

Document = Mapping[str, Any]


def blocks_of(doc: Document) -> Iterator[list[Any]]:
    for function in doc["functions"]:
        for block in function["blocks"]:
            yield list(every_instruction(block["instructions"]))


def everything_in(doc: Document) -> Iterator[Any]:
    for block in blocks_of(doc):
        yield from block


def check_valid(doc: Document) -> None:
    """Every block simulates: names unique, producers earlier, streams shared out, costs there."""
    for function, blocks in enumerate(doc["functions"]):
        for block, record in enumerate(blocks["blocks"]):
            check_edges_point_backwards(record["instructions"])
            for include_anti in (True, False):
                simulate_block(doc, function, block, include_anti=include_anti)


def check_edges_point_backwards(instructions: list[Any]) -> None:
    earlier: set[str] = set()
    for instruction in every_instruction(instructions):
        assert all((d if isinstance(d, str) else d[0]) in earlier for d in instruction["dependencies"])
        earlier.add(instruction["name"])


def opcodes(*names: str) -> Callable[[Document], bool]:
    return lambda doc: any(i["opcode"] in names for i in everything_in(doc))


def some(test: Callable[[Any], bool]) -> Callable[[Document], bool]:
    return lambda doc: any(test(i) for i in everything_in(doc))


def repeats_a_producer(i: Any) -> bool:
    producers = Counter(d if isinstance(d, str) else d[0] for d in i["dependencies"])
    return any(count > 1 for count in producers.values())


def has_an_edge_other_than_flow_by_name(i: Any) -> bool:
    return any(isinstance(d, str) or d[1] != "Flow" for d in i["dependencies"])


def psum_operands(i: Any) -> list[Any]:
    return [o for o in [*i.get("ins", []), *i.get("outs", [])] if o["space"] == "PSUM"]


def is_trigger(i: Any) -> bool:
    return bool(i["opcode"] == "DMATrigger")


SIGN_OF = {
    "edge_kinds": some(has_an_edge_other_than_flow_by_name),
    "regions": some(lambda i: i.get("region", 0) > 0),
    "psum_lists": some(lambda i: "psum_reads" in i or "psum_writes" in i),
    "psum_operands": some(lambda i: bool(psum_operands(i))),
    "psum_unknown": some(lambda i: psum_use(i).is_writer and not psum_use(i).writes),
    "unassigned": some(lambda i: i["engine"] == "Unassigned" and i["opcode"] != "Loop"),
    "barriers": opcodes("AllEngineBarrier", "GroupResetSemaphores"),
    "collectives": some(lambda i: i["opcode"] == "CollectiveCompute" and not i.get("is_local")),
    "send_recv": opcodes("CollectiveSend", "CollectiveRecv", "Collective"),
    "local": some(lambda i: bool(i.get("is_local"))),
    "triggers": opcodes("DMATrigger"),
    "trigger_costs": some(lambda i: is_trigger(i) and i["cost"] > 0),
    "queues": some(lambda i: "queue" in i),
    "dge_types": some(lambda i: "dge_type" in i),
    "loops": opcodes("Loop"),
    "arch_version": lambda doc: "arch_version" in doc,
    "arch_aliases": lambda doc: doc["arch"].startswith("trn"),
    "many_blocks": lambda doc: sum(1 for _ in blocks_of(doc)) > 1,
    "foreign_engines": some(lambda i: i["opcode"] in ("Load", "Save", "DMACopy") and i["engine"] != "DMA"),
    "duplicate_edges": some(repeats_a_producer),
}


def test_every_feature_has_a_sign() -> None:
    assert set(SIGN_OF) == FEATURES


@pytest.mark.parametrize("feature", sorted(FEATURES))
def test_a_feature_appears_when_allowed(feature: str) -> None:
    sizes = [60] * 30
    docs = [random_program(random.Random(seed), instructions=size) for seed, size in enumerate(sizes)]
    assert any(SIGN_OF[feature](doc) for doc in docs)


@pytest.mark.parametrize("feature", sorted(FEATURES - {"duplicate_edges"}))  # two edges can meet by chance
def test_a_feature_stays_out_when_not_allowed(feature: str) -> None:
    features = FEATURES - {feature}
    docs = [random_program(random.Random(seed), instructions=60, features=features) for seed in range(30)]
    assert not any(SIGN_OF[feature](doc) for doc in docs)


def test_a_program_without_features_is_engines_and_plain_dmas() -> None:
    doc = random_program(random.Random(1), instructions=200, features=frozenset())
    check_valid(doc)
    assert {lane_of(i) for i in everything_in(doc)} == {1, 2, 3, 4, 5, 6}
    assert set().union(*everything_in(doc)) == {"name", "opcode", "engine", "cost", "dependencies", "ins", "outs"}


def test_an_unknown_feature_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown features \\['psum'\\]"):
        random_program(random.Random(1), instructions=1, features=frozenset({"psum"}))


@pytest.mark.parametrize("seed", range(20))
def test_a_random_program_is_valid_and_has_the_size_asked_for(seed: int) -> None:
    doc = random_program(random.Random(seed), instructions=150)
    check_valid(doc)
    assert doc == json.loads(json.dumps(doc))
    transfers = {i["transfer"]["name"] for i in everything_in(doc) if is_trigger(i)}
    for block in blocks_of(doc):
        assert len({i["name"] for i in block}) == len(block)
    assert sum(i["opcode"] != "Loop" and i["name"] not in transfers for i in everything_in(doc)) == 150


def test_the_same_seed_gives_the_same_program() -> None:
    first, second = (json.dumps(random_program(random.Random(7), instructions=80)) for _ in range(2))
    assert first == second


def test_random_programs_reach_every_lane_ring_and_loop_depth() -> None:
    docs = [random_program(random.Random(seed), instructions=150) for seed in range(30)]
    instructions = [i for doc in docs for i in everything_in(doc) if i["opcode"] != "Loop"]
    assert {lane_of(i) for i in instructions} == set(range(12))
    assert {queue_of(i) for i in instructions if is_trigger(i) and "queue" in i} == set(range(13))
    assert {queue_of(i) for i in instructions if is_trigger(i) and "queue" not in i} == set(range(13))
    assert {doc["arch"] for doc in docs} == {"inferentia", "sunda", "gen3", "core_v4", "trn1", "trn2", "trn3"}
    banks = {bank for i in instructions for bank in psum_use(i).writes}
    assert banks == set(range(8))
    inner = [b for doc in docs for i in everything_in(doc) for b in i.get("body", []) if b["opcode"] == "Loop"]
    assert inner
    assert not any(deeper["opcode"] == "Loop" for loop in inner for deeper in loop["body"])


@given(programs())
def test_drawn_programs_are_valid(doc: Document) -> None:
    check_valid(doc)
    assert doc == json.loads(json.dumps(doc))


@given(programs(arch="trn1", max_instructions=3, features=frozenset({"loops"})))
def test_drawn_programs_keep_to_arch_size_and_features(doc: Document) -> None:
    assert doc["arch"] == "trn1"
    assert 1 <= sum(len(block["instructions"]) for block in doc["functions"][0]["blocks"]) <= 3
    assert len(doc["functions"]) == 1


def test_a_program_shrinks_to_the_instructions_that_matter() -> None:
    def an_anti_edge_holds_somebody_up(doc: Document) -> bool:
        return simulate_block(doc, 0, 0) != simulate_block(doc, 0, 0, include_anti=False)

    quiet = settings(max_examples=1000, database=None, suppress_health_check=list(HealthCheck))
    found = find(programs(max_instructions=8), an_anti_edge_holds_somebody_up, settings=quiet, random=random.Random(0))
    producer, consumer = everything_in(found)
    assert producer["dependencies"] == []
    assert consumer["dependencies"] == [[producer["name"], "Anti"]]
