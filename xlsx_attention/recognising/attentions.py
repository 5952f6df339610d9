"""Heads → attentions: what they share, how they are joined, and where everything lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from xlsx_attention.model.role import Attention, Head, Orientation, Place
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.chain import Vector
from xlsx_attention.recognising.heads import Found, Labeller, tokens_of
from xlsx_attention.recognising.masks import hidden_keys
from xlsx_attention.recognising.places import Matrix, place_of
from xlsx_attention.recognising.projections import Projection
from xlsx_attention.recognising.terms import Cell, leaves, unpack
from xlsx_attention.recognising.thinning import whole
from xlsx_attention.recognising.units import DotCell, Units


@dataclass(slots=True)
class Group:
    heads: list[Found]
    joined: list[DotCell] = field(default_factory=list)


def attentions_of(found: list[Found], units: Units, label: Labeller) -> tuple[Attention, ...]:
    groups = _joined(found, units)
    made = [_attention(group, units, label) for group in groups]
    return tuple(sorted(made, key=lambda a: (a.sheet, _shown(a.heads[0]).rect)))


def _shown(head: Head) -> Place:
    """Where a head lies: its weights, or what it shows of itself where these are inside a formula."""
    return next(head.roles[role] for role in ("weights", "output", *head.roles) if role in head.roles)


def _outputs(head: Found, *, thin: bool = False) -> set[int]:
    output = head.matrices.get("output", ())
    return {cell for line in (whole(output) if thin else output) for cell in line}


def _joined(found: list[Found], units: Units) -> list[Group]:
    """Heads that one product with W_o (or one concatenation) joins, then heads over the same tokens."""
    thin = units.cells.thin
    owner = {cell: number for number, head in enumerate(found) for cell in _outputs(head, thin=thin)}
    groups: list[Group] = []
    taken: set[int] = set()
    by_members: dict[frozenset[int], list[DotCell]] = {}
    for dot in units.dots_with(set(owner)):
        for side in (whole((vector,))[0] if thin else vector for vector in (dot.left, dot.right)):
            members = frozenset(owner[cell] for cell in side if cell in owner)
            # Only what multiplies a token's whole output is W_o.
            if members and sum(cell in owner for cell in side) * 2 > len(side):
                by_members.setdefault(members, []).append(dot)
    for members, dots in sorted(by_members.items(), key=lambda item: -len(item[0])):
        if members & taken:
            continue
        taken |= members
        groups.append(Group([found[number] for number in sorted(members)], dots))
    alike: dict[object, Group] = {}
    for number, head in enumerate(found):
        if number in taken:
            continue
        scores = frozenset(cell for line in head.matrices["Q"] for cell in line)
        key: object = number
        if head.Q is not None and head.K is not None:
            # Lessons on sheets of their own may copy one X; their heads are not heads of one attention.
            key = (unpack(head.matrices["weights"][0][0])[0], head.tokens, len(head.matrices["Q"]))
        group = alike.get(key)
        if group is not None and any(scores & {c for line in h.matrices["Q"] for c in line} for h in group.heads):
            # The same queries again: a variant of the example, not another head.
            group = None
            key = (key, number)
        if group is None:
            group = alike[key] = Group([])
            groups.append(group)
        group.heads.append(head)
    return groups


def _attention(group: Group, units: Units, label: Labeller) -> Attention:
    cells = units.cells
    heads = sorted(group.heads, key=lambda head: head.matrices["weights"][0][0])
    lead = heads[0]
    orientation = lead.orientation
    across: Orientation = "columns" if orientation == "rows" else "rows"
    shared: dict[str, Matrix] = {}
    x_q, ones = _without_ones(_longest(heads, 0), cells)
    x_k, ones_k = _without_ones(_longest(heads, 1), cells)
    cross = bool(x_k) and {c for v in x_k for c in v} != {c for v in x_q for c in v} and not _overlap(x_q, x_k)
    if not cross and len(x_k) == len(x_q) and sum(map(len, x_k)) > sum(map(len, x_q)):
        # The queries' range stops short.
        x_q, ones = x_k, ones_k
    if x_q:
        shared["X"] = x_q
    if cross:
        shared["X_kv"] = x_k
    edges = ones, ones_k if cross else ones
    made = [_head(head, orientation, across, edges, (x_q, x_k if cross else ()), units, label) for head in heads]
    places = {role: place for role, m in shared.items() if (place := place_of(m, orientation, cells)) is not None}
    if group.joined:
        places.update(_projected(group, orientation, across, units))
    elif len(heads) > 1:
        concat = _concat_by_copies(heads, units)
        if concat and (place := place_of(concat, orientation, cells)) is not None:
            places["concat"] = place
    unlike = len(lead.matrices["Q"]) != len(lead.matrices["K"])
    kind: Literal["self", "cross"] = "cross" if cross or (unlike and not x_q and not x_k) else "self"
    return Attention(_shown(made[0]).sheet, orientation, kind, tuple(made), places)


def _overlap(a: Matrix, b: Matrix) -> bool:
    """The same tokens, one of the two with a range that stops short or reaches too far."""
    first, second = {c for v in a for c in v}, {c for v in b for c in v}
    return 2 * len(first & second) > min(len(first), len(second))


def _longest(heads: Sequence[Found], which: int) -> tuple[Vector, ...]:
    return max((tokens_of(head, which) for head in heads), key=lambda x: sum(map(len, x)), default=())


def _without_ones(x: Matrix, cells: Cells) -> tuple[tuple[Vector, ...], int | None]:
    """X without an appended line of ones, and where that line was: 0, -1 or ``None``."""
    if len(x) < 2 or len(x[0]) < 2 or len(set(map(len, x))) > 1:
        return tuple(map(tuple, x)), None
    for edge in (-1, 0):
        line = [vector[edge] for vector in x]
        rest = [cell for vector in x for cell in vector if cell not in line]
        constant = all(cells.step_of(cell) is None and cells.number(cell) == 1.0 for cell in line)
        computed = any(cells.step_of(cell) is not None for cell in rest)
        if constant and (computed or len(x) > 2):
            return tuple(tuple(v[:-1] if edge == -1 else v[1:]) for v in x), edge
    return tuple(map(tuple, x)), None


def _weights(p: Projection, ones: int | None) -> tuple[Matrix, Matrix]:
    """W and b: a feature of the result a line."""
    if ones is None:
        return p.W, tuple((cell,) for cell in p.bias)
    if ones == -1:
        return tuple(v[:-1] for v in p.W), tuple(v[-1:] for v in p.W)
    return tuple(v[1:] for v in p.W), tuple(v[:1] for v in p.W)


def _lengthened(W: Matrix, width: int, cells: Cells) -> Matrix:
    """W with the cells that a range one (or more) too short leaves out, where numbers go on in its line."""
    if width > 2 * max(map(len, W), default=0):
        return W
    found = []
    for line in W:
        vector = list(line)
        while 1 < len(vector) < width:
            step = vector[1] - vector[0]
            if _is_number(vector[-1] + step, cells):
                vector.append(vector[-1] + step)
            elif _is_number(vector[0] - step, cells):
                vector.insert(0, vector[0] - step)
            else:
                return W
        found.append(tuple(vector))
    return tuple(found)


def _is_number(cell: int, cells: Cells) -> bool:
    return cell >= 0 and cells.grid.number(*unpack(cell)) is not None


def _head(
    head: Found,
    orientation: Orientation,
    across: Orientation,
    edges: tuple[int | None, int | None],
    inputs: tuple[Matrix, Matrix],
    units: Units,
    label: Labeller,
) -> Head:
    """One head's places. ``edges``: where X (and X_kv) have a line of ones; ``inputs``: both without it."""
    cells = units.cells
    (ones, ones_k), (x_q, x_k) = edges, inputs
    roles: dict[str, Place] = {}

    def put(role: str, matrix: Matrix, along: Orientation) -> None:
        place = place_of(matrix, along, cells) if matrix else None
        if place is not None:
            roles[role] = place

    for role, matrix in head.matrices.items():
        put(role, matrix, orientation)
    for letter, projection, edge in (("q", head.Q, ones), ("k", head.K, ones_k), ("v", head.V, ones_k)):
        if projection is not None:
            W, b = _weights(projection, edge)
            x = x_k if x_k and letter != "q" else x_q
            W = _lengthened(W, len(x[0]) if x else 0, cells)
            # W is D×d_k where tokens lie in rows, so that a feature of the result is a column of it.
            put(f"W_{letter}", W, across)
            put(f"b_{letter}", b, across)
    mask = head.mask
    if mask is not None:
        put("mask", mask.cells, orientation)
    copies = {
        role: places
        for role, matrix in head.matrices.items()
        if role in ("Q", "K", "V", "weights", "output") and (places := _copies(matrix, orientation, units))
    }
    return Head(
        roles,
        len(whole(head.matrices["K"])[0]) if cells.thin else head.d_k,
        head.scale,
        None if mask is None else mask.kind,
        () if mask is None else hidden_keys(mask, whole(head.matrices["K"]), cells) if cells.thin else mask.hidden_keys,
        softmax_axis=head.softmax_axis,
        row_max_axis=head.row_max_axis,
        mask_axis=None if mask is None else mask.axis,
        mask_place=head.mask_place,
        mask_how=None if mask is None else mask.how,
        exp=head.exp,
        exp_from=head.exp_from,
        output_from=head.output_from,
        values_from=head.values_from,
        output_axis=head.output_axis,
        same_projection=head.same_projection,
        labelled=_labelled(head, label),
        copies=copies,
    )


