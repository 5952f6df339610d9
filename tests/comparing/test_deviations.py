"""Layer norms beside an attention: which deviation they divide by, and when that is a slip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xlsxwriter

from xlsx_attention.model.report import FileReport
from xlsx_attention.pipeline import verify_file

X = np.array([[0.5, -1.0, 2.0, 0.25], [1.5, 0.5, -0.75, 1.0], [-0.5, 1.25, 0.75, -2.0]])


def verified(path: Path, functions: list[str], labels: list[str]) -> FileReport:
    """X in A2:D4, and a layer norm of its rows for each function, one below the other."""
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    for i, line in enumerate(X):
        for j, number in enumerate(line):
            sheet.write_number(1 + i, j, number)
    for block, (function, label) in enumerate(zip(functions, labels, strict=True)):
        top = 6 + 5 * block
        sheet.write_string(top - 1, 0, label)
        spread = X.std(axis=1, ddof=1 if function in ("STDEV", "STDEV.S") else 0, keepdims=True)
        normed = (X - X.mean(axis=1, keepdims=True)) / spread
        stored = "_xlfn." + function if "." in function else function
        for i in range(3):
            for j in range(4):
                row = f"$A{i + 2}:$D{i + 2}"
                formula = f"=({'ABCD'[j]}{i + 2}-AVERAGE({row}))/{stored}({row})"
                sheet.write_formula(top + i, j, formula, None, float(normed[i, j]))
    book.close()
    return verify_file(path)


# The definition (Ba, Kiros, Hinton, "Layer Normalization", 2016, equation 3) divides the squares by H: the
# population's.
@pytest.mark.parametrize(
    ("functions", "labels", "blamed"),
    [
        (["STDEV.P", "STDEV.P"], ["layer norm 1", "layer norm 2"], []),
        (["STDEV.S", "STDEV.S"], ["layer norm 1", "layer norm 2"], []),
        (["STDEV.P", "STDEV"], ["layer norm 1", "layer norm 2"], ["A12:D14"]),
        (["STDEV.S"], ["layer norm, population deviation"], ["A7:D9"]),
        (["STDEV.P"], ["层归一化（样本标准差）"], ["A7:D9"]),
        (["STDEV.S"], ["层归一化（样本标准差）"], []),
    ],
)
def test_a_deviation_is_a_slip_where_the_sheet_mixes_or_says_otherwise(
    tmp_path: Path, functions: list[str], labels: list[str], blamed: list[str]
) -> None:
    report = verified(tmp_path / "norm.xlsx", functions, labels)
    assert [step.kind for step in report.attention.others] == ["layer norm"] * len(functions)
    assert report.counts["agrees"] == report.computed == 12 * len(functions)
    assert [(f.rect.a1, f.cause) for f in report.findings] == [(where, "population-or-sample") for where in blamed]
    for finding in report.findings:
        assert finding.mended is not None
        wanted = 0 if functions[-1] != "STDEV.P" else 1
        normed = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, ddof=wanted, keepdims=True)
        assert np.allclose(finding.mended, normed, rtol=1e-12)
