"""Strongly connected components of a block's dependencies."""

from __future__ import annotations

from collections.abc import Sequence


def components(targets: Sequence[Sequence[int]]) -> list[int]:
    """The component number of each node; nodes of one number lie on common cycles. ``targets[i]``: the edges of ``i``.

    Tarjan's algorithm with its own stack, for a block can have millions of instructions in one chain.
    """
    n = len(targets)
    index, low, component = [-1] * n, [0] * n, [-1] * n
    open_nodes: list[int] = []
    count = 0
    for root in range(n):
        if index[root] >= 0:
            continue
        trail = [(root, 0)]
        while trail:
            node, edge = trail.pop()
            if edge == 0:
                index[node] = low[node] = count
                count += 1
                open_nodes.append(node)
            edges = targets[node]
            while edge < len(edges) and index[edges[edge]] >= 0:
                if component[edges[edge]] < 0:
                    low[node] = min(low[node], index[edges[edge]])
                edge += 1
            if edge < len(edges):
                trail += [(node, edge + 1), (edges[edge], 0)]
                continue
            if low[node] == index[node]:
                while component[node] < 0:
                    component[open_nodes.pop()] = node
            if trail:
                parent = trail[-1][0]
                low[parent] = min(low[parent], low[node])
    return component
