"""A family of weights → one head: its roles, and the facts about how it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from xlsx_attention.model.role import Axis, Orientation
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.chain import MaskUse, Stage, Vector
from xlsx_attention.recognising.families import Family
from xlsx_attention.recognising.masks import Mask, as_masks, mask_of
from xlsx_attention.recognising.outputs import Laid, Output, laid_over, output_of
from xlsx_attention.recognising.places import Matrix, orientation_of
from xlsx_attention.recognising.projections import Projection, projection_of
from xlsx_attention.recognising.softmax_link import Link
from xlsx_attention.recognising.terms import Cell, Expr, leaves, unpack
from xlsx_attention.recognising.units import Units
from xlsx_attention.recognising.unused import unused_mask, unused_values

#: Steps from score to weight, by what their formulas did; the first that fits names the cell.
_STAGES: Final = (("shift", "shifted"), ("mask", "masked"), ("scale", "scaled"), ("dot", "scores"))
#: What each sign says about which vectors are the queries. The product with the values says most: it sums over keys.
VOTES: Final = {"output": 2.0, "softmax": 1.5, "layout": 1.0, "labels": 1.5}


@dataclass(slots=True)
class Found:
    """A head before it has rectangles: matrices of cells by role, lines being tokens, queries or output features."""

    matrices: dict[str, Matrix]
    orientation: Orientation
    tokens: tuple[frozenset[int], frozenset[int]]
    d_k: int
    has_output: bool
    Q: Projection | None
    K: Projection | None
    V: Projection | None
    mask: Mask | None = None
    mask_place: Literal["before", "after"] | None = None
    scale: float | None = None
    softmax_axis: Axis = "keys"
    row_max_axis: Axis | None = None
    exp: Literal["yes", "no", "numerator"] = "yes"
    exp_from: str | None = None
    output_from: str | None = None
    values_from: str | None = None
    output_axis: Axis | None = None
    same_projection: tuple[tuple[str, str], ...] = ()


#: Says which role a matrix's labels name (``Q``, ``K``, …), or ``None``.
Labeller = Callable[[Matrix], str | None]


def head_of(family: Family, units: Units, label: Labeller) -> Found | None:
    """Everything that the formulas around one family say; ``None`` where it is a softmax of something else."""
    cells = units.cells
    family, output, source, laid = _oriented(family, units, label)
    queries, keys = len(family.first), len(family.second)
    links = family.links
    Q, K = projection_of(family.first, cells), projection_of(family.second, cells)
    if output is None and (Q is None) != (K is None):
        # A linear layer before a softmax: logits, not scores.
        return None
    if output is None and Q is None and label(family.first) != "Q":
        return None
    V = projection_of(output.values, cells) if output is not None else None
    first = Q.result if Q is not None else tuple(family.first)
    second = K.result if K is not None else tuple(family.second)
    matrices: dict[str, Matrix] = {"Q": first, "K": second}
    masks, scale = _masks_and_scale(links, laid, Q, K, cells)
    _stages(family, matrices)
    typed = _square(family, lambda link: _typed(link, cells))
    if any(link.walk.leaf is not None for link in links.values()) and sum(map(len, typed)) == len(links):
        matrices["masked"] = typed
    matrices["weights"] = _square(family, lambda link: link.weight)
    values_from: str | None = None
    if output is not None:
        matrices["output"] = output.cells
        values = V.result if V is not None else output.values
        values_from = "K" if _same(values, second) else "Q" if _same(values, first) else "V"
        if values_from == "V":
            matrices["V"] = values
    x_q = frozenset(Q.X) if Q is not None else frozenset(first)
    x_k = frozenset(K.X) if K is not None else frozenset(second)
    found = Found(
        matrices,
        orientation_of(Q.X if Q is not None else first) or orientation_of(second) or "rows",
        (frozenset(c for v in x_q for c in v), frozenset(c for v in x_k for c in v)),
        len(second[0]),
        output is not None,
        Q,
        K,
        V if values_from == "V" else None,
        scale=scale,
        output_from=source,
        values_from=values_from,
        output_axis=None if output is None else "keys" if output.axis == 1 else "queries",
    )
    found.mask = mask_of(masks, (queries, keys), cells)
    if found.mask is not None:
        after = any(link.post_masks for link in links.values()) or bool(laid.masks)
        before = any(link.walk.masks for link in links.values())
        found.mask_place = "after" if after and not before else "before"
        if laid.masked:
            inverse = {place: cell for cell, place in laid.masked.items()}
            matrices.setdefault("masked", _lines(inverse, queries))
    elif mask := unused_mask(unpack(next(iter(links.values())).weight)[0], queries, keys, cells):
        matrices["mask"] = mask
    x = K.X if K is not None else ()
    if values_from not in (None, "V") and x:
        known = {cell for matrix in (first, second) for line in matrix for cell in line}
        spare = unused_values(x, known, len(output.cells[0]) if output is not None else 0, units)
        if spare:
            matrices["V"], found.V = spare, projection_of(spare, cells)
    found.softmax_axis = _axis(link_group(links))
    found.row_max_axis = _maximum_axis(links, cells)
    found.exp, found.exp_from = _exponentials(links, cells)
    found.same_projection = _same_projections(Q, K, V)
    return found


def _oriented(family: Family, units: Units, label: Labeller) -> tuple[Family, Output | None, str | None, Laid]:
    """The family with queries first, the output, and the role that the output is made from."""
    weights = {units.cells.same(link.weight): place for place, link in family.links.items()}
    laid = laid_over(weights, units)
    shape = len(family.first), len(family.second)
    output, source = output_of(laid.at, shape, units), "weights"
    if output is not None and laid.masked and output_of(laid.masked, shape, units) is None:
        source = "weights"
    if output is None:
        for role, at in _other_sources(family, units.cells):
            output, source = output_of(at, shape, units), role
            if output is not None:
                break
    votes = 0.0
    if output is not None:
        votes += VOTES["output"] if output.axis == 1 else -VOTES["output"]
    votes += VOTES["softmax"] * (1 if _axis(link_group(family.links)) == "keys" else -1)
    votes += VOTES["layout"] * _layout(family, units.cells)
    named = label(family.first), label(family.second)
    votes += VOTES["labels"] * ((named == ("Q", "K")) - (named == ("K", "Q")))
    if votes >= 0:
        return family, output, source if output is not None else None, laid
    flipped = Laid(
        {cell: (j, i) for cell, (i, j) in laid.at.items()},
        {cell: (j, i) for cell, (i, j) in laid.masked.items()},
        {(j, i): mask for (i, j), mask in laid.masks.items()},
    )
    if output is not None:
        output = Output(1 - output.axis, output.cells, output.values)
    return family.swapped(), output, source if output is not None else None, flipped


def _other_sources(family: Family, cells: Cells) -> Iterable[tuple[str, dict[int, tuple[int, int]]]]:
    """What else the output may have been made from, by mistake: exponentials, masked, scaled or bare scores."""
    exps = {link.exp: place for place, link in family.links.items() if link.exp is not None}
    yield "exp", exps
    for role in ("masked", "scaled", "scores"):
        yield role, {cell: place for place, link in family.links.items() if (cell := _stage(link, role)) is not None}


def _layout(family: Family, cells: Cells) -> int:
    """Queries lie along the axis of the tokens: rows of the scores where tokens lie in rows."""
    orientation = orientation_of(family.first)
    weights = [
        [link.weight for j in range(len(family.second)) if (link := family.links.get((i, j))) is not None]
        for i in range(len(family.first))
    ]
    lies = orientation_of([line for line in weights if line])
    if orientation is None or lies is None:
        return 0
    return 1 if orientation == lies else -1


def link_group(links: dict[tuple[int, int], Link]) -> list[list[tuple[int, int]]]:
    """Positions by softmax."""
    groups: dict[object, list[tuple[int, int]]] = {}
    for place, link in links.items():
        groups.setdefault(link.group, []).append(place)
    return list(groups.values())


def _axis(groups: list[list[tuple[int, int]]]) -> Axis:
    """Along which axis groups run, by most of them."""
    votes = 0
    for group in groups:
        if len(group) > 1:
            votes += 1 if len({q for q, _ in group}) == 1 else 0
            votes -= 1 if len({k for _, k in group}) == 1 else 0
    return "keys" if votes >= 0 else "queries"


def _stage(link: Link, role: str) -> int | None:
    for stage in link.walk.stages:
        named = next((name for did, name in _STAGES if did in stage.did), None)
        if named == role:
            return stage.cell
    return None


def _typed(link: Link, cells: Cells) -> int | None:
    """The cell that stands before the exponential where some scores are hidden by typed numbers: one, or a copy."""
    if link.walk.leaf is not None:
        return link.walk.leaf
    if not link.walk.stages:
        return None
    wanted = link.walk.stages[0].cell
    body = cells.raw(link.weight if link.exp is None else link.exp)
    return next((leaf for leaf in leaves(body) if cells.same(leaf) == wanted), None) if body is not None else None


def _stages(family: Family, matrices: dict[str, Matrix]) -> None:
    for role in ("scores", "scaled", "masked", "shifted"):
        matrix = _square(family, lambda link, role=role: _stage(link, role))  # type: ignore[misc]
        if matrix:
            matrices[role] = matrix
    exp = _square(family, lambda link: link.exp)
    if exp:
        matrices["exp"] = exp
    links = [link for _, link in sorted(family.links.items())]
    lines = {"normaliser": [link.normaliser for link in links], "row_max": [link.walk.maximum for link in links]}
    for role, found in lines.items():
        cells = dict.fromkeys(cell for cell in found if cell is not None)
        if cells:
            matrices[role] = tuple((cell,) for cell in cells)


def _square(family: Family, pick: Callable[[Link], int | None]) -> Matrix:
    lines = []
    for i in range(len(family.first)):
        line = (family.links.get((i, j)) for j in range(len(family.second)))
        lines.append(tuple(cell for link in line if link is not None and (cell := pick(link)) is not None))
    return tuple(line for line in lines if line)


def _lines(at: dict[tuple[int, int], int], count: int) -> Matrix:
    return tuple(tuple(at[place] for place in sorted(at) if place[0] == i) for i in range(count))


def _same(a: Matrix, b: Matrix) -> bool:
    return {cell for line in a for cell in line} == {cell for line in b for cell in line}


def _masks_and_scale(
    links: dict[tuple[int, int], Link], laid: Laid, Q: Projection | None, K: Projection | None, cells: Cells
) -> tuple[dict[tuple[int, int], list[MaskUse]], float | None]:
    masks = {place: [*link.walk.masks, *link.post_masks] for place, link in links.items()}
    for place, mask in laid.masks.items():
        masks.setdefault(place, []).append(mask)
    inputs = {place: [s for s in link.walk.scales if isinstance(s, Cell)] for place, link in links.items()}
    multiplied = as_masks(inputs, cells)
    for place, found in multiplied.items():
        _restage(links[place], {cell for mask in found for cell in leaves(mask.of)}, cells)
    for place, found in multiplied.items():
        masks[place] = [*masks.get(place, []), *found]
    counted: Counter[float] = Counter()
    for link in links.values():
        factor = link.walk.number
        scaled = factor != 1.0
        for scale in link.walk.scales:
            if multiplied and isinstance(scale, Cell):
                continue
            worth = cells.value(scale)
            scaled = True
            factor *= 1.0 if worth is None else worth
        for projection in (Q, K):
            if projection is not None and (projection.scales or projection.number != 1.0):
                scaled = True
                factor *= projection.number
                for scale in projection.scales:
                    factor *= cells.value(scale) or 1.0
        if scaled and factor:
            counted[1.0 / factor] += 1
    return masks, counted.most_common(1)[0][0] if counted else None


def _restage(link: Link, mask: set[int], cells: Cells) -> None:
    """A step that multiplies with a mask's cell masks; it was taken for a scale while the mask was not known."""
    walk = link.walk
    for number, stage in enumerate(walk.stages):
        body = cells.expand(stage.cell)
        if "scale" in stage.did and body is not None and not mask.isdisjoint(leaves(body)):
            walk.stages[number] = Stage(stage.cell, stage.did - {"scale"} | {"mask"})


