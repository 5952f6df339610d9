"""Planted mistakes: the tool finds each where the answer sheet says it is, and blames nothing else."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from xlsx_attention import pipeline
from xlsx_attention.errors import UsageError
from xlsx_attention.generating import KINDS, generate
from xlsx_attention.generating.workbooks import lessons
from xlsx_attention.model.example import LAYOUTS, ExampleSpec

#: Kinds that stand in one cell; the others take a whole block.
CELLS = KINDS[: KINDS.index("wrong-scale")]


def answers(path: Path) -> list[dict[str, object]]:
    rows = list(openpyxl.load_workbook(path)["answers"].iter_rows(min_row=3, values_only=True))
    return [dict(zip(map(str, rows[0]), row, strict=True)) for row in rows[1:]]


def made(folder: Path, **fields: object) -> tuple[Path, list[dict[str, object]]]:
    spec = ExampleSpec(**{"length": 5, "d_model": 4, "lang": "en", "tokens": "I love AI", **fields})
    lesson, sheet = generate(spec, folder / "lesson.xlsx")
    return lesson, answers(sheet)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", CELLS)
def test_a_mistake_in_one_cell_is_found_there_with_its_cause(tmp_path: Path, layout: str, kind: str) -> None:
    for seed in range(4):
        lesson, [answer] = made(tmp_path, mistakes=1, kinds=(kind,), seed=seed, layout=layout)
        assert answer["kind"] == kind
        report = pipeline.verify_file(lesson)
        assert not report.ok
        accused = [(cell.cell, cell.cause) for cell in report.cells if cell.verdict in ("origin", "overridden")]
        if kind == "missing-dollar":  # its number is right where it stands
            assert accused == []
            assert [finding.cause for finding in report.findings] == [kind]
        else:
            assert accused == [(answer["cells"], kind)]
        assert {cell.verdict for cell in report.cells} <= {"origin", "overridden", "inherited"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_several_are_all_found_and_no_two_stand_in_one_block(tmp_path: Path, layout: str) -> None:
    kinds = tuple(kind for kind in CELLS if kind != "missing-dollar")
    lesson, rows = made(tmp_path, mistakes=6, kinds=kinds, layout=layout, seed=3)
    assert len(rows) == len({row["step"] for row in rows}) == 6
    accused = {cell.cell: cell.cause for cell in pipeline.verify_file(lesson).cells if cell.verdict == "origin"}
    assert accused == {row["cells"]: row["kind"] for row in rows}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("style", ["cell", "mmult"])
@pytest.mark.parametrize("kind", KINDS[len(CELLS) :])
def test_a_mistake_of_method_follows_its_own_formulas_and_changes_what_comes_out(
    tmp_path: Path, layout: str, style: str, kind: str
) -> None:
    """Each cell agrees with its formula, and the tool, which knows the method, finds the block; the output changes."""
    # Sums over the queries are 0 where a key is hidden, so the wrong axis asks for a lesson without padding.
    fields = {"mask": "none", "tokens": "a b c d"} if kind == "wrong-axis" else {}
    spec = ExampleSpec(length=4, d_model=4, layout=layout, style=style, mistakes=1, kinds=(kind,), lang="en", **fields)
    if style == "cell" and kind in ("missing-transpose", "swapped-operands"):
        # Kᵀ is a block of its own there, and no formula has a TRANSPOSE to lose.
        with pytest.raises(UsageError, match="has room for 0"):
            generate(spec, tmp_path / "lesson.xlsx")
        return
    lesson, sheet = generate(spec, tmp_path / "lesson.xlsx")
    report = pipeline.verify_file(lesson)
    assert {verdict for verdict, count in report.counts.items() if count} == {"agrees"}
    assert {finding.cause for finding in report.findings} == {kind}
    [answer] = answers(sheet)
    assert answer["what stands there"] != answer["what belongs there"]
    [right] = lessons(spec)
    book = openpyxl.load_workbook(lesson, data_only=True)["self-attention"]
    wanted = right.values["output"].T if layout == "columns" else right.values["output"]
    area = book[right.page.rects["output"].a1]
    stored = np.array([[cell.value for cell in row] for row in area])
    assert np.abs(stored - wanted).max() > 1e-3


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("style", ["cell", "mmult", "spill"])
def test_three_of_any_kind_are_all_found_and_nothing_else(tmp_path: Path, layout: str, style: str) -> None:
    for seed in range(6):
        fields = {"heads": 1 + seed % 2, "w_o": bool(seed % 2), "style": style, "layout": layout}
        lesson, rows = made(tmp_path, mistakes=3, seed=seed, **fields)
        report = pipeline.verify_file(lesson)
        accused = {(cell.cell, cell.cause) for cell in report.cells if cell.verdict in ("origin", "overridden")}
        causes = [finding.cause for finding in report.findings]
        in_cells = {
            (row["cells"], row["kind"]) for row in rows if row["kind"] in CELLS and row["kind"] != "missing-dollar"
        }
        assert accused == in_cells, rows
        assert set(causes) == {row["kind"] for row in rows} - {kind for _, kind in in_cells}, rows


def test_the_answer_sheet_says_what_stands_there_and_what_belongs_there(tmp_path: Path) -> None:
    lesson, [answer] = made(tmp_path, mistakes=1, kinds=("wrong-range",), seed=1)
    formulas = openpyxl.load_workbook(lesson)["self-attention"]
    stored = openpyxl.load_workbook(lesson, data_only=True)["self-attention"]
    assert formulas[answer["cells"]].value == answer["what stands there"] != answer["what belongs there"]
    assert stored[answer["cells"]].value == answer["number there"]
    assert not math.isclose(float(str(answer["number there"])), float(str(answer["right number"])))
    # the sheet itself keeps quiet about it
    texts = {cell.value for row in formulas.iter_rows() for cell in row if isinstance(cell.value, str)}
    assert not any("wrong-range" in text for text in texts)
    assert any("this sheet holds 1" in text for text in texts)


def test_each_version_has_its_own_mistakes(tmp_path: Path) -> None:
    spec = ExampleSpec(mistakes=2, versions=3, length=4, d_model=4)
    paths = generate(spec, tmp_path / "lesson.xlsx")
    found = [tuple((row["单元格"], row["类型"]) for row in answers(path)) for path in paths[1::2]]
    assert len(set(found)) == 3
