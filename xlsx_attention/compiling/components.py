"""Strongly connected components, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def strongly_connected(count: int, successors: Callable[[int], Iterable[int]]) -> list[list[int]]:
    """Tarjan's components of the nodes ``0 … count−1``, each after all that it leads to (successors first)."""
    index = [0] * count
    low = [0] * count
    on_stack = bytearray(count)
    stack: list[int] = []
    components: list[list[int]] = []
    clock = 0
    for root in range(count):
        if index[root]:
            continue
        clock += 1
        index[root] = low[root] = clock
        stack.append(root)
        on_stack[root] = 1
        work = [(root, iter(successors(root)))]
        while work:
            node, rest = work[-1]
            for successor in rest:
                if not index[successor]:
                    clock += 1
                    index[successor] = low[successor] = clock
                    stack.append(successor)
                    on_stack[successor] = 1
                    work.append((successor, iter(successors(successor))))
                    break
                if on_stack[successor]:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack[member] = 0
                        component.append(member)
                        if member == node:
                            break
                    components.append(component[::-1])
    return components
