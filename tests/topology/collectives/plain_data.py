"""What a plan does to data, told in the plainest way: every part is a count of whose data are in it.

It knows the sends alone, not how they were found. :func:`races` shows that their order cannot matter, so that one order
speaks for all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

from topology.collectives.send import Plan

Data = dict[tuple[int, int, int], Counter[int]]
"""For a rank, a stream and a part: how often everybody's data are in it."""


def at_start(plan: Plan) -> Data:
    """What everybody has; a rank's own contribution is its number."""
    data: Data = {}
    for rank in range(plan.ranks):
        for stream, extents in plan.parts.items():
            for part in range(len(extents)):
                has = {
                    "all_reduce": True,
                    "reduce_scatter": True,
                    "all_gather": part == rank,
                    "broadcast": rank == plan.root,
                    "all_to_all": True,
                }
                data[rank, stream, part] = Counter([rank] if has[plan.kind] else [])
    return data


def at_end(plan: Plan) -> Data:
    """What everybody has when all sends have been made, one after the other."""
    data = at_start(plan)
    for send in plan.sends:
        for part in range(*send.parts):
            came = data[send.src, send.stream, part]
            there = data[send.dst, send.stream, part]
            data[send.dst, send.stream, part] = there + came if send.reduce else Counter(came)
    return data


def exchange_faults(plan: Plan) -> list[str]:
    """Pairs of ranks of an all-to-all between which not exactly the receiver's part has gone, once by every stream.

    What a rank receives does not lie where it has its own parts, so it has those to the end.
    """
    sent = Counter((send.stream, send.src, send.dst, send.parts) for send in plan.sends)
    wanted = Counter(
        (stream, src, dst, (dst, dst + 1))
        for stream, extents in plan.parts.items()
        for src in range(plan.ranks)
        for dst in range(plan.ranks)
        if src != dst and extents[dst].nbytes
    )
    return [str(key) for key in sent.keys() | wanted.keys() if sent[key] != wanted[key]]


def faults(plan: Plan) -> list[str]:
    """Whoever does not end with what the kind promises; parts without bytes do not count."""
    if plan.kind == "all_to_all":
        return exchange_faults(plan)
    data, found = at_end(plan), []
    everybody = Counter(range(plan.ranks))
    for rank in range(plan.ranks):
        for stream, extents in plan.parts.items():
            for part, extent in enumerate(extents):
                wanted = {
                    "all_reduce": everybody,
                    "reduce_scatter": everybody if part == rank else None,
                    "all_gather": Counter([part]),
                    "broadcast": Counter([plan.root]),
                }[plan.kind]
                if extent.nbytes and wanted is not None and data[rank, stream, part] != wanted:
                    found.append(f"rank {rank}, stream {stream}, part {part}: {dict(data[rank, stream, part])}")
    return found


def races(plan: Plan) -> list[str]:
    """Pairs of sends that touch the same part at the same rank, not both adding, and are in no order."""
    before: dict[str, int] = {}
    number = {send.name: i for i, send in enumerate(plan.sends)}
    touching = defaultdict(list)
    for i, send in enumerate(plan.sends):
        before[send.name] = 0
        for name in send.after:
            before[send.name] |= before[name] | 1 << number[name]
        for part in range(*send.parts):
            touching[send.src, send.stream, part].append((i, "read"))
            to = send.dst if plan.kind != "all_to_all" else plan.ranks * (1 + send.dst) + send.src
            touching[to, send.stream, part].append((i, "add" if send.reduce else "write"))
    found = []
    for place, accesses in touching.items():
        for (i, one), (j, other) in combinations(accesses, 2):
            harmless = one == other and one in ("read", "add")
            if not harmless and not before[plan.sends[j].name] >> i & 1:
                found.append(f"{plan.sends[i].name} and {plan.sends[j].name} at {place}")
    return found
