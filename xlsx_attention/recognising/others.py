"""What else is plainly there beside attention: copies, linear layers, ReLU, layer norm, residual sums and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from xlsx_attention.model.address import Rect
from xlsx_attention.model.role import AttentionMap, OtherStep, Place
from xlsx_attention.recognising.cells import Cells
from xlsx_attention.recognising.places import bounds, rectangles, stacked
from xlsx_attention.recognising.softmax_link import softmax_link
from xlsx_attention.recognising.tables import tables_of
from xlsx_attention.recognising.taken import Taken
from xlsx_attention.recognising.terms import (
    Cell,
    Exp,
    Expr,
    Func,
    If,
    Inverse,
    Max,
    Num,
    Power,
    Product,
    Sum,
    cells_of,
    leaves,
    pack,
    terms,
    unpack,
)
from xlsx_attention.recognising.units import Unit, Units, dot_cell

_MEANS: Final = frozenset({"AVERAGE"})
_DEVIATIONS: Final = {
    "STDEV": "sample deviation",
    "STDEV.S": "sample deviation",
    "STDEVA": "sample deviation",
    "VAR": "sample deviation",
    "VAR.S": "sample deviation",
    "STDEV.P": "population deviation",
    "STDEVP": "population deviation",
    "VAR.P": "population deviation",
    "VARP": "population deviation",
}
_LOOKUPS: Final = frozenset(
    {"VLOOKUP", "HLOOKUP", "LOOKUP", "XLOOKUP", "INDEX", "MATCH", "OFFSET", "CHOOSEROWS", "CHOOSECOLS"}
)


def others_of(units: Units, attention: AttentionMap) -> tuple[tuple[OtherStep, ...], tuple[Place, ...]]:
    """Steps beside attention by kind, and steps without a name."""
    cells = units.cells
    taken = Taken.by(attention)
    groups: dict[tuple[str, str, int, str], list[Rect]] = {}
    nameless: dict[tuple[int, str], list[Rect]] = {}
    for unit in units.all:
        if unit.sheet >= cells.inside.first:
            continue
        rest = taken.free(unit.sheet, unit.rect)
        if not rest:
            continue
        first = pack(unit.sheet, rest[0].top, rest[0].left)
        step = cells.step_of(first, mended=False)
        form = "" if step is None else cells.plan.steps[step].block.form.r1c1
        named = kind_of(unit, first, cells)
        if named is None:
            nameless.setdefault((unit.sheet, form), []).extend(rest)
        else:
            groups.setdefault((*named, unit.sheet, form), []).extend(rest)
    made = [
        OtherStep(kind, place, detail)
        for (kind, detail, sheet, _), rects in groups.items()
        for place in _places(sheet, rects, cells)
    ]
    bare = [place for (sheet, _), rects in nameless.items() for place in _places(sheet, rects, cells)]
    return (
        tuple(sorted(made, key=lambda other: (other.place.sheet, other.place.rect))),
        tuple(sorted(bare, key=lambda place: (place.sheet, place.rect))),
    )


def left_over(cells: Cells, attention: AttentionMap, others: Iterable[OtherStep]) -> tuple[Place, ...]:
    """Rectangles of bare numbers without a part, on sheets that hold no formula at all."""
    taken = Taken.by(attention)
    for other in others:
        taken.add(other.place.sheet, other.place.rect)
    with_formulas = {step.block.sheet for step in cells.plan.steps}
    found = []
    for sheet in cells.grid.sheets:
        if sheet.index not in with_formulas:
            tables = tables_of(sheet.index, cells)
            found += [Place(table.sheet, table.rect) for table in tables if not taken.touches(table.sheet, table.rect)]
    return tuple(found)


def _places(sheet: int, rects: list[Rect], cells: Cells) -> list[Place]:
    """Rectangles of one kind as few places; the blocks of a large sheet are joined as they are."""
    if cells.thin or len(rects) == 1:
        joined = stacked(rects)
    else:
        joined = rectangles(cell for rect in rects for cell in cells_of(sheet, rect))
    return [Place(sheet, rect, cells.steps_in(sheet, rect, mended=False)) for rect in joined]


def kind_of(unit: Unit, cell: int, cells: Cells) -> tuple[str, str] | None:
    """Kind and detail of one step, judged by one of its cells."""
    body = cells.raw(cell)
    if body is None:
        return _by_function(cell, cells)
    for kind, test in _KINDS:
        detail = test(cell, body, cells)
        if detail is not None:
            return kind, detail
    return None


def _by_function(cell: int, cells: Cells) -> tuple[str, str] | None:
    """A formula that cannot be followed may still be a look-up by its outermost function."""
    step = cells.step_of(cell)
    text = "" if step is None else cells.plan.steps[step].block.form.r1c1.upper()
    return ("look-up", "") if text.split("(")[0].removeprefix("_XLFN.") in _LOOKUPS else None


def _copy(cell: int, body: Expr, cells: Cells) -> str | None:
    if not isinstance(body, Cell):
        return None
    return "" if cells.same(cell) == cell else _where(cells.same(cell), cells)


def _where(cell: int, cells: Cells) -> str:
    sheet, row, column = unpack(cell)
    home = cells.grid.sheets[sheet].name
    return f"of {home}!{bounds([cell]).a1}" if row >= 0 and column >= 0 else ""


def _relu(cell: int, body: Expr, cells: Cells) -> str | None:
    if isinstance(body, Max) and len(body.items) == 2 and Num(0.0) in body.items:
        return ""
    if isinstance(body, If) and isinstance(body.condition, Func) and body.condition.name in ("<", ">", "<=", ">="):
        sides = body.condition.args
        if Num(0.0) not in sides:
            return None
        x = sides[0] if sides[1] == Num(0.0) else sides[1]
        branches = (body.yes, body.no)
        if x in branches and Num(0.0) in branches:
            return ""
        other = body.no if body.yes == x else body.yes
        if x in branches and isinstance(other, Product) and x in other.factors:
            return "leaky"
    return None


def _softmax(cell: int, body: Expr, cells: Cells) -> str | None:
    return "" if softmax_link(cell, cells) is not None else None


def _functions(of: Expr) -> set[str]:
    found: set[str] = set()
    stack: list[Expr] = [of]
    while stack:
        node = stack.pop()
        if isinstance(node, Func):
            found.add(node.name)
            stack += node.args
        elif isinstance(node, Sum):
            stack += node.terms
        elif isinstance(node, Product):
            stack += node.factors
        elif isinstance(node, (Inverse, Exp)):
            stack.append(node.of)
        elif isinstance(node, Power):
            stack += (node.base, node.exponent)
        elif isinstance(node, If):
            stack += (node.condition, node.yes, node.no)
        elif isinstance(node, Max):
            stack += node.items
    return found


def _deviation(of: Expr, cells: Cells, depth: int = 0) -> str | None:
    """The kind of deviation (or mean of squares) that an expression comes down to."""
    names = _functions(of)
    for name, kind in _DEVIATIONS.items():
        if name in names:
            return kind
    if depth and names & _MEANS:
        return "population deviation"
    if depth > 6:
        return None
    inner = [cells.expand(leaf) for leaf in leaves(of)[:3]]
    found = (_deviation(body, cells, depth + 1) for body in inner if body is not None and not isinstance(body, Cell))
    return next((kind for kind in found if kind is not None), None)


def _centred(of: Expr, cells: Cells) -> bool:
    """``x − mean(x)``, here or in the cell that is named."""
    body = cells.expand(of.id) if isinstance(of, Cell) else of
    if not isinstance(body, Sum) or len(body.terms) != 2:
        return False
    minus = [term for term in terms(body) if term.number == -1.0 and len(term.factors) == 1]
    for term in minus:
        mean = term.factors[0]
        inner = cells.expand(mean.id) if isinstance(mean, Cell) else mean
        if isinstance(inner, Func) and inner.name in _MEANS:
            return True
    return False


def _layer_norm(cell: int, body: Expr, cells: Cells) -> str | None:
    if not isinstance(body, Product):
        return None
    centred = [factor for factor in body.factors if _centred(factor, cells)]
    others = [factor for factor in body.factors if factor not in centred]
    if len(centred) != 1 or not others:
        return None
    return _deviation(Product(tuple(others)), cells)


def _statistic(cell: int, body: Expr, cells: Cells) -> str | None:
    if isinstance(body, Func) and (body.name in _MEANS or body.name in _DEVIATIONS):
        return body.name
    return None


def _positional(cell: int, body: Expr, cells: Cells) -> str | None:
    return "" if _functions(body) & {"SIN", "COS"} else None


def _one_hot(cell: int, body: Expr, cells: Cells) -> str | None:
    if isinstance(body, If) and isinstance(body.condition, Func) and body.condition.name == "=":
        return "" if (body.yes, body.no) == (Num(1.0), Num(0.0)) else None
    return None


def _embedding(cell: int, body: Expr, cells: Cells) -> str | None:
    """A product with one-hot vectors looks rows up."""
    dot = dot_cell(cell, cells)
    if dot is None:
        return None
    for side in (dot.left, dot.right):
        below = cells.expand(side[0])
        if below is not None and _one_hot(side[0], below, cells) is not None:
            return ""
    return None


def _linear(cell: int, body: Expr, cells: Cells) -> str | None:
    dot = dot_cell(cell, cells)
    if dot is None or (len(dot.left) < 2 and not dot.added):
        return None
    return "with bias" if dot.added else ""


def _sum_of_two(cell: int, body: Expr, cells: Cells) -> tuple[Cell, Cell] | None:
    if isinstance(body, Sum) and len(body.terms) == 2:
        a, b = body.terms
        if isinstance(a, Cell) and isinstance(b, Cell) and not (cells.is_parameter(a) and cells.is_parameter(b)):
            return a, b
    return None


def _position_added(cell: int, body: Expr, cells: Cells) -> str | None:
    pair = _sum_of_two(cell, body, cells)
    if pair is None:
        return None
    for part in pair:
        below = cells.expand(part.id)
        if below is not None and _positional(part.id, below, cells) is not None:
            return ""
    return None


def _residual(cell: int, body: Expr, cells: Cells) -> str | None:
    """``x + f(x)``: one part depends on the other."""
    pair = _sum_of_two(cell, body, cells)
    if pair is None:
        return None
    a, b = cells.same(pair[0].id), cells.same(pair[1].id)
    return "" if _depends(a, b, cells) or _depends(b, a, cells) else None


def _depends(on: int, target: int, cells: Cells) -> bool:
    """Whether a cell follows from another: the other's step, or a step that reads it, is among its own."""
    start, wanted = cells.step_of(on), cells.step_of(target)
    if start is None:
        return False
    before = cells.before(start)
    if wanted is not None:
        return bool(before >> wanted & 1)
    return bool(before & cells.readers(target))


