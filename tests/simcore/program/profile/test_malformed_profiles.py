"""Malformed profiles: every fault is found, and each names its instruction or row."""

from __future__ import annotations

import math
from typing import Any

import pytest

from simcore.errors import InputError
from simcore.program.profile import read_profile
from tests.simcore.program.profile.small import after, load_row, packet, profile, row


def _faults(document: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_profile(document, "p.json")
    assert caught.value.exit_code == 2
    return str(caught.value).split("\n")


def _fault(*rows: Any, **tables: Any) -> str:
    (found,) = _faults(profile(*rows, **tables))
    return found


def test_missing_tables_are_named_together() -> None:
    assert _faults({"instruction": []}) == [
        f'p.json: the table "{table}" is missing (a profile needs: instruction, dma, semaphore_update, metadata)'
        for table in ("dma", "semaphore_update", "metadata")
    ] + [
        "p.json: summary[0].instance_type: it is missing, so the chip is not known (allowed: a text that begins with "
        "inf1, inf2, trn1, trn2, trn3; a PE clock of 2.8 GHz would do for trn1)"
    ]


@pytest.mark.parametrize("table", ["instruction", "dma", "semaphore_update", "ham", "metadata", "dma_queues_info"])
@pytest.mark.parametrize("value", [5, "rows", None, {"a": 1}])
def test_a_table_that_is_no_list_is_refused(table: str, value: Any) -> None:
    document = {**profile(row(1, "a", 0)), table: value}
    assert any(f"{table}: expected a list, got " in fault for fault in _faults(document))


@pytest.mark.parametrize("table", ["instruction", "dma", "semaphore_update", "ham", "metadata"])
def test_a_row_that_is_no_mapping_is_refused(table: str) -> None:
    document = {**profile(row(1, "a", 0)), table: [3]}
    assert f"p.json: {table}[0]: expected a row (a mapping), got the number 3" in _faults(document)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (-5, "-5 is negative"),
        (True, "true is a boolean, not a number"),
        (math.nan, "nan is not a number"),
        (math.inf, "inf is infinite"),
        (1.5, "1.5 is not a whole number"),
        (10**16, "10000000000000000 is out of range"),
        ("long", "expected a whole number, got the text"),
        ([], "expected a whole number, got a list"),
        (None, "expected a whole number, got nothing (null)"),
    ],
)
@pytest.mark.parametrize("key", ["timestamp", "duration"])
def test_times_are_whole_nanoseconds(key: str, value: Any, said: str) -> None:
    assert _fault({**row(7, "I-1", 0), key: value}).startswith(f"p.json: instruction I-1 (id 7): {key}: {said}")


@pytest.mark.parametrize("key", ["id", "pc", "timestamp", "duration", "opcode", "label", "operands", "subgraph"])
def test_a_missing_key_is_named(key: str) -> None:
    broken = row(7, "I-1", 0)
    del broken[key]
    assert _fault(broken) == f'p.json: instruction I-1 (id {broken.get("id")}): missing key "{key}"'


def test_an_unknown_opcode_gets_the_nearest_name() -> None:
    fault = _fault(row(7, "I-1", 0, opcode="TENSOR_SCALER"))
    assert fault.startswith('p.json: instruction I-1 (id 7): unknown hardware opcode "TENSOR_SCALER" (allowed: ')
    assert 'did you mean "TENSOR_SCALAR"?' in fault


def test_an_unknown_engine_label_edge_type_and_element_type_are_all_reported() -> None:
    operands = "src=fp23@0x0[1][4] dst=fp32@0x100[1][4] channels=128"
    faults = _faults(profile(row(7, "I-1", 0, label="Vectr", operands=operands, predecessors=after(1, "FLOW"))))
    assert len(faults) == 3
    assert all(f.startswith("p.json: instruction I-1 (id 7): ") for f in faults)
    assert 'unknown engine label "Vectr"' in faults[0] and 'did you mean "Vector"?' in faults[0]
    assert 'unknown element type "fp23"' in faults[1] and 'did you mean "fp32"?' in faults[1]
    assert (
        'unknown predecessor type "FLOW" (allowed: ANTI_DEPENDENCE, FLOW_DEPENDENCE, ORDERED, OUTPUT_DEPENDENCE'
        in faults[2]
    )


