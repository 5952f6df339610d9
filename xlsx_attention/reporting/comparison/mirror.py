"""A mirror of each sheet: the instructor's values where they stand, filled by verdict, with a note on each computed
cell.
"""

from __future__ import annotations

from xlsx_attention.model.address import MAX_COLUMNS, Rect
from xlsx_attention.model.report import VERDICTS, SheetResult
from xlsx_attention.model.values import EMPTY, TEXT
from xlsx_attention.reporting.comparison.book import BOTTOM, LEFT, RIGHT, TOP, Book, put, set_widths
from xlsx_attention.reporting.facts import ACCUSED, BAD, SheetFacts, bad_count
from xlsx_attention.reporting.notes import AUTHOR, NOTE_WIDTH, note_height, note_text
from xlsx_attention.reporting.palette import VERDICT_SHADES
from xlsx_attention.reporting.safe import visible
from xlsx_attention.reporting.words import verdict_words
from xlsx_attention.writing import AttentionSheet

Cell = tuple[int, int]


def write_mirrors(book: Book) -> None:
    """One mirror a sheet; notes are given out over all sheets together, diverging cells first."""
    cut = book.filled > book.limits.mirror
    if cut:
        book.said.append(book.say("cut-mirror", cells=f"{book.filled:,}", limit=f"{book.limits.mirror:,}"))
    shown = {sheet.index: _shown(book, sheet, cut) for sheet in book.report.sheets}
    noted = _noted(book, shown)
    for sheet in book.report.sheets:
        _write(book, sheet, shown[sheet.index], noted[sheet.index])


def _shown(book: Book, sheet: SheetResult, cut: bool) -> list[Cell]:
    facts = book.facts[sheet.index]
    if not cut:
        return facts.filled()
    limit = book.limits.mirror
    # Accused cells first; then whole blocks that diverge, as far as they fit; then what diverges in the others.
    cells = {at for at, result in facts.special.items() if result.verdict in ACCUSED}
    for block in sheet.blocks:
        if bad_count(dict(block.counts)) and len(cells) + block.rect.size <= limit:
            cells.update(block.rect.cells())
    for at, result in facts.special.items():
        if len(cells) >= limit:
            break
        if result.verdict in BAD:
            cells.add(at)
    return sorted(cells)


def _noted(book: Book, shown: dict[int, list[Cell]]) -> dict[int, set[Cell]]:
    computed = {
        index: [at for at in cells if book.facts[index].sheet.verdict(*at) is not None]
        for index, cells in shown.items()
    }
    total = sum(map(len, computed.values()))
    if total <= book.limits.notes:
        return {index: set(cells) for index, cells in computed.items()}
    left = book.limits.notes
    noted: dict[int, set[Cell]] = {index: set() for index in computed}
    for wanted in (ACCUSED, BAD, VERDICTS):
        for index, cells in computed.items():
            facts = book.facts[index]
            for at in cells:
                if left and at not in noted[index] and facts.sheet.verdict(*at) in wanted:
                    noted[index].add(at)
                    left -= 1
    book.said.append(book.say("cut-notes", count=f"{book.limits.notes:,}"))
    return noted


def _write(book: Book, sheet: SheetResult, cells: list[Cell], noted: set[Cell]) -> None:
    facts = book.facts[sheet.index]
    target = book.add_sheet(book.mirrors[sheet.index], taken=True)
    target.hide_gridlines(1)
    set_widths(target, facts.source.column_widths)
    edges = _outlines(facts)
    for row, column in cells:
        verdict = sheet.verdict(row, column)
        style = book.cell_format(verdict, facts.number_format(row, column), edges.get((row, column), 0))
        put(target, row, column, facts.cached(row, column), style)
        if (row, column) in noted:
            text = note_text(facts, row, column, book.language)
            target.write_comment(row, column, text, _note_options(text))
    _labels(book, facts, target, set(cells))
    _header(book, facts, target)
    target.freeze_panes(1, 0)
    target.set_landscape()
    target.set_paper(9)
    target.fit_to_pages(1, 0)


def _outlines(facts: SheetFacts) -> dict[Cell, int]:
    """Which edges of which cells lie on the outline of a block with a role."""
    edges: dict[Cell, int] = {}
    for rect, _ in facts.roles:
        for column in range(rect.left, rect.right):
            edges[rect.top, column] = edges.get((rect.top, column), 0) | TOP
            edges[rect.bottom - 1, column] = edges.get((rect.bottom - 1, column), 0) | BOTTOM
        for row in range(rect.top, rect.bottom):
            edges[row, rect.left] = edges.get((row, rect.left), 0) | LEFT
            edges[row, rect.right - 1] = edges.get((row, rect.right - 1), 0) | RIGHT
    return edges


def _labels(book: Book, facts: SheetFacts, target: AttentionSheet, taken: set[Cell]) -> None:
    """``scores 4 × 4`` above each block with a role, or left of it, where the sheet has room."""
    style = book.format(italic=True, font_size=8, font_color="#404040")
    for rect, role in facts.roles:
        text = f"{role} {rect.height} × {rect.width}"
        for row, column in ((rect.top - 1, rect.left), (rect.bottom, rect.left), (rect.top, rect.right)):
            free = row > 0 and (row, column) not in taken and facts.cached(row, column).kind == EMPTY
            if free and not _runs_over(facts, row, column):
                taken.add((row, column))
                target.write_text(row, column, text, style)
                break


def _runs_over(facts: SheetFacts, row: int, column: int) -> bool:
    """Whether a text further left may be shown across this empty cell, which a label would cut off."""
    for left in range(column - 1, max(-1, column - 12), -1):
        value = facts.cached(row, left)
        if value.kind != EMPTY:
            return value.kind == TEXT and len(value.text) > 6 * (column - left)
    return False


def _header(book: Book, facts: SheetFacts, target: AttentionSheet) -> None:
    """The frozen first row says what the sheet is, where the sheet itself leaves it empty; the legend stands at the
    right.
    """
    sheet = facts.sheet
    used = facts.source.cached.rect
    if not used.size or used.top > 0 or bool((facts.source.cached.read(Rect(0, 0, 1, used.right))[1] == EMPTY).all()):
        text = book.say(
            "mirror-head",
            name=visible(sheet.name, 40),
            agrees=sheet.counts.get("agrees", 0),
            computed=sum(sheet.counts.values()),
        )
        target.write_text(0, 0, text, book.format(bold=True))
    column = used.right + 1
    if column + 1 >= MAX_COLUMNS:
        return
    row = max(1, used.top)
    target.set_column(column, column, 24)
    target.write_text(row, column, book.say("legend"), book.format(bold=True))
    for verdict in VERDICTS:
        if sheet.counts.get(verdict):
            row += 1
            text = f"{VERDICT_SHADES[verdict].sign} {verdict_words(verdict, book.language)}"
            target.write_text(row, column, text, book.cell_format(verdict))
    target.write_text(row + 1, column, book.say("input"), book.format())


def _note_options(text: str) -> dict[str, object]:
    return {"author": AUTHOR, "width": NOTE_WIDTH, "height": note_height(text), "font_size": 9, "color": "#FFFFE1"}
