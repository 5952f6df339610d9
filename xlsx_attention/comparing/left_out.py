"""Lines of a step that follow no step: the row of the weights that was never divided, a last row pasted as values.

A head is recognised by the cells that follow its steps. Where a step shows fewer queries than others do, the line that
completes it stands beside it, and holds something else.
"""

from __future__ import annotations

from collections.abc import Iterator

from xlsx_attention.comparing.masks import FILLERS
from xlsx_attention.comparing.sentences import say
from xlsx_attention.comparing.subject import Subject
from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import Finding
from xlsx_attention.model.role import Place
from xlsx_attention.model.values import NUMBER

#: Which steps have a line for each query, for each key, for each feature of the values: ``True`` where that is their
#: first axis (rows where tokens lie in rows), ``False`` where it is their second.
_SQUARE = ("scores", "scaled", "masked", "shifted", "exp", "weights")
AXES: tuple[dict[str, bool], ...] = (
    dict.fromkeys(("Q", *_SQUARE, "row_max", "normaliser", "output"), True),
    {"K": True, "V": True, **dict.fromkeys(_SQUARE, False)},
    {"V": False, "output": False},
)


def left_out(subject: Subject) -> Iterator[Finding]:
    """A finding for each line beside a step that its other lines, and the other steps, show to be missing."""
    for axis in AXES:
        yield from _along(subject, axis)


def _along(subject: Subject, axis: dict[str, bool]) -> Iterator[Finding]:
    in_rows = subject.attention.orientation == "rows"
    places = {role: place for role in axis if (place := _whole(subject, role)) is not None}
    upright = {role: axis[role] == in_rows for role in places}
    # Recognition cuts every step to the lines that go all the way; the formulas of the right ones go on.
    full = {role: _lines(subject, place, upright[role]) for role, place in places.items()}
    lines = max(full.values(), default=0)
    # One longer block may be anything; most steps have a line for every query, or their formulas do.
    if lines < 3 or len(full) < 2 or sum(length == lines for length in full.values()) * 2 < len(full):
        return
    for role, place in places.items():
        missing = lines - full[role]
        if not 0 < missing * 2 <= lines - (len(axis) == 2):
            continue
        for line in _beside(place.rect, missing, upright[role]):
            if _filled(subject, place.sheet, line):
                message = say("line-left-out", cells=line.a1, role=role + subject.suffix, others=place.rect.a1)
                cause = "formula-unlike-its-block" if _computed(subject, place.sheet, line) else "pasted-value"
                yield Finding(place.sheet, line, cause, message, role + subject.suffix)


def _whole(subject: Subject, role: str) -> Place | None:
    place = subject.head.roles.get(role)
    return None if place is None or place.parts or place.transposed or not place.steps else place


def _lines(subject: Subject, place: Place, upright: bool) -> int:
    """How many lines a step has, with those that its formulas fill and recognition has left out."""
    longest = place.rect.height if upright else place.rect.width
    for index in place.steps:
        rect = subject.sheets.plan.steps[index].block.cells
        across = (rect.left, rect.right) if upright else (rect.top, rect.bottom)
        own = (place.rect.left, place.rect.right) if upright else (place.rect.top, place.rect.bottom)
        if across == own:
            whole = rect.union(place.rect)
            longest = max(longest, whole.height if upright else whole.width)
    return longest


def _beside(rect: Rect, lines: int, upright: bool) -> Iterator[Rect]:
    """As many lines after a rectangle, and before it."""
    if upright:
        yield Rect(rect.bottom, rect.left, rect.bottom + lines, rect.right)
        if rect.top >= lines:
            yield Rect(rect.top - lines, rect.left, rect.top, rect.right)
    else:
        yield Rect(rect.top, rect.right, rect.bottom, rect.right + lines)
        if rect.left >= lines:
            yield Rect(rect.top, rect.left - lines, rect.bottom, rect.left)


def _filled(subject: Subject, sheet: int, line: Rect) -> bool:
    """Whether numbers fill a line that no other step lies on. A line of zeros or of −1e9 is padding."""
    number, kind = subject.sheets.grid.sheets[sheet].cached.read(line)
    if (kind != NUMBER).any() or (number == 0.0).all() or (number < FILLERS).all():
        return False
    taken = [
        place
        for group in subject.map.attentions
        for roles in (group.shared, *(head.roles for head in group.heads))
        for place in roles.values()
    ]
    return not any(p.sheet == sheet and any(r.intersection(line) for r in p.rects) for p in taken)


def _computed(subject: Subject, sheet: int, line: Rect) -> bool:
    return any(
        step.block.sheet == sheet and step.block.cells.intersection(line) is not None
        for step in subject.sheets.plan.steps
    )