def test_an_operand_that_is_not_understood_is_quoted() -> None:
    fault = _fault(row(7, "I-1", 0, operands="src=fp32@0x40[1,1][4] channels=128"))
    assert fault == (
        'p.json: instruction I-1 (id 7): operand "src=fp32@0x40[1,1][4]" not understood '
        "(allowed: src=dtype@0xADDRESS[steps][counts])"
    )


@pytest.mark.parametrize("channels", ["", " channels=0", " channels=129", " channels=many"])
def test_an_access_needs_a_partition_count(channels: str) -> None:
    fault = _fault(row(7, "I-1", 0, operands=f"dst=fp32@0x100[1][4]{channels}"))
    assert fault == (
        f'p.json: instruction I-1 (id 7): operands "dst=fp32@0x100[1][4]{channels}" give no partition count in 1..128 '
        "(allowed: channels=n, or a PE tile rows*columns)"
    )


@pytest.mark.parametrize(
    "access", ["fp32@0x4[-1][4]", "fp32@0x3fff8[1][4]", "fp32@0x0[1][999999999999]", "fp32@0x0[999999999999][2]"]
)
def test_an_access_that_leaves_its_partition_is_refused(access: str) -> None:
    fault = _fault(row(7, "I-1", 0, operands=f"dst={access} channels=128"))
    assert fault == (
        f'p.json: instruction I-1 (id 7): operands "dst={access} channels=128" leave their partition of SB'
    )


def test_a_transfer_that_leaves_its_partitions_is_refused() -> None:
    trigger = load_row(1, "ld", 0)
    trigger["operands"] = trigger["operands"].replace("0x802000004000", "0x80200003ff00")
    assert _fault(trigger) == "p.json: instruction ld (id 1): the transfer leaves its partitions of SB"


def test_a_transfer_whose_address_and_bytes_disagree_is_refused() -> None:
    trigger = load_row(1, "ld", 0)
    trigger["operands"] = trigger["operands"].replace("0x802000004000", "0x802002000000")
    assert _fault(trigger) == (
        "p.json: instruction ld (id 1): the transfer's address 0x802002000000 is in PSUM, its bytes were counted in SB"
    )


def test_duplicate_ids_are_refused() -> None:
    assert (
        _fault(row(7, "a", 0), row(7, "b", 10))
        == "p.json: instruction b (id 7): id: also that of instruction[0] (ids are unique)"
    )


def test_a_cycle_is_spelled_out() -> None:
    fault = _fault(
        row(1, "a", 0, predecessors=after(3)),
        row(2, "b", 10, predecessors=after(1)),
        row(3, "c", 20, predecessors=after(2)),
    )
    assert fault == "p.json: instruction a (id 1): dependency cycle: a -> c -> b -> a"


@pytest.mark.parametrize(
    ("predecessors", "said"),
    [
        (5, "predecessors: expected a list, got the number 5"),
        ([5], "predecessors[0]: expected a mapping with id and type, got 5"),
        ([{"type": "ORDERED"}], 'missing key "id"'),
        ([{"id": 1}], "unknown predecessor type nothing (null)"),
    ],
)
def test_malformed_producers_are_refused(predecessors: Any, said: str) -> None:
    assert _fault(row(7, "I-1", 0, predecessors=predecessors)).startswith(f"p.json: instruction I-1 (id 7): {said}")


def test_a_profile_without_kernel_instructions_is_refused() -> None:
    assert _fault({**row(1, "", 0), "bir_id": ""}) == (
        "p.json: instruction: no instruction has a compiler id (bir_id or bir_instruction_name): no kernel here"
    )


def test_a_kernel_on_two_cores_is_refused() -> None:
    fault = _fault(row(1, "a", 0), row(2, "b", 10, subgraph="sg01"))
    assert fault == "p.json: instruction: kernel instructions of 2 cores: sg00, sg01 (allowed: one)"


