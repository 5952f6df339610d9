"""Where the key's cells stand in a submission: in their places, or where rows, columns or whole blocks were moved to.

A block is looked for in its own place first. It stands there when its labels do, or when the same formula fills just
these cells, or its role does: another sentence changes the labels and nothing else. Only where neither is so is it
looked for by inserted rows and columns, by its role in attention, by its header, and by its formula and shape, in this
order.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from xlsx_attention.batch.grading.books import Book, Place, Region
from xlsx_attention.model.address import Rect
from xlsx_attention.model.values import EMPTY

#: Cells above and to the left of a block in which its headers are looked for.
REACH = 3
#: Headers that speak for a block.
HEADERS = 4


@dataclass(frozen=True, slots=True)
class Placement:
    """``rows`` and ``columns`` are the submission's, one for each of the region's; ``how`` says by what it was
    found.
    """

    sheet: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    how: str
    detail: str = ""

    def at(self, region: Region, row: int, column: int) -> Place:
        return self.rows[row - region.rect.top], self.columns[column - region.rect.left]

    def cells(self) -> Iterator[tuple[int, int, int]]:
        return ((self.sheet, row, column) for row in self.rows for column in self.columns)

    @property
    def rect(self) -> Rect:
        return Rect(min(self.rows), min(self.columns), max(self.rows) + 1, max(self.columns) + 1)


@dataclass(slots=True)
class SheetPair:
    """A sheet of the key and the submission's; ``rows``/``columns`` give each of the key's lines its offset, by
    anchors.
    """

    key: int
    own: int
    how: str
    rows: list[tuple[int, int]] = field(default_factory=list)
    columns: list[tuple[int, int]] = field(default_factory=list)


def pair_sheets(key: Book, own: Book) -> dict[int, SheetPair]:
    """By name; then by the texts they share; the only two sheets of two workbooks belong together anyhow."""
    pairs: dict[int, SheetPair] = {}
    names = {sheet.name.casefold(): sheet.index for sheet in own.grid.sheets}
    for sheet in key.grid.sheets:
        index = names.get(sheet.name.casefold())
        if index is not None:
            pairs[sheet.index] = SheetPair(sheet.index, index, "name")
    free = [sheet.index for sheet in own.grid.sheets if sheet.index not in {pair.own for pair in pairs.values()}]
    for sheet in key.grid.sheets:
        if sheet.index in pairs or not free or not key.steps_at[sheet.index]:
            continue
        wanted = set(key.texts[sheet.index].values())
        best = max(free, key=lambda index: (len(wanted & set(own.texts[index].values())), -index))
        shared = len(wanted & set(own.texts[best].values()))
        if (wanted and 2 * shared >= len(wanted)) or len(key.grid.sheets) == len(own.grid.sheets) == 1:
            pairs[sheet.index] = SheetPair(sheet.index, best, "labels")
            free.remove(best)
    for pair in pairs.values():
        theirs, mine = key.texts[pair.key], own.texts[pair.own]
        pair.rows = _anchors(_lines(theirs, 0), _lines(mine, 0))
        pair.columns = _anchors(_lines(theirs, 1), _lines(mine, 1))
    return pairs


def _lines(texts: Mapping[Place, str], axis: int) -> list[tuple[int, tuple[str, ...]]]:
    """Row (or column) numbers with the labels on them, in order."""
    lines: dict[int, list[tuple[int, str]]] = {}
    for place, text in texts.items():
        lines.setdefault(place[axis], []).append((place[1 - axis], text))
    return [(line, tuple(text for _, text in sorted(found))) for line, found in sorted(lines.items())]


def _anchors(key: list[tuple[int, tuple[str, ...]]], own: list[tuple[int, tuple[str, ...]]]) -> list[tuple[int, int]]:
    """(line of the key, offset) for lines with the same labels, in one order on both sheets.

    Labels that stand on more lines of one sheet than of the other are no evidence: which of them belong together is
    unknown (a shorter sentence has more padding).
    """
    counts = [Counter(labels for _, labels in lines) for lines in (key, own)]
    key, own = ([line for line in lines if counts[0][line[1]] == counts[1][line[1]]] for lines in (key, own))
    matcher = difflib.SequenceMatcher(
        None, [labels for _, labels in key], [labels for _, labels in own], autojunk=False
    )
    return [
        (key[match.a + step][0], own[match.b + step][0] - key[match.a + step][0])
        for match in matcher.get_matching_blocks()
        for step in range(match.size)
    ]


def place_all(regions: Iterable[Region], key: Book, own: Book) -> tuple[dict[int, SheetPair], dict[Region, Placement]]:
    """Pairs of sheets, and where each region stands in the submission; a region whose sheet is not there is left out.

    What stands in its own place is settled first, so that nothing that was moved is looked for on its cells.
    """
    pairs = pair_sheets(key, own)
    placed: dict[Region, Placement] = {}
    headers = {region: list(headers_of(region, key)) for region in regions}
    taken: set[tuple[int, int, int]] = set()
    for looks in ((_in_place,), LOOKS):
        for region, labels in headers.items():
            pair = pairs.get(region.sheet)
            if pair is None or region in placed:
                continue
            for look in looks:
                found = look(region, key, own, pair, labels)
                if found is not None and taken.isdisjoint(found.cells()):
                    placed[region] = found
                    taken.update(found.cells())
                    break
    for region in headers:
        pair = pairs.get(region.sheet)
        if pair is not None and region not in placed:
            stay = _same(region, pair, "place")
            assert stay is not None
            placed[region] = stay
    return pairs, placed


Header = tuple[int, int, str]
Look = Callable[[Region, Book, Book, SheetPair, list[Header]], Placement | None]


def headers_of(region: Region, key: Book) -> Iterator[Header]:
    """Labels near a region, the nearest first: (row, column, text)."""
    rect, texts = region.rect, key.texts[region.sheet]
    found = [
        (distance, row, column, texts[row, column])
        for distance in range(1, REACH + 1)
        for row, column in (
            *((rect.top - distance, column) for column in range(rect.left, rect.right)),
            *((row, rect.left - distance) for row in range(rect.top, rect.bottom)),
            (rect.top - distance, rect.left - 1),
        )
        if (row, column) in texts
    ]
    for _, row, column, text in sorted(found)[:HEADERS]:
        yield row, column, text


def _same(
    region: Region, pair: SheetPair, how: str, rows: int = 0, columns: int = 0, detail: str = ""
) -> Placement | None:
    rect = region.rect.shifted(rows, columns)
    if rect.top < 0 or rect.left < 0:
        return None
    return Placement(pair.own, tuple(range(rect.top, rect.bottom)), tuple(range(rect.left, rect.right)), how, detail)


def _filled(own: Book, placement: Placement) -> int:
    """Cells there that hold anything but a label."""
    plane, labels = own.values[placement.sheet], own.texts[placement.sheet]
    return sum(
        plane.get(row, column)[1] != EMPTY and (row, column) not in labels
        for row in placement.rows
        for column in placement.columns
    )


def _in_place(region: Region, key: Book, own: Book, pair: SheetPair, headers: list[Header]) -> Placement | None:
    texts = own.texts[pair.own]
    here = _same(region, pair, "place")
    if here is None:
        return None
    if headers:
        # One label that a student reworded does not move a block.
        fitting = sum(texts.get((row, column)) == text for row, column, text in headers)
        if 2 * fitting >= len(headers):
            return here
        if not _stands(region, key, own, here):
            return None
        # Of two blocks alike, one under the other, the labels say which is which.
        elsewhere = _inserted(region, key, own, pair, headers)
        return None if elsewhere is not None and _stands(region, key, own, elsewhere) else here
    moved = any(offset for _, offset in (*pair.rows, *pair.columns))
    return here if not moved or (_own_offset(region, pair) == (0, 0) and _filled(own, here)) else None


def _stands(region: Region, key: Book, own: Book, placement: Placement) -> bool:
    """Whether the step's formula fills just these cells of the submission, or they play its role."""
    if region.step is None:
        return False
    role = key.roles.get((region.sheet, region.rect))
    if role is not None and own.roles.get((placement.sheet, placement.rect)) == role:
        return True
    block = region.step.block
    found = own.steps_at[placement.sheet].get((placement.rect.top, placement.rect.left))
    return found is not None and found.block.cells == placement.rect and found.block.form.r1c1 == block.form.r1c1


