"""Sheets that are read by the ends of their blocks and ranges: the same roles as cell by cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from benchmarks.large_sheet import write
from tests.recognising.lessons import Notation, compiled, ranges, recognised, written
from tests.recognising.test_variants import drawn
from xlsx_attention.model.address import Rect
from xlsx_attention.recognising import recognise
from xlsx_attention.recognising.terms import cells_of
from xlsx_attention.recognising.thinning import END, kept, whole

#: So many formulas that no sheet is read by a sample; and so few that each is.
NEVER, ALWAYS = 10**9, 0


@pytest.mark.parametrize("seed", range(14))
def test_a_correct_attention(tmp_path: Path, seed: int) -> None:
    notation = replace(drawn(seed), tokens=18 + seed % 4, width=17 + seed % 3, d_k=19 - seed % 5)
    lesson = written(tmp_path / "lesson.xlsx", notation)
    found = recognised(tmp_path / "lesson.xlsx", ALWAYS)
    assert ranges(found) == {r: place for r, place in lesson.roles.items() if "linear" not in r and r != "K across"}
    [attention] = found.attentions
    [head] = attention.heads
    assert attention.orientation == ("columns" if notation.columns else "rows")
    assert (head.d_k, head.scale) == (notation.d_k, pytest.approx(notation.d_k**0.5))
    assert (head.softmax_axis, head.exp, head.output_from, head.values_from) == ("keys", "yes", "weights", "V")
    assert (head.same_projection, head.labelled) == ((), {})
    for place in head.roles.values():
        assert {cell for line in place.lines for cell in line} == set(place.rect.cells())


@pytest.mark.parametrize("last", [0, 1], ids=["and an end", "no end"])
def test_a_padding_mask_hides_what_lies_between(tmp_path: Path, last: int) -> None:
    lesson = written(tmp_path / "whole.xlsx", Notation(product="sumproduct", mask="if", tokens=24))
    book = openpyxl.load_workbook(tmp_path / "whole.xlsx")
    mask = Rect.parse(lesson.roles["mask"])
    for key in (9, 10, 13):
        book.worksheets[0].cell(mask.top + 1, mask.left + key + 1).value = 0
    book.worksheets[0].cell(mask.top + 1, mask.right).value = last
    book.save(tmp_path / "masked.xlsx")
    for many in (NEVER, ALWAYS):
        [attention] = recognised(tmp_path / "masked.xlsx", many).attentions
        assert attention.heads[0].mask == "padding"
        assert attention.heads[0].masked_columns == ((9, 10, 13) if last else (9, 10, 13, 23))


@pytest.mark.parametrize("name", ["Transformer-Full-Stack", "Self-Attention"])
def test_public_lessons(corpus: Path, name: str) -> None:
    grid, plan = compiled(corpus / "ai-by-hand" / f"{name}.xlsx")
    assert recognise(grid, plan, many=ALWAYS) == recognise(grid, plan, many=NEVER)


def test_a_causal_sheet(tmp_path: Path) -> None:
    write(40, 20, tmp_path / "large.xlsx")
    grid, plan = compiled(tmp_path / "large.xlsx")
    sampled, full = recognise(grid, plan), recognise(grid, plan, many=NEVER)
    assert sampled == full
    [head] = sampled.attentions[0].heads
    assert (head.mask, head.d_k) == ("causal", 20)
    lines = [[place.lines for place in found.attentions[0].heads[0].roles.values()] for found in (sampled, full)]
    assert lines[0] == lines[1]
    assert grid.notices == []


def test_one_too_large_is_left_out_with_a_notice(tmp_path: Path) -> None:
    write(320, 2, tmp_path / "large.xlsx")
    grid, plan = compiled(tmp_path / "large.xlsx")
    assert recognise(grid, plan).attentions == ()
    [notice] = grid.notices
    assert (notice.code, "102,400 cells" in notice.message) == ("not-recognised", True)


def test_a_sample_and_its_whole() -> None:
    assert kept(2 * END) == tuple(range(2 * END))
    assert kept(100) == (*range(END), *range(100 - END, 100))
    rect = Rect(3, 5, 103, 45)
    full = [cells_of(0, Rect(row, rect.left, row + 1, rect.right)) for row in range(rect.top, rect.bottom)]
    sample = [[full[i][j] for j in kept(rect.width)] for i in kept(rect.height)]
    assert whole(sample) == tuple(map(tuple, full))
    assert whole(list(zip(*sample, strict=True))) == tuple(zip(*full, strict=True))
    ragged = [*sample[:-1], sample[-1][:-1]]
    assert whole(ragged) == tuple(map(tuple, ragged))
