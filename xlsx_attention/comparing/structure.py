"""Mistakes that show in what a block is made from: a row each, from a head to its findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from xlsx_attention.comparing.given import Maybe, alike, masked_with, transposed
from xlsx_attention.comparing.masks import FILLERS
from xlsx_attention.comparing.matrices import Cells, cells_of
from xlsx_attention.comparing.padding import Padding, padded
from xlsx_attention.comparing.sentences import say
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import Finding
from xlsx_attention.model.role import Place
from xlsx_attention.model.values import NUMBER, TEXT, Floats

Row = Callable[[Subject], Iterator[Finding]]
#: Roles in which Q·Kᵀ may first have cells of its own.
AFTER_PRODUCT = ("scores", "scaled", "masked", "exp", "weights")
#: A weight that real tokens give to padding; less is what a mask of −15 or so leaves.
NOTICED = 1e-6


def missing_transpose(subject: Subject) -> Iterator[Finding]:
    """Q·K: then "the keys' matrix" is X itself, for each column of K is X times one column of W_k."""
    places, given = subject.given.matrices.places, subject.given
    W_k, X = places.get("W_k"), places.get("X")
    if W_k is None or X is None or _all(W_k) != _all(X):
        return
    turned = given.dot(given["Q"], given["K"])
    yield from _product(subject, "missing-transpose", turned)


def swapped_operands(subject: Subject) -> Iterator[Finding]:
    """K·Qᵀ: what asks is labelled K, what answers Q."""
    said = subject.head.labelled
    if said.get("Q") == "K" and said.get("K") == "Q":
        yield from _product(subject, "swapped-operands", transposed(subject.given.product))


def _product(subject: Subject, cause: str, product: Maybe) -> Iterator[Finding]:
    """A finding about the first block that holds Q·Kᵀ; ``product`` is what it should be."""
    given = subject.given
    role = next((role for role in AFTER_PRODUCT if role in given.matrices.places), None)
    if role is None or product is None:
        return
    if role == "scores" and not alike(given.matrices.own["scores"], given.product):
        return
    if given.product is not None and product.shape == given.product.shape and alike(product, given.product):
        return
    scaled = product / given.divisor
    mended: dict[str, Callable[[], Maybe]] = {
        "scores": lambda: product,
        "scaled": lambda: scaled,
        "masked": lambda: masked_with(scaled, given.keep) if scaled.shape == given.keep.shape else None,
        "exp": lambda: given.exps(scaled, scaled.max(axis=1)),
        "weights": lambda: given.softmax(scaled),
    }
    message = say(cause, cells=subject.where(role), role=role + subject.suffix)
    yield subject.finding(role, cause, message, mended[role]())


def wrong_projection(subject: Subject) -> Iterator[Finding]:
    """Two of Q, K and V from one matrix."""
    given = subject.given
    for first, second in subject.head.same_projection:
        W = given.matrices.places.get(f"W_{first.lower()}")
        if W is None or first not in given.matrices.places or second not in given.matrices.places:
            continue
        if _all(W) != _all(given.matrices.places.get(f"W_{second.lower()}", W)):
            # V stands on the sheet with a matrix of its own; it is not used, which is another mistake.
            continue
        if _said_to_be_shared(subject, given.matrices.places[first], given.matrices.places[second]):
            continue
        own_letter = _letter(_label_of(subject, W)) or first
        wrong, right = (first, second) if own_letter == second else (second, first)
        if not alike(given.matrices.own[wrong], given.affine(wrong.lower())):
            continue
        message = say(
            "wrong-projection", cells=subject.where(wrong), role=wrong + subject.suffix, matrix=W.rect.a1, other=right
        )
        meant = _meant_matrix(subject, wrong, W)
        tokens = given["X_kv"] if wrong != "Q" and given["X_kv"] is not None else given["X"]
        mended = None if meant is None else given.linear(tokens, meant, None)
        yield subject.finding(wrong, "wrong-projection", message, mended)


_SHARED = re.compile(r"Q\s*[/,&+=]?\s*K\b|shared|共享", re.IGNORECASE)


def _said_to_be_shared(subject: Subject, first: Place, second: Place) -> bool:
    """Whether queries and keys are one block, and the text above or left of it says so (Reformer's shared QK)."""
    if (first.sheet, first.rect) != (second.sheet, second.rect):
        return False
    grid, rect = subject.sheets.grid, first.rect
    beside = [(rect.top - 1, rect.left), (rect.top, rect.left - 1), (rect.top - 1, rect.left - 1)]
    texts = [
        grid.texts[number]
        for row, column in beside
        if row >= 0 and column >= 0
        for number, kind in [grid.sheets[first.sheet].cached.get(row, column)]
        if kind == TEXT
    ]
    return any(_SHARED.search(text) for text in texts)


def other_values(subject: Subject) -> Iterator[Finding]:
    """Weights times K (or Q) although keys and values have matrices of their own."""
    given, source = subject.given, subject.head.values_from
    if source not in ("K", "Q") or f"W_{source.lower()}" not in given.matrices.places:
        return
    output = given.matrices.own.get("output")
    if output is None or not alike(output, given.dot(given["weights"], given[source])):
        return
    says = "keys-for-values" if source == "K" else "queries-for-values"
    message = say(says, cells=subject.where("output"), role="output" + subject.suffix)
    V = given["V"] if given["V"] is not None else _unused_projection(subject)
    yield subject.finding("output", "keys-for-values", message, given.dot(given["weights"], V))


def mask_missing(subject: Subject) -> Iterator[Finding]:
    """Padding that real tokens attend to."""
    given, head = subject.given, subject.head
    weights = given["weights"]
    if weights is None or head.mask_axis == "queries" or head.mask_place == "after":
        return
    if subject.shown_otherwise(lambda other: other.mask is not None):
        return
    cells = given.matrices.cells
    place = given.matrices.places["weights"]
    source = next((role for role in ("X_kv", "X", "K") if role in cells), None)
    if source is None or len(cells[source]) != weights.shape[1]:
        return
    steps = [subject.copied(role) for role in ("scaled", "scores")]
    blocks = [cells[role] for role in (*AFTER_PRODUCT, "weights") if role in cells]
    copies = [
        _laid_like(cells[role], step.block.cells)
        for role, step in zip(("scaled", "scores"), steps, strict=True)
        if step is not None
    ]
    at = given.matrices.places[source].sheet
    padding = padded(subject.sheets, (at, cells[source]), (place.sheet, [*copies, *blocks])) or _unused(subject)
    if padding is None:
        return
    hidden = [key for key in padding.hidden if key < weights.shape[1]]
    same = weights.shape[0] == weights.shape[1] and not given.cross_tokens
    real = [q for q in range(weights.shape[0]) if not (same and q in hidden)]
    if hidden and (~given.keep[np.ix_(real, hidden)]).mean() >= 0.5:
        # The mask is there; a cell that lacks it is that cell's own matter.
        return
    with np.errstate(invalid="ignore"):
        noticed = (weights[np.ix_(real, hidden)] > NOTICED).any() if real and hidden else False
    if not noticed:
        return
    keep = given.keep.copy()
    keep[:, hidden] = False
    idle = _idle_masked(subject)
    copy = next((step for step in steps if step is not None), None) if idle is None else None
    cause, key, says = "mask-missing", "mask-missing", {"tokens": padding.said}
    if idle is not None:
        cause, key, says = "unmasked-weights", "masked-unused", {"mask": idle.rect.a1}
    elif padding.by_mask:
        key, says = "mask-unused", {"mask": padding.said}
    if copy is not None:
        of = "scaled" if steps[0] is not None else "scores"
        message = say(key, cells=copy.block.cells.a1, role="masked" + subject.suffix, **says)
        yield subject.finding_at(copy, of, "masked", cause, message, masked_with(given[of], keep, -1e9))
        return
    role = next((role for role in ("masked", "exp", "weights") if role in cells), "weights")
    message = say(key, cells=subject.where(role), role=role + subject.suffix, **says)
    logits = masked_with(given["masked"] if given["masked"] is not None else given.base, keep)
    mended = {
        "masked": lambda: masked_with(given["masked"], keep, -1e9),
        "exp": lambda: given.exps(logits, None if logits is None else logits.max(axis=1)),
        "weights": lambda: given.softmax(logits),
    }[role]()
    yield subject.finding(role, cause, message, mended)


def _unused(subject: Subject) -> Padding | None:
    """What a mask on the sheet would hide that nothing of the attention uses."""
    mask = subject.given["mask"]
    if mask is None or subject.head.mask is not None:
        return None
    weights = subject.given["weights"]
    alike_for_all = weights is not None and mask.shape == weights.shape and bool((mask == mask[0]).all())
    line = mask[0] if alike_for_all else mask.ravel()
    if weights is None or line.size != weights.shape[1]:
        return None
    hidden = tuple(int(k) for k in np.flatnonzero(line == 0.0 if set(line) <= {0.0, 1.0} else line < FILLERS))
    return Padding(hidden, subject.given.matrices.places["mask"].rect.a1, True)


def _idle_masked(subject: Subject) -> Place | None:
    """A block of masked scores that exists and that nothing reads."""
    places, plan = subject.given.matrices.places, subject.sheets.plan
    scores = places.get("scaled") or places.get("scores")
    if scores is None or "masked" in places:
        return None
    taken = {index for place in places.values() for index in place.steps}
    for step in plan.steps:
        rect = step.block.cells
        reads = {read.rect for read in step.reads if read.sheet == scores.sheet}
        if step.index in taken or rect.shape != scores.rect.shape or scores.rect not in reads or len(reads) < 2:
            continue
        read = any(r.sheet == step.block.sheet and r.rect.intersection(rect) for s in plan.steps for r in s.reads)
        if not read and step.block.sheet == scores.sheet:
            return Place(step.block.sheet, rect)
    return None


STRUCTURE: tuple[Row, ...] = (missing_transpose, swapped_operands, wrong_projection, other_values, mask_missing)


def _all(place: Place) -> frozenset[tuple[int, int, int]]:
    return frozenset((place.sheet, row, column) for row, column in place.cells())


def _laid_like(cells: Cells, rect: Rect) -> Cells:
    """The cells of a copy in the order of its source."""
    rows = [row for line in cells for row, _ in line]
    columns = [column for line in cells for _, column in line]
    down, right = rect.top - min(rows), rect.left - min(columns)
    return tuple(tuple((row + down, column + right) for row, column in line) for line in cells)


_NAMED = re.compile(r"W\s*[_^{(\s]*\s*([qkv])(?![a-z])|(query|key|value)|(查询|键|值)", re.IGNORECASE)
_LETTERS = {"query": "Q", "key": "K", "value": "V", "查询": "Q", "键": "K", "值": "V"}


def _letter(label: str | None) -> str | None:
    """Q, K or V, as a label of a matrix of weights says; "Q = X·W_q" is no such label."""
    found = None if label is None or "=" in label else _NAMED.search(label)
    if found is None:
        return None
    return found[1].upper() if found[1] else _LETTERS[(found[2] or found[3]).lower()]


def _label_of(subject: Subject, place: Place) -> str | None:
    """The nearest text above or left of a rectangle's corner that names Q, K or V."""
    grid, rect = subject.sheets.grid, place.rect
    plane = grid.sheets[place.sheet].cached
    near = sorted(((up, left) for up in range(6) for left in range(3) if up or left), key=sum)
    for up, left in near:
        row, column = rect.top - up, rect.left - left
        if row < 0 or column < 0:
            continue
        number, kind = plane.get(row, column)
        if kind == TEXT and _letter(grid.texts[number]) is not None:
            return grid.texts[number]
    return None


def _meant_matrix(subject: Subject, role: str, like: Place) -> Maybe:
    """The matrix of weights that no formula reads and whose label names the role, shape as ``like``."""
    grid, plan = subject.sheets.grid, subject.sheets.plan
    plane = grid.sheets[like.sheet].cached
    height, width = like.rect.shape
    for row, column in plane.rect.cells():
        number, kind = plane.get(row, column)
        if kind != TEXT or _letter(grid.texts[number]) != role or "W" not in grid.texts[number].upper():
            continue
        for down in range(6):
            for right in range(3):
                rect = Rect(row + down, column + right, row + down + height, column + right + width)
                if not (down or right) or not (plane.read(rect)[1] == NUMBER).all():
                    continue
                read = any(r.sheet == like.sheet and r.rect.intersection(rect) for s in plan.steps for r in s.reads)
                if not read and not any(s.block.cells.intersection(rect) for s in plan.steps):
                    found = Place(like.sheet, rect, transposed=like.transposed)
                    cells = cells_of(f"W_{role.lower()}", found, subject.attention.orientation)
                    return subject.sheets.stored(like.sheet, cells)
    return None


def _unused_projection(subject: Subject) -> Maybe:
    """X·W that stands on the sheet and plays no role: the values that the output should have mixed."""
    given, plan = subject.given, subject.sheets.plan
    tokens = given.matrices.places.get("X_kv") or given.matrices.places.get("X")
    output = given["output"]
    if tokens is None or output is None:
        return None
    taken = {index for place in given.matrices.places.values() for index in place.steps}
    for step in plan.steps:
        reads = [read.rect for read in step.reads if read.sheet == tokens.sheet]
        if step.index in taken or len(reads) != 2 or tokens.rect not in reads:
            continue
        place = Place(step.block.sheet, step.block.cells)
        values: Floats = subject.sheets.stored(place.sheet, cells_of("V", place, subject.attention.orientation))
        if values.shape == (given["weights"].shape[1], output.shape[1]):  # type: ignore[union-attr]
            return values
    return None