def test_one_compiler_id_for_two_kinds_of_instruction_is_refused() -> None:
    fault = _fault(row(1, "a", 0), row(2, "a", 10, opcode="RECIPROCAL"))
    assert fault == "p.json: instruction a (id 1): one compiler id for different instructions: COPY, RECIPROCAL"


def test_weights_without_a_matmul_are_refused() -> None:
    load = row(1, "w", 0, opcode="LDWEIGHTS", label="Tensor", operands="src=bfloat16@0x2fe[-1][128] 64*128")
    assert _fault(load) == "p.json: instruction w (id 1): loads weights, but no matmul has the same compiler id"


def test_a_transfer_must_say_where_it_reads_and_writes() -> None:
    trigger = load_row(1, "ld", 0)
    del trigger["hbm_read_bytes"]
    assert _fault(trigger) == (
        "p.json: instruction ld (id 1): where the transfer reads and writes is not certain: of hbm, sbuf and psum "
        "exactly one needs _read_bytes and one _write_bytes"
    )


def test_a_transfer_that_writes_another_number_of_elements_than_it_reads_is_refused() -> None:
    trigger = load_row(1, "ld", 0)
    trigger["operands"] = trigger["operands"].replace("dst_elem_size=512", "dst_elem_size=256")
    assert _fault(trigger) == (
        "p.json: instruction ld (id 1): the transfer reads 65536 bytes of uint8 and writes 32768 bytes of uint8: not "
        "the same number of elements"
    )


def test_a_transfer_over_too_many_partitions_is_refused() -> None:
    trigger = load_row(1, "ld", 0)
    trigger["operands"] = trigger["operands"].replace("[128,1]", "[256,1]")
    assert _fault(trigger) == "p.json: instruction ld (id 1): the transfer touches 256 partitions (allowed: 1 to 128)"


def test_faults_of_packets_semaphores_and_throttle_name_their_rows() -> None:
    faults = _faults(
        profile(
            row(1, "a", 0),
            dma=[{**packet(0, 4), "duration": -1}, {**packet(0, 4), "dma_engine": "x"}],
            semaphore_update=[{"id": "S[x]", "timestamp": 0, "value": True, "subgraph": "sg00"}],
            ham=[{"timestamp": 0, "duration": 1, "k": 9, "n": 8, "subgraph": "sg00"}],
        )
    )
    assert [f.split(": ")[1] for f in faults] == [
        "dma[0].duration",
        "dma[1].dma_engine",
        "semaphore_update[0].id",
        "semaphore_update[0].value",
        "ham[0]",
    ]
    assert faults[4] == "p.json: ham[0]: a clock at 9 of 8 steps (allowed: 1 to n)"


def test_times_in_another_unit_are_refused() -> None:
    metadata = {**profile()["metadata"][0], "last_hw_timestamp": 38091000}
    assert _fault(row(1, "a", 0), metadata=[metadata]) == (
        "p.json: metadata[0]: stamps span 38091000 units but the dates 38091 ns: only profiles whose times are "
        "nanoseconds can be read"
    )


@pytest.mark.parametrize("value", [None, 5, "yesterday", "1970-01-01T00:00:00"])
def test_the_unit_of_time_must_be_checkable(value: Any) -> None:
    metadata = {**profile()["metadata"][0], "last_ts": value}
    assert _fault(row(1, "a", 0), metadata=[metadata]).startswith("p.json: metadata[0].last_ts: last_ts: ")


def test_an_unknown_chip_is_refused_by_name() -> None:
    fault = _fault(row(1, "a", 0), summary=[{"instance_type": "p5.48xlarge"}])
    assert fault == (
        'p.json: summary[0].instance_type: it is "p5.48xlarge", so the chip is not known (allowed: a text that begins '
        "with inf1, inf2, trn1, trn2, trn3; a PE clock of 2.8 GHz would do for trn1)"
    )


def test_faults_of_many_instructions_come_together() -> None:
    faults = _faults(profile(*(row(k, f"I-{k}", 0, opcode="WHAT") for k in range(1, 6))))
    assert [f.split(": ")[1] for f in faults] == [f"instruction I-{k} (id {k})" for k in range(1, 6)]
