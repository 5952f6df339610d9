"""An order in which everything comes after what it needs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def ordered(needs: Mapping[Node, set[Node]]) -> list[list[Node]]:
    """Nodes after all that they need; those that need each other together (Kosaraju's two walks, without recursion)."""
    done: dict[Node, None] = {}
    for start in needs:
        stack = [(start, False)]
        opened: set[Node] = set()
        while stack:
            node, finished = stack.pop()
            if finished:
                done.setdefault(node)
            elif node not in done and node not in opened:
                opened.add(node)
                stack.append((node, True))
                stack += [(need, False) for need in needs[node] if need not in done]
    users: dict[Node, list[Node]] = {node: [] for node in needs}
    for node, wanted in needs.items():
        for need in wanted:
            users[need].append(node)
    groups: list[list[Node]] = []
    placed: set[Node] = set()
    for start in reversed(done):
        if start in placed:
            continue
        group: list[Node] = []
        rest = [start]
        while rest:
            node = rest.pop()
            if node not in placed:
                placed.add(node)
                group.append(node)
                rest += users[node]
        groups.append(group)
    return groups[::-1]
