"""Attention weights → families: all weights whose scores pair one set of vectors with another, as Q·Kᵀ does."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.chain import MaskUse, Vector
from xlsx_attention.recognising.softmax_link import Link, softmax_link
from xlsx_attention.recognising.terms import Num, unpack
from xlsx_attention.recognising.units import Units

#: (row, column) of a weight → the two vectors of its score.
Pairs: TypeAlias = dict[tuple[int, int], tuple[Vector, Vector] | None]


@dataclass(slots=True)
class Family:
    """Scores of every vector of ``first`` with every vector of ``second``; ``links`` by their positions."""

    first: list[Vector]
    second: list[Vector]
    links: dict[tuple[int, int], Link] = field(default_factory=dict)

    def swapped(self) -> Family:
        return Family(self.second, self.first, {(j, i): link for (i, j), link in self.links.items()})


#: A number in a score's place that is typed, not computed, and this low, hides the score as a mask does.
TYPED_MASK = -50.0


def softmax_units(units: Units) -> tuple[list[list[Link]], list[Link]]:
    """Softmaxes whose elements lead to dot products, unit by unit, and the elements that do not."""
    found: list[list[Link]] = []
    bare: list[Link] = []
    for unit in units.all:
        if softmax_link(unit.first, units.cells) is None:
            continue
        links = [link for cell in unit.cells() if (link := softmax_link(cell, units.cells)) is not None]
        found.append([link for link in links if link.walk.pair is not None])
        bare += [link for link in links if link.walk.pair is None]
    return [links for links in found if links], bare


def families(found: list[list[Link]], bare: list[Link], cells: Cells) -> list[Family]:
    """Join links that share a vector; cut where one pair of vectors has several weights (variants of one example)."""
    links = [link for unit in found for link in _straight(unit, cells)]
    parent: dict[object, object] = {}

    def root(node: object) -> object:
        parent.setdefault(node, node)
        while parent[node] is not node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for link in links:
        assert link.walk.pair is not None
        first, second = link.walk.pair
        parent[root((0, first))] = root((1, second))
    together: dict[object, list[Link]] = defaultdict(list)
    for link in links:
        assert link.walk.pair is not None
        together[root((0, link.walk.pair[0]))].append(link)
    made = [family for group in together.values() for family in _layers(group, cells)]
    typed: dict[object, list[Link]] = defaultdict(list)
    for link in bare:
        typed[link.group].append(link)
    for family in made:
        _take_typed(family, typed, cells)
    return made


def _take_typed(family: Family, typed: dict[object, list[Link]], cells: Cells) -> None:
    """Scores that are hidden by a number typed in their place still belong to their softmax's line."""
    lines: dict[object, set[tuple[int, int]]] = defaultdict(set)
    for place, link in family.links.items():
        lines[link.group].add(place)
    for group, places in lines.items():
        others = sorted(typed.get(group, []), key=lambda link: link.weight)
        if not others:
            continue
        firsts, seconds = {i for i, _ in places}, {j for _, j in places}
        if len(firsts) == 1:
            missing = [(i, j) for i in firsts for j in range(len(family.second)) if j not in seconds]
        elif len(seconds) == 1:
            missing = [(i, j) for j in seconds for i in range(len(family.first)) if i not in firsts]
        else:
            continue
        if len(missing) != len(others):
            continue
        for place, link in zip(missing, others, strict=True):
            worth = None if link.walk.leaf is None else cells.number(link.walk.leaf)
            if worth is not None and worth < TYPED_MASK:
                link.walk.masks.append(MaskUse("if", Num(0.0), Num(worth)))
                family.links[place] = link


def _straight(unit: list[Link], cells: Cells) -> list[Link]:
    """One unit's links; vectors that wander (a ``$`` missing in the block) are taken from its first row and column.

    In a right block the vectors of one side depend on the row alone, those of the other on the column alone.
    """
    rows = {unpack(link.weight)[1] for link in unit}
    columns = {unpack(link.weight)[2] for link in unit}
    if len(rows) < 2 or len(columns) < 2:
        return unit
    pairs: Pairs = {unpack(link.weight)[1:]: link.walk.pair for link in unit}
    top, left = min(rows), min(columns)
    sides = []
    for side in (0, 1):
        by_row = _constant(pairs, side, 0)
        by_column = _constant(pairs, side, 1)
        sides.append((by_row, by_column))
    if (sides[0][0] and sides[1][1]) or (sides[0][1] and sides[1][0]):
        return unit
    # Which side follows the rows: the one that does so in the first column.
    for row_side in (0, 1):
        if sides[row_side][0] or sides[1 - row_side][1]:
            for link in unit:
                _, row, column = unpack(link.weight)
                along, across = pairs.get((row, left)), pairs.get((top, column))
                if along is not None and across is not None:
                    pair = [along[row_side], across[1 - row_side]]
                    link.walk.pair = (pair[0], pair[1]) if row_side == 0 else (pair[1], pair[0])
            break
    return unit


def _constant(pairs: Pairs, side: int, axis: int) -> bool:
    """Whether one side's vectors are, mostly, one for each index of an axis."""
    seen: dict[int, Counter[Vector]] = defaultdict(Counter)
    for place, pair in pairs.items():
        if pair is not None:
            seen[place[axis]][pair[side]] += 1
    common = sum(counter.most_common(1)[0][1] for counter in seen.values())
    return common > 0.7 * len(pairs)


def _layers(group: list[Link], cells: Cells) -> Iterable[Family]:
    """One family, or several where the same pairs are weighted more than once."""
    by_pair: dict[tuple[Vector, Vector], list[Link]] = defaultdict(list)
    for link in group:
        assert link.walk.pair is not None
        by_pair[link.walk.pair].append(link)
    layers: list[dict[tuple[Vector, Vector], Link]] = []
    if max(len(links) for links in by_pair.values()) == 1:
        layers = [{pair: links[0] for pair, links in by_pair.items()}]
    else:
        for cluster in _clusters(group, cells):
            layers.append({link.walk.pair: link for link in cluster if link.walk.pair is not None})
    for layer in layers:
        first = sorted({pair[0] for pair in layer})
        second = sorted({pair[1] for pair in layer})
        at = {vector: i for i, vector in enumerate(first)}, {vector: i for i, vector in enumerate(second)}
        links_at = {(at[0][pair[0]], at[1][pair[1]]): link for pair, link in layer.items()}
        if len(links_at) * 2 > len(first) * len(second):
            yield Family(first, second, links_at)


def _clusters(group: list[Link], cells: Cells) -> list[list[Link]]:
    """Weights that lie together on the sheet: neighbours, in one form of formula."""
    where = {link.weight: link for link in group}
    rest = set(where)
    clusters: list[list[Link]] = []
    while rest:
        stack = [rest.pop()]
        cluster: list[Link] = []
        while stack:
            cell = stack.pop()
            cluster.append(where[cell])
            for neighbour in (cell - 1, cell + 1, cell - (1 << 14), cell + (1 << 14)):
                if neighbour in rest:
                    rest.discard(neighbour)
                    stack.append(neighbour)
        clusters.append(cluster)
    return sorted(clusters, key=lambda cluster: min(link.weight for link in cluster))
