"""Every cell that does not simply agree, one a row, in a table that sorts and filters."""

from __future__ import annotations

from typing import Final

from xlsx_attention.model.report import CellResult
from xlsx_attention.reporting.comparison.book import Book, link, put
from xlsx_attention.reporting.facts import ACCUSED, difference
from xlsx_attention.reporting.words import cause_words, verdict_words
from xlsx_attention.writing import AttentionSheet

#: Column: its word, its width.
_COLUMNS: Final = (
    ("sheet-name", 16),
    ("cell", 9),
    ("role", 14),
    ("verdict", 14),
    ("cause", 34),
    ("instructor", 14),
    ("from-precedents", 18),
    ("from-inputs", 18),
    ("difference", 12),
    ("begins-at", 14),
    ("formula-head", 40),
    ("expected-formula", 40),
    ("numpy", 40),
)


def write_divergences(book: Book) -> None:
    """The sheet Divergences; origins are never left out before inherited cells."""
    cells = list(book.report.cells)
    total = len(cells)
    if total > book.limits.rows:
        cells = sorted(cells, key=lambda c: c.verdict not in ACCUSED)[: book.limits.rows]
        book.said.append(book.say("cut-divergences", shown=f"{len(cells):,}", total=f"{total:,}"))
    target = book.add_sheet(book.own["divergences"], taken=True)
    for column, (_, width) in enumerate(_COLUMNS):
        target.set_column(column, column, width)
    target.freeze_panes(1, 2)
    target.set_landscape()
    target.set_paper(9)
    target.fit_to_pages(1, 0)
    target.repeat_rows(0)
    if not cells:
        target.set_column(0, 0, 40)
        target.write_text(0, 0, book.say("no-divergence"), book.format(bold=True))
        return
    heads = [book.say(word) for word, _ in _COLUMNS]
    target.add_table(
        0,
        0,
        len(cells),
        len(heads) - 1,
        {
            "name": "Divergences",
            "style": "Table Style Light 1",
            "banded_rows": False,
            "columns": [{"header": head} for head in heads],
        },
    )
    by_name = {sheet.name: sheet.index for sheet in book.report.sheets}
    for row, cell in enumerate(cells, 1):
        _row(book, row, cell, by_name, target)


def _row(book: Book, row: int, cell: CellResult, by_name: dict[str, int], target: AttentionSheet) -> None:
    fill = book.cell_format(cell.verdict)
    plain = book.format()
    linked = book.format(font_color="#0563C1", underline=1)
    mirror = book.mirrors[cell.sheet]
    target.write_text(row, 0, mirror, plain)
    link(target, row, 1, mirror, cell.cell, cell.cell, linked)
    target.write_text(row, 2, cell.role, plain)
    target.write_text(row, 3, verdict_words(cell.verdict, book.language), fill)
    target.write_text(row, 4, cause_words(cell.cause, book.language) if cell.cause else "", plain)
    for column, value in ((5, cell.cached), (6, cell.from_precedents), (7, cell.from_inputs)):
        put(target, row, column, value, plain)
    off = difference(cell.cached, cell.from_inputs)
    if off is not None:
        target.write_number17(row, 8, off, book.format(num_format="0.0E+00"))
    if cell.origins:
        name, mark, at = cell.origins[0].rpartition("!")
        sheet = by_name.get(name) if mark else cell.sheet
        text = " ".join(cell.origins)
        if sheet is None:
            target.write_text(row, 9, text, plain)
        else:
            link(target, row, 9, book.mirrors[sheet], at, text[:255], linked)
    for column, text in ((10, cell.formula), (11, cell.expected), (12, cell.numpy)):
        target.write_text(row, column, text, plain)
