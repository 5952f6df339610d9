"""Figures that a text prints, against the recomputation at their printed precision."""

from __future__ import annotations

import math

from xlsx_attention.reporting.comparison.book import Book
from xlsx_attention.reporting.palette import OFF


def write_published(book: Book) -> None:
    """The sheet Published, where there are such figures; the difference is a live formula."""
    figures = book.report.published
    if not figures:
        return
    target = book.add_sheet(book.own["published"], taken=True)
    heads = ("step", "row", "column", "printed", "decimals", "recomputed", "difference", "cell", "status")
    for column, head in enumerate(heads):
        align = "left" if head in ("step", "cell", "status") else "right"
        target.write_text(0, column, book.say(head), book.format(bold=True, bottom=1, align=align))
    target.set_column(0, len(heads) - 1, 13)
    target.freeze_panes(1, 0)
    target.set_landscape()
    target.set_paper(9)
    target.fit_to_pages(1, 0)
    plain, indented = book.format(), book.format(indent=1)
    for row, figure in enumerate(figures, 1):
        target.write_text(row, 0, figure.step, plain)
        target.write_number17(row, 1, figure.row, plain)
        target.write_number17(row, 2, figure.column, plain)
        printed = book.format(num_format="0." + "0" * figure.decimals if figure.decimals else "0")
        target.write_number17(row, 3, figure.printed, printed)
        target.write_number17(row, 4, figure.decimals, plain)
        if math.isfinite(figure.recomputed):
            target.write_number17(row, 5, figure.recomputed, plain)
            off = figure.printed - figure.recomputed
            target.write_formula_cached(row, 6, f"D{row + 1}-F{row + 1}", book.format(num_format="0.0E+00"), off)
        target.write_text(row, 7, figure.cell, indented)
        mark = plain if figure.agrees else book.format(bg_color=OFF)
        target.write_text(row, 8, book.say("yes" if figure.agrees else "no"), mark)