def _maximum_axis(links: dict[tuple[int, int], Link], cells: Cells) -> Axis | None:
    below: dict[int, tuple[int, int]] = {}
    for place, link in links.items():
        for stage in link.walk.stages:
            below.setdefault(stage.cell, place)
    groups = []
    for link in links.values():
        places = [below[c] for item in link.walk.max_items for leaf in leaves(item) if (c := cells.same(leaf)) in below]
        if places:
            groups.append(places)
    if not groups:
        return None
    return _axis(groups)


def _exponentials(
    links: dict[tuple[int, int], Link], cells: Cells
) -> tuple[Literal["yes", "no", "numerator"], str | None]:
    link = next(iter(links.values()))
    below = next((stage for stage in link.walk.stages if stage.did - {"shift"}), None)
    source = (
        None if below is None else next(name for did, name in (*_STAGES[1:], ("round", "rounded")) if did in below.did)
    )
    if not link.is_exp:
        return "no", source
    exps = {link.exp for link in links.values() if link.exp is not None}
    stages = {stage.cell for link in links.values() for stage in link.walk.stages}
    items: list[Expr] = list(link.summed)
    bare = [item for item in items if isinstance(item, Cell) and item.id not in exps and item.id in stages]
    return ("numerator" if bare else "yes"), source


def _same_projections(*found: Projection | None) -> tuple[tuple[str, str], ...]:
    named = [(name, p) for name, p in zip("QKV", found, strict=True) if p is not None]
    return tuple(
        (a, b)
        for i, (a, p) in enumerate(named)
        for b, q in named[i + 1 :]
        if _same(p.W, q.W) and p.W and len(p.W[0]) > 0
    )


def tokens_of(found: Found, which: int) -> tuple[Vector, ...]:
    """Vectors of X (0: of the queries, 1: of the keys), a vector a token."""
    projections = ((found.Q,), (found.K, found.V))[which]
    candidates = [p.X for p in projections if p is not None]
    return max(candidates, key=lambda x: sum(map(len, x)), default=())
