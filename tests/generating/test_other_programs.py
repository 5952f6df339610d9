"""LibreOffice, IronCalc and formulon recalculate generated lessons from nothing and find the stored numbers.

Tolerance: 1e-12 for LibreOffice, whose sums run in another order; the other two add as Excel does, to the same bits.
LibreOffice 7.4 lacks the functions of spilled ranges and LAMBDA; formulon and IronCalc have them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.generating.reading_back import by_libreoffice, laid_blocks, without_results
from xlsx_attention.generating.workbooks import lessons, workbook_bytes
from xlsx_attention.model.example import ExampleSpec

CELLS = [
    {},
    {"style": "mmult", "heads": 2, "bias": True, "w_o": True, "lessons": ("attention", "cross")},
    {"layout": "columns", "mask": "both", "heads": 2, "w_o": True, "embedding": True},
    {"layout": "columns", "style": "mmult", "mask": "causal", "bias": True},
]
SPILLS = [{"style": "spill", "bias": True}, {"style": "lambda", "layout": "columns", "heads": 2}]


def spec_of(options: dict[str, Any]) -> ExampleSpec:
    return ExampleSpec(**{"length": 4, "d_model": 4, "seed": 5, **options})


@pytest.mark.parametrize("options", CELLS, ids=str)
def test_libreoffice_gives_the_stored_numbers(soffice: str, tmp_path: Path, options: dict[str, Any]) -> None:
    spec = spec_of(options)
    found = lessons(spec)
    book = by_libreoffice(soffice, workbook_bytes(spec, found), tmp_path)
    for drawn in found:
        sheet = book[drawn.lesson.sheet]
        for key, top, left, values in laid_blocks(drawn):
            got = [sheet.cell(top + i + 1, left + j + 1).value for i, j in np.ndindex(values.shape)]
            np.testing.assert_allclose(np.array(got, float), values.ravel(), rtol=1e-12, atol=1e-12, err_msg=key)


@pytest.mark.parametrize("options", CELLS + SPILLS, ids=str)
def test_ironcalc_gives_the_same_bits(tmp_path: Path, options: dict[str, Any]) -> None:
    ironcalc = pytest.importorskip("ironcalc")
    spec = spec_of(options)
    found = lessons(spec)
    path = tmp_path / "in.xlsx"
    path.write_bytes(without_results(workbook_bytes(spec, found), b"<v>7</v>"))
    model = ironcalc.load_from_xlsx(str(path), "en", "UTC", "en")
    model.evaluate()
    for number, drawn in enumerate(found):
        for key, top, left, values in laid_blocks(drawn):
            for i, j in np.ndindex(values.shape):
                assert model.get_cell_value(number, top + i + 1, left + j + 1) == values[i, j], (key, i, j)


@pytest.mark.parametrize("options", CELLS + SPILLS, ids=str)
def test_formulon_gives_the_same_bits(options: dict[str, Any]) -> None:
    formulon = pytest.importorskip("formulon")
    spec = spec_of(options)
    found = lessons(spec)
    book = formulon.Workbook.load(without_results(workbook_bytes(spec, found), b"<v>7</v>"))
    book.recalc()
    for number, drawn in enumerate(found):
        for key, top, left, values in laid_blocks(drawn):
            for i, j in np.ndindex(values.shape):
                assert book.get_value(number, top + i, left + j).number == values[i, j], (key, i, j)
