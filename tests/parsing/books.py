"""Formula cells for the tests: made by hand, and those of the public workbooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from xlsx_attention.model.address import Rect
from xlsx_attention.model.grid import ArrayFormula, Sheet, WorkbookGrid
from xlsx_attention.model.values import Plane, TextPool
from xlsx_attention.reading import read_workbook


def sheet_of(
    cells: Mapping[tuple[int, int], str],
    index: int = 0,
    arrays: dict[tuple[int, int], ArrayFormula] | None = None,
    shared: dict[tuple[int, int], tuple[int, int]] | None = None,
) -> Sheet:
    """A sheet with these formulas; ``shared`` maps member → master, both as cells."""
    members = shared or {}
    places = sorted([*cells, *members])
    position = {place: at for at, place in enumerate(places)}
    return Sheet(
        f"Sheet{index + 1}",
        index,
        Plane.empty(Rect(0, 0, 1, 1)),
        formula_rows=np.array([row for row, _ in places], np.int32),
        formula_columns=np.array([column for _, column in places], np.int32),
        formula_texts=[cells.get(place, "") for place in places],
        shared={position[member]: position[master] for member, master in members.items()},
        arrays=arrays or {},
    )


def grid_of(*sheets: Sheet) -> WorkbookGrid:
    return WorkbookGrid("book.xlsx", list(sheets), TextPool())


@cache
def corpus_grids(corpus: Path) -> tuple[WorkbookGrid, ...]:
    """Every public workbook, read once for all the tests of this folder."""
    return tuple(read_workbook(path) for path in sorted(corpus.rglob("*.xlsx")))


def stored_texts(sheet: Sheet) -> Iterator[tuple[int, int, str]]:
    """Row, column and text of each formula that the file writes out; members of shared formulas have none."""
    for row, column, text in zip(
        sheet.formula_rows.tolist(), sheet.formula_columns.tolist(), sheet.formula_texts, strict=True
    ):
        if text:
            yield row, column, text