def _own_offset(region: Region, pair: SheetPair) -> tuple[int, int]:
    return _before(pair.rows, region.rect.top), _before(pair.columns, region.rect.left)


def _before(anchors: list[tuple[int, int]], line: int) -> int:
    return next((offset for at, offset in reversed(anchors) if at <= line), 0)


def _after(anchors: list[tuple[int, int]], line: int) -> int:
    return next((offset for at, offset in anchors if at >= line), _before(anchors, line))


def _inserted(region: Region, key: Book, own: Book, pair: SheetPair, headers: list[Header]) -> Placement | None:
    """By the lines whose labels are the same on both sheets; a line between two of them goes with either."""
    rect, best = region.rect, None
    for rows_by in (_before, _after):
        for columns_by in (_before, _after):
            rows = tuple(row + rows_by(pair.rows, row) for row in range(rect.top, rect.bottom))
            columns = tuple(column + columns_by(pair.columns, column) for column in range(rect.left, rect.right))
            if min(rows) < 0 or min(columns) < 0 or (rows[0], columns[0]) == (rect.top, rect.left):
                continue
            detail = _say_offsets(rows[0] - rect.top, columns[0] - rect.left)
            found = Placement(pair.own, rows, columns, "inserted", detail)
            score = _filled(own, found)
            if score and (best is None or score > best[0]):
                best = (score, found)
    return None if best is None else best[1]