def _scale(cell: int, body: Expr, cells: Cells) -> str | None:
    """One cell times (or over) numbers and inputs alone."""
    parts = terms(body)
    if len(parts) != 1 or isinstance(body, Cell) or not all(map(cells.is_parameter, parts[0].divisors)):
        return None
    moving = [factor for factor in parts[0].factors if not cells.is_parameter(factor)]
    return "" if len(moving) == 1 and isinstance(moving[0], Cell) else None


def _bias_added(cell: int, body: Expr, cells: Cells) -> str | None:
    pair = _sum_of_two(cell, body, cells)
    if pair is None:
        return None
    for part, other in (pair, pair[::-1]):
        below = cells.expand(part.id)
        if cells.is_parameter(other) and below is not None and dot_cell(cells.same(part.id), cells) is not None:
            return ""
    return None


def _activation(cell: int, body: Expr, cells: Cells) -> str | None:
    """``1/(1+e^-x)`` or ``tanh``."""
    if isinstance(body, Func) and body.name == "TANH":
        return "tanh"
    below = body.of if isinstance(body, Inverse) else None
    if not isinstance(below, Sum) or len(below.terms) != 2 or Num(1.0) not in below.terms:
        return None
    return "sigmoid" if any(isinstance(term, Exp) for term in below.terms) else None


def _exp_sum(cell: int, body: Expr, cells: Cells) -> str | None:
    if not isinstance(body, Sum):
        return None
    below = [cells.expand(term.id) if isinstance(term, Cell) else term for term in body.terms]
    return "" if all(isinstance(part, Exp) for part in below) else None


def _exp(cell: int, body: Expr, cells: Cells) -> str | None:
    return "" if isinstance(body, Exp) else None


#: Kind and test, in the order in which they are tried; a test gives the detail (often ``""``), or ``None``.
_KINDS: Final[tuple[tuple[str, Callable[[int, Expr, Cells], str | None]], ...]] = (
    ("copy", _copy),
    ("positional encoding", _positional),
    ("one-hot", _one_hot),
    ("relu", _relu),
    ("softmax", _softmax),
    ("layer norm", _layer_norm),
    ("statistic", _statistic),
    ("embedding", _embedding),
    ("linear", _linear),
    ("positional encoding added", _position_added),
    ("bias added", _bias_added),
    ("residual", _residual),
    ("scale", _scale),
    ("activation", _activation),
    ("exp", _exp),
    ("sum of exp", _exp_sum),
)
