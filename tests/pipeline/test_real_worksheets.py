"""Real workbooks, as their authors saved them, through the whole tool."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlsx_attention.model.published import Published
from xlsx_attention.model.report import VERDICTS
from xlsx_attention.pipeline import Options, verify, verify_file

# Computed cells counted in the files' XML: formula cells and members of array ranges.
ALL_AGREE = {"Self-Attention": 1552, "Softmax": 92, "Backpropgation": 126, "LeakyReLU": 68, "Temperature": 257}


@pytest.mark.parametrize(("name", "cells"), ALL_AGREE.items())
def test_every_computed_cell_of_a_lesson_agrees_to_the_last_bit(corpus: Path, name: str, cells: int) -> None:
    report = verify_file(corpus / "ai-by-hand" / f"{name}.xlsx")
    assert report.counts == {verdict: cells if verdict == "agrees" else 0 for verdict in VERDICTS}
    assert report.bit_equal == cells
    assert report.ok
    assert not report.cells
    assert not report.findings


def test_the_course_workbook_and_every_figure_that_the_course_prints(project: Path) -> None:
    published = Published.load(project / "workbooks" / "course-published.json")
    report = verify_file(project / "workbooks" / "course-self-attention.xlsx", Options(), published)
    assert report.ok
    assert report.counts["agrees"] == report.computed == report.bit_equal
    assert [figure for figure in report.published if not figure.agrees] == []
    # The course prints 53 figures; so many numbers stand in course-published.json.
    assert len(report.published) == 53


# As the course article prints them: weights of the first token to three decimals, outputs to two.
WEIGHTS = [0.334, 0.357, 0.309, 0.0, 0.0]
OUTPUT = [0.44, 0.23, 0.09, 0.16]


def test_weights_and_outputs_of_the_course_as_printed(project: Path) -> None:
    report = verify(project / "workbooks" / "course-self-attention.xlsx")
    head = report.attention.attentions[0].heads[0]
    sheet = report.sheets[0]

    def row(role: str, number: int) -> list[float]:
        rect = head.roles[role].rect
        return [sheet.from_inputs.get(rect.top + number, column)[0] for column in range(rect.left, rect.right)]

    assert [round(value, 3) for value in row("weights", 0)] == WEIGHTS
    assert row("weights", 0)[3:] == [0.0, 0.0]
    for token in range(3):
        assert [round(value, 2) for value in row("output", token)[:4]] == OUTPUT


def test_only_the_sheets_asked_for_are_reported(corpus: Path) -> None:
    report = verify(corpus / "ai-by-hand" / "Self-Attention.xlsx", sheets=["Medium"])
    assert [sheet.name for sheet in report.sheets] == ["medium"]
    assert report.computed == 488


def test_an_open_openpyxl_workbook_is_verified_like_its_file(corpus: Path) -> None:
    import openpyxl

    from xlsx_attention.reading import from_openpyxl

    path = corpus / "ai-by-hand" / "Softmax.xlsx"
    grid = from_openpyxl(openpyxl.load_workbook(path), openpyxl.load_workbook(path, data_only=True))
    report = verify(grid)
    assert report.ok
    assert report.computed == 92


def test_the_frame_has_a_row_for_each_computed_cell(corpus: Path) -> None:
    frame = verify(corpus / "ai-by-hand" / "Softmax.xlsx").to_frame()
    assert len(frame) == 92
    assert set(frame["verdict"]) == {"agrees"}
    assert (frame["cached"] == frame["from_inputs"]).all()