def _labelled(head: Found, label: Labeller) -> dict[str, str]:
    said = {role: label(head.matrices[role]) for role in ("Q", "K", "V") if role in head.matrices}
    return {role: name for role, name in said.items() if name is not None and name != role}


def _copies(matrix: Matrix, orientation: Orientation, units: Units) -> tuple[Place, ...]:
    """Whole further copies of a matrix."""
    ids = [cell for line in matrix for cell in line]
    shown = {cell: units.shown.get(cell, []) for cell in ids}
    count = min(map(len, shown.values()), default=0)
    found = []
    for number in range(min(count, 4)):
        copy = tuple(tuple(sorted(shown[cell])[number] for cell in line) for line in matrix)
        place = place_of(copy, orientation, units.cells)
        if place is not None and not place.parts:
            found.append(place)
    return tuple(found)


def _concat_by_copies(heads: Sequence[Found], units: Units) -> Matrix:
    lines: list[list[int]] = []
    for number in range(len(heads[0].matrices.get("output", ()))):
        line: list[int] = []
        for head in heads:
            output = head.matrices.get("output", ())
            for cell in output[number] if number < len(output) else ():
                copies = units.shown.get(cell, [])
                if not copies:
                    return ()
                line.append(copies[0])
        lines.append(line)
    return tuple(map(tuple, lines))


