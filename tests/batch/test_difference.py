"""Two workbooks: changed inputs and formulas, and the values that follow from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.batch.class_set import Original
from tests.batch.test_grading import EARLY, Cell, book
from xlsx_attention.batch.difference import compare_files
from xlsx_attention.cli.commands import cli


def test_the_same_workbook(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx")
    assert compare_files(path, path).same


def test_an_input_and_what_follows(tmp_path: Path) -> None:
    # B3 5 → 6: D3 = 12, F3 = 13, F6 = 35, worked by hand.
    changes: dict[str, Cell] = {"B3": (None, 6), "D3": ("B3*2", 12), "F3": ("D3+1", 13), "F6": ("SUM(F2:F4)", 35)}
    found = compare_files(book(tmp_path / "old.xlsx"), book(tmp_path / "new.xlsx", changes))
    assert [(c.cell, c.kind, c.old, c.new, c.sources, c.followed_by) for c in found.changes] == [
        ("B3", "input", 5, 6, (), 3),
        ("D3", "value", 10, 12, ("B3",), 0),
        ("F3", "value", 11, 13, ("B3",), 0),
        ("F6", "value", 33, 35, ("B3",), 0),
    ]
    assert found.counts == {"input": 1, "formula": 0, "value": 3, "unexplained": 0}


def test_a_formula_and_what_follows(tmp_path: Path) -> None:
    found = compare_files(book(tmp_path / "old.xlsx"), book(tmp_path / "new.xlsx", EARLY))
    assert [(c.cell, c.kind, c.old_formula, c.new_formula, c.sources) for c in found.changes] == [
        ("D3", "formula", "=B3*2", "=B3*3", ()),
        ("F3", "value", "=D3+1", "=D3+1", ("D3",)),
        ("F6", "value", "=SUM(F2:F4)", "=SUM(F2:F4)", ("D3",)),
    ]


def test_a_formula_changed_without_its_value(tmp_path: Path) -> None:
    [change] = compare_files(book(tmp_path / "a.xlsx"), book(tmp_path / "b.xlsx", {"D3": ("B3+B3", 10)})).changes
    assert (change.kind, change.old, change.new, change.followed_by) == ("formula", 10, 10, 0)


def test_a_number_pasted_over_a_formula_is_an_input(tmp_path: Path) -> None:
    [change] = compare_files(book(tmp_path / "a.xlsx"), book(tmp_path / "b.xlsx", {"D3": (None, 10)})).changes
    assert (change.kind, change.old_formula, change.new_formula) == ("input", "=B3*2", "")


def test_a_value_that_nothing_explains(tmp_path: Path) -> None:
    [change] = compare_files(book(tmp_path / "a.xlsx"), book(tmp_path / "b.xlsx", {"D2": ("B2*2", 6.5)})).changes
    assert (change.cell, change.kind) == ("D2", "unexplained")


def test_two_sources_are_both_named(tmp_path: Path) -> None:
    # B2 4, B4 8: 8, 16, 9, 17, and 9 + 11 + 17 = 37.
    changes: dict[str, Cell] = {
        "B2": (None, 4),
        "B4": (None, 8),
        "D2": ("B2*2", 8),
        "D4": ("B4*2", 16),
        "F2": ("D2+1", 9),
        "F4": ("D4+1", 17),
        "F6": ("SUM(F2:F4)", 37),
    }
    found = compare_files(book(tmp_path / "a.xlsx"), book(tmp_path / "b.xlsx", changes))
    assert {c.cell: c.sources for c in found.changes if c.kind == "value"}["F6"] == ("B2", "B4")


def test_one_cell_of_a_real_workbook(original: Path, tmp_path: Path) -> None:
    data, slip = Original.read(original).with_slip(0, "stale", "J50")
    (tmp_path / "new.xlsx").write_bytes(data)
    found = compare_files(original, tmp_path / "new.xlsx")
    assert [(c.cell, c.kind) for c in found.changes] == [(slip.cell, "unexplained")]


def test_command(tmp_path: Path) -> None:
    old, new = book(tmp_path / "old.xlsx"), book(tmp_path / "new.xlsx", EARLY)
    same = CliRunner().invoke(cli, ["diff", str(old), str(old)])
    assert (same.exit_code, same.output) == (0, "no change\n")
    changed = CliRunner().invoke(cli, ["diff", str(old), str(new)])
    assert changed.exit_code == 1
    assert "work!D3: 10 → 15; =B3*2 → =B3*3; 2 values follow" in changed.output
    assert "work!F6: 33 → 38; from D3" in changed.output


@pytest.mark.parametrize("name", ["none.xlsx", "text.xlsx"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "text.xlsx").write_text("no workbook")
    from xlsx_attention.errors import XlsxAttentionError

    with pytest.raises(XlsxAttentionError):
        compare_files(book(tmp_path / "a.xlsx"), tmp_path / name)


def test_numbers_are_shown_with_the_digits_that_they_need(tmp_path: Path) -> None:
    old, new = book(tmp_path / "old.xlsx", {"B3": (None, 0.69)}), book(tmp_path / "new.xlsx", {"B3": (None, 0.1 + 0.2)})
    shown = CliRunner().invoke(cli, ["diff", str(old), str(new)])
    # Python's repr is the shortest text that reads back as the same float; 0.1 + 0.2 is not 0.3.
    assert "work!B3: 0.69 → 0.30000000000000004" in shown.output
