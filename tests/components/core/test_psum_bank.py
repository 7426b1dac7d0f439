"""A PSUM bank is handed over in program order: writers wait, readers do not, but are waited for."""

from __future__ import annotations

import pytest

from simcore.errors import InputError
from tests.components.core.story import act, dma, dve, lines, pe, pool, sp, tell


def test_a_writer_waits_for_the_next_dispatch_of_the_one_before():
    told = tell(pe("w", 300, psum_writes=[2]), dve("v", 200, psum_writes=[2]))
    assert told.rows == lines("""
        0 PE start w
        200 PE next-dispatch w
        200 psum2 leave w
        200 DVE start v
        300 PE end w
        300 DVE next-dispatch v
        300 psum2 leave v
        400 DVE end v
    """)
    assert told.bounds["v"] == "psum_bank on w"


def test_a_reader_does_not_wait_but_the_next_writer_waits_for_it():
    told = tell(pe("w", 300, psum_writes=[0]), act("r", 900, psum_reads=[0]), dve("v", 200, psum_writes=[0]))
    assert told.rows == lines("""
        0 Activation start r
        0 PE start w
        200 PE next-dispatch w
        200 psum0 leave w
        300 PE end w
        800 Activation next-dispatch r
        800 psum0 leave r
        800 DVE start v
        900 Activation end r
        900 DVE next-dispatch v
        900 psum0 leave v
        1000 DVE end v
    """)


def test_the_last_in_program_order_counts_even_if_it_leaves_first():
    # The hand-over is an assignment, not a maximum: v follows the short reader, though w still writes.
    told = tell(pe("w", 900, psum_writes=[0]), act("r", 50, psum_reads=[0]), dve("v", 10, psum_writes=[0]))
    assert told.starts == {"w": 0, "r": 0, "v": 50}
    assert told.bounds["v"] == "psum_bank on r"


def test_what_costs_nothing_waits_for_the_bank_but_does_not_take_it():
    told = tell(pe("w", 300, psum_writes=[0]), act("free", 0, psum_writes=[0]), dve("v", 10, psum_writes=[0]))
    assert told.starts == {"w": 0, "free": 200, "v": 200}
    assert (told.bounds["free"], told.bounds["v"]) == ("psum_bank on w", "psum_bank on w")
    assert told.core.banks[0].accepted == 2


def test_a_writer_of_several_banks_waits_for_the_last_of_them():
    told = tell(
        pe("a", 300, psum_writes=[1]),
        act("b", 500, psum_writes=[6]),
        dve("c", 250, psum_writes=[3]),
        pool("w", 10, psum_writes=[1, 3, 6]),
    )
    assert told.starts["w"] == 400
    assert told.bounds["w"] == "psum_bank on b"


def test_of_banks_that_come_free_together_the_lowest_is_named():
    told = tell(act("b", 300, psum_writes=[6]), pe("a", 300, psum_writes=[1]), pool("w", 10, psum_writes=[6, 1]))
    assert told.bounds["w"] == "psum_bank on a"


@pytest.mark.parametrize(("arch", "banks"), [("gen3", 8), ("inferentia", 4)])
def test_a_writer_that_does_not_know_its_bank_waits_for_all_of_them_and_takes_none(arch, banks):
    told = tell(
        act("a", 300, psum_reads=[banks - 1]),
        pe("b", 250, psum_writes=[0]),
        dma("w", 10, psum_writer=True),
        pe("c", 10, psum_writes=[banks - 1]),
        sp("d", 10, psum_writes=[1]),
        arch=arch,
    )
    assert len(told.core.banks) == banks
    assert told.starts == {"a": 0, "b": 0, "w": 200, "c": 200, "d": 0}
    assert told.bounds["w"] == "psum_bank on a"


def test_a_bank_that_the_core_has_not_is_refused_with_every_instruction_that_touches_one():
    with pytest.raises(InputError) as caught:
        tell(pe("a", 10, psum_writes=[1]), pe("b", 10, psum_writes=[2]), act("c", 10, psum_reads=[0, 7]), psum_banks=2)
    assert str(caught.value) == (
        "<program>: instruction b: PSUM bank 2 does not exist on this core (allowed: banks 0 to 1)\n"
        "<program>: instruction c: PSUM bank 7 does not exist on this core (allowed: banks 0 to 1)"
    )