def _say_offsets(rows: int, columns: int) -> str:
    parts = []
    for number, name in ((rows, "row"), (columns, "column")):
        if number:
            plural = "s" if abs(number) > 1 else ""
            parts.append(f"{abs(number)} {name}{plural} {'inserted' if number > 0 else 'removed'} before it")
    return " and ".join(parts)


def _by_role(region: Region, key: Book, own: Book, pair: SheetPair, headers: list[Header]) -> Placement | None:
    role = key.roles.get((region.sheet, region.rect))
    if role is None:
        return None
    for (sheet, rect), name in own.roles.items():
        if name == role and rect.shape == region.rect.shape:
            return Placement(
                sheet, tuple(range(rect.top, rect.bottom)), tuple(range(rect.left, rect.right)), "role", f"role {role}"
            )
    return None


def _by_header(region: Region, key: Book, own: Book, pair: SheetPair, headers: list[Header]) -> Placement | None:
    """Where most of its headers stand around it in the same way, and the submission holds something."""
    votes: dict[tuple[int, int], list[str]] = {}
    once = [Counter(book.texts[sheet].values()) for book, sheet in ((key, pair.key), (own, pair.own))]
    for row, column, text in headers:
        if any(count[text] != 1 for count in once):
            continue  # a label that stands in several places points to none
        for (own_row, own_column), other in own.texts[pair.own].items():
            if other == text:
                votes.setdefault((own_row - row, own_column - column), []).append(text)
    for (rows, columns), texts in sorted(votes.items(), key=lambda item: (-len(item[1]), item[0])):
        found = _same(region, pair, "header", rows, columns, f"header {texts[0]!r}")
        if found is not None and (rows, columns) != (0, 0) and _filled(own, found):
            return found
    return None


def _by_shape(region: Region, key: Book, own: Book, pair: SheetPair, headers: list[Header]) -> Placement | None:
    """The only block of the same formula and shape that does not stand in its key's place."""
    if region.step is None:
        return None
    form, shape = region.step.block.form.r1c1, region.rect.shape
    alike = [step for step in own.plan.steps if step.block.form.r1c1 == form and step.block.cells.shape == shape]
    in_key = [step for step in key.plan.steps if step.block.form.r1c1 == form and step.block.cells.shape == shape]
    if len(alike) != 1 or len(in_key) != 1:
        return None
    rect = alike[0].block.cells
    return Placement(
        alike[0].block.sheet,
        tuple(range(rect.top, rect.bottom)),
        tuple(range(rect.left, rect.right)),
        "shape",
        f"the same formula on {rect.height} × {rect.width} cells",
    )


LOOKS: tuple[Look, ...] = (_inserted, _by_role, _by_header, _by_shape)
