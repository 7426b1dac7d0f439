"""An independent check of operands, order and edges together: no two conflicting accesses are left unordered."""

from __future__ import annotations

from simcore.program.banks import span_bytes
from simcore.program.dtypes import DType
from simcore.program.instruction import Instruction, Operand
from simcore.program.loaded import Loaded


def _range(operand: Operand) -> tuple[str, int, int]:
    if operand.space == "DRAM":
        return str(operand.tensor), 0, 1
    assert operand.addr is not None
    return (
        operand.space,
        operand.addr,
        operand.addr + span_bytes(operand.elements, DType[operand.dtype].nbytes, operand.free),
    )


def _conflict(a: list[Operand], b: list[Operand]) -> bool:
    ranges = [(_range(x), _range(y)) for x in a for y in b]
    return any(x[0] == y[0] and x[1] < y[2] and y[1] < x[2] for x, y in ranges)


def test_every_conflicting_pair_is_ordered_by_edges_and_engines(profiles: dict[str, Loaded]) -> None:
    for loaded in profiles.values():
        events: list[tuple[Instruction, str | None]] = []
        for i in loaded.record.functions[0].blocks[0].instructions:
            events.append((i, None))
            if i.transfer is not None:
                events.append((i.transfer, i.name))
        index = {event.name: k for k, (event, _) in enumerate(events)}
        before: list[int] = []  # bit set of everything known to come before each event
        last_of_engine: dict[str, int] = {}
        pairs = 0
        for k, (event, trigger) in enumerate(events):
            producers = [index[d[0]] for d in event.dependencies]
            if trigger is not None:
                producers.append(index[trigger])
            elif event.engine in last_of_engine:
                producers.append(last_of_engine[event.engine])
            known = 0
            for p in producers:
                assert p < k
                known |= before[p] | 1 << p
            before.append(known)
            if trigger is None:
                last_of_engine[event.engine] = k
            for j in range(k):
                other = events[j][0]
                if (
                    _conflict(other.outs, event.ins)
                    or _conflict(other.outs, event.outs)
                    or _conflict(other.ins, event.outs)
                ):
                    pairs += 1
                    assert known >> j & 1, f"{loaded.record.name}: {event.name} is not ordered after {other.name}"
        assert pairs > 150