def _projected(group: Group, orientation: Orientation, across: Orientation, units: Units) -> dict[str, Place]:
    """concat, W_o (b_o) and the projected cells, from the products that join the heads."""
    cells = units.cells
    tokens: dict[Vector, dict[Vector, int]] = {}
    raw: dict[Vector, Vector] = {}
    bias: dict[Vector, int] = {}
    outputs = {cell for head in group.heads for cell in _outputs(head)}
    for dot in group.joined:
        mine_is_left = sum(cell in outputs for cell in dot.left) >= sum(cell in outputs for cell in dot.right)
        mine, other = (dot.left, dot.right) if mine_is_left else (dot.right, dot.left)
        tokens.setdefault(mine, {})[other] = dot.cell
        raw.setdefault(mine, _named(dot.cell, set(mine), cells))
        if dot.added and isinstance(dot.added[0], Cell):
            bias[other] = cells.same(dot.added[0].id)
    width = max(len(row) for row in tokens.values())
    kept = {mine: row for mine, row in tokens.items() if len(row) == width}
    columns = sorted({other for row in kept.values() for other in row}, key=lambda v: v[0])
    found: dict[str, Matrix] = {
        "concat": tuple(raw[mine] for mine in kept),
        "W_o": tuple(columns),
        "projected": tuple(tuple(row[v] for v in columns if v in row) for row in kept.values()),
    }
    concat, ones = _without_ones(found["concat"], cells)
    if ones is not None:
        found["concat"] = concat
        found["W_o"] = tuple(v[:-1] if ones == -1 else v[1:] for v in columns)
        found["b_o"] = tuple(v[-1:] if ones == -1 else v[:1] for v in columns)
    elif len(bias) == len(columns):
        found["b_o"] = tuple((bias[v],) for v in columns)
    along = {"concat": orientation, "projected": orientation, "W_o": across, "b_o": across}
    return {
        role: place for role, matrix in found.items() if (place := place_of(matrix, along[role], cells)) is not None
    }


def _named(cell: int, wanted: set[int], cells: Cells) -> Vector:
    """The cells that a formula itself names for these: copies of them, where it reads copies."""
    body = cells.raw(cell)
    named = () if body is None else tuple(leaves(body))
    return tuple(dict.fromkeys(leaf for leaf in named if cells.same(leaf) in wanted))
