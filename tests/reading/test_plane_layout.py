"""The dense core: small where it can be, bounded where it must be."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reading import packages
from xlsx_attention.model.address import Rect
from xlsx_attention.reading import read_workbook
from xlsx_attention.reading.plane_layout import choose_core


def core(places: list[tuple[int, int]], rects: tuple[Rect, ...] = ()) -> Rect:
    rows, columns = np.array(places, np.int32).T
    return choose_core(rows, columns, rects)


def test_bounding_box_where_it_is_small_enough() -> None:
    assert core([(2, 3), (9, 5)]) == Rect(2, 3, 10, 6)
    assert core([(0, 0), (2047, 2047)]).size == 1 << 22


def test_far_cell_is_cut_off() -> None:
    block = [(i, j) for i in range(10) for j in range(10)]
    assert core([*block, (1_048_575, 16_383)]) == Rect(0, 0, 10, 10)
    assert core([(0, 0), *[(i + 1_000_000, j + 16_000) for i, j in block]]) == Rect(
        1_000_000, 16_000, 1_000_010, 16_010
    )


def test_the_side_with_fewer_cells_goes() -> None:
    left = [(i, 0) for i in range(100)]
    right = [(1_000_000 + i, 16_000) for i in range(99)]
    assert core(left + right) == Rect(0, 0, 100, 1)


def test_array_ranges_belong_to_the_core_while_they_fit() -> None:
    assert core([(0, 0)], (Rect(0, 0, 5, 7),)) == Rect(0, 0, 5, 7)
    far = (Rect(0, 0, 1_048_576, 16_384),)
    assert core([(0, 0), (1, 1)], far).size <= 1 << 22


def test_diagonal_ends() -> None:
    """As many gaps as cells, all alike: halving takes over, and the result is within the bound."""
    found = core([(64 * i, i) for i in range(16_384)])
    assert found.size <= 1 << 22


def test_random_cells_stay_in_bounds() -> None:
    generator = np.random.default_rng(1)
    for _ in range(20):
        places = list(
            zip(
                generator.integers(0, 1_048_576, 300).tolist(), generator.integers(0, 16_384, 300).tolist(), strict=True
            )
        )
        assert core(places).size <= 1 << 22


def test_nothing_is_lost_outside_the_core() -> None:
    rows = packages.row(1, '<c r="A1"><v>1</v></c><c r="B1"><f>XFD1048576*2</f><v>14</v></c>')
    rows += packages.row(1_048_576, '<c r="XFC1048576"><f>A1</f></c><c r="XFD1048576"><v>7</v></c>')
    grid = read_workbook(packages.book(rows))
    sheet = grid.sheets[0]
    assert sheet.cached.rect.a1 == "A1:B1"
    assert grid.value(0, 1_048_575, 16_383).python == 7.0
    assert sheet.cached.used == Rect(0, 0, 1_048_576, 16_384)
    assert sheet.formula_rows.tolist() == [0, 1_048_575]
    assert sheet.styles is not None
    assert sheet.styles.shape == sheet.cached.rect.shape


@pytest.mark.parametrize("count", [1, 50])
def test_outliers_keep_every_kind(count: int) -> None:
    kinds = [("1.5", "n", 1.5), ("text", "str", "text"), ("1", "b", True), ("#N/A", "e", "#N/A")]
    block = "".join(packages.row(n, f'<c r="A{n}"><v>0</v></c>') for n in range(1, 300))
    far = "".join(
        packages.row(1_000_000 + n, "".join(f'<c r="{letter}{1_000_000 + n}" t="{type_}"><v>{text}</v></c>' for
        letter, (text, type_, _) in zip(("XFA", "XFB", "XFC", "XFD"), kinds, strict=True))) for n in range(count)
    )  # fmt: skip
    grid = read_workbook(packages.book(block + far))
    assert len(grid.sheets[0].cached.outliers) == 4 * count
    row = 1_000_000 + count - 2
    assert [grid.value(0, row, 16_380 + index).python for index in range(4)] == [value for _, _, value in kinds]
