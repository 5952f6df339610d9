"""The relative form of a formula: its text in R1C1 notation, one for all copies of a formula and for nothing else."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.formula.translate import Translator

from tests.parsing.books import corpus_grids, stored_texts
from xlsx_attention.model.address import MAX_COLUMNS, MAX_ROWS, cell_name, column_name
from xlsx_attention.parsing import formula_at, relative_form

# From the cell E5; R1C1 notation as Microsoft's page "Overview of formulas" explains it.
KEYS: list[tuple[str, str]] = [
    ("A1", "R[-4]C[-4]"),
    ("E5", "RC"),
    ("$A$1", "R1C1"),
    ("F$6", "R6C[1]"),
    ("$F6", "R[1]C6"),
    ("MMULT($U5:$X5,E$5:E$8)", "MMULT(RC21:RC24,R5C:R8C)"),
    ("SUM(E:$G)", "SUM(C:C7)"),
    ("SUM(4:$6)", "SUM(R[-1]:R6)"),
    ("'A1 B2'!A1", "'A1 B2'!R[-4]C[-4]"),
    ("A1!A1", "A1!R[-4]C[-4]"),
    ('"A1"&A1', '"A1"&R[-4]C[-4]'),
    ("LOG10(A1)", "LOG10(R[-4]C[-4])"),
    ("Table1[A1]+A1", "Table1[A1]+R[-4]C[-4]"),
    ("sum( a1 )", "sum( R[-4]C[-4] )"),
    ("XFE1+A1048577", "XFE1+A1048577"),
    ("A1#", "R[-4]C[-4]#"),
    ("#REF!+A1", "#REF!+R[-4]C[-4]"),
    # A name that reads like R1C1 notation is marked, so it is never taken for the reference of another formula.
    ("R1C1", "~R1C1"),
    ("r+c", "~r+~c"),
    ("R[1]", "~R[1]"),
    ("R1C1:Sheet3!A1", "~R1C1:Sheet3!R[-4]C[-4]"),
    ("$A$1:Sheet3!A1", "R1C1:Sheet3!R[-4]C[-4]"),
    # No formula at all: the text itself, marked.
    ('"open', '!"open'),
    ("1A5", "!1A5"),
]


@pytest.mark.parametrize(("formula", "key"), KEYS, ids=[row[0] for row in KEYS])
def test_keys(formula: str, key: str) -> None:
    form = relative_form(formula, 4, 4)
    assert form.r1c1 == key
    assert formula_at(form, 4, 4) == formula.replace("a1", "A1")
    assert (form.tree is None) == bool(form.fault) == key.startswith("!")


def test_one_form_is_parsed_once() -> None:
    assert relative_form("A1*$B$2", 0, 2) is relative_form("B5*$B$2", 4, 3)


def test_a_text_that_is_no_formula_says_why() -> None:
    form = relative_form("SUM(A1", 0, 0)
    assert form.tree is None
    assert form.r1c1 == "SUM(RC"
    assert form.fault == "at character 7 a ) for the ( at character 4 was expected, the formula ends"


def test_what_leaves_the_grid_is_ref() -> None:
    """As Excel writes it when a formula is copied too near an edge."""
    form = relative_form("A1+$B2+C$3+4:5", 4, 4)
    assert formula_at(form, 3, 4) == "#REF!+$B1+C$3+3:4"
    assert formula_at(form, 4, 0) == "#REF!+$B2+#REF!+4:5"
    assert formula_at(relative_form("SUM(A:B)", 0, 1), 0, 0) == "SUM(#REF!)"
    assert formula_at(relative_form("B2", 0, 0), MAX_ROWS - 1, 0) == "#REF!"
    assert formula_at(relative_form("B2", 0, 0), 0, MAX_COLUMNS - 1) == "#REF!"


PIECES = [
    "A1",
    "$A$1",
    "B$2",
    "$C3",
    "A:B",
    "1:2",
    "R1C1",
    "RC",
    "R",
    "C",
    "r1c1",
    "[1]",
    "XY",
    "Sheet1!",
    "'S 1'!",
    "RC:S!",
]
JOINTS = ["+", ":", " ", ",", "(", ")", "", '"A1"', "&", "#REF!", "1", "[", "]", "!", "~", "?", "'", "!"]


def test_two_texts_with_one_form_are_one_text() -> None:
    """From one cell, texts and forms are one to one, for words that were chosen to be mistaken for one another."""
    seen: dict[str, str] = {}
    for first, joint, second in product(PIECES, JOINTS, PIECES):
        text = first + joint + second
        form = relative_form(text, 20, 20)
        # The letter case of a reference is no part of the form; all here are in capitals.
        assert seen.setdefault(form.r1c1, text) == text
        assert formula_at(form, 20, 20) == text


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(100, 600), st.booleans(), st.integers(500, 90_000)), min_size=1, max_size=4
    ),
    st.integers(-90, 900),
    st.integers(-90, 900),
)
def test_a_copy_has_the_same_form(cells: list[tuple[bool, int, bool, int]], down: int, right: int) -> None:
    """Copies are made by openpyxl's Translator, which knows nothing of forms."""
    words = [f"{'$' * a}{column_name(column)}{'$' * b}{row}" for a, column, b, row in cells]
    text = f'SUM({":".join(words[:2])})*{"-".join(words)}&"A1"+Sheet1!{words[0]}+LOG10(2)'
    origin = cell_name(499, 100)
    copied = Translator("=" + text, origin=origin).translate_formula(cell_name(499 + down, 100 + right))[1:]
    form = relative_form(text, 499, 100)
    assert relative_form(copied, 499 + down, 100 + right) is form
    assert formula_at(form, 499 + down, 100 + right) == copied


def test_forms_give_back_every_public_formula(corpus: Path) -> None:
    """In its own cell the stored text, and elsewhere what openpyxl's Translator makes of it."""
    formulas, translated = 0, 0
    for grid in corpus_grids(corpus):
        for sheet in grid.sheets:
            for row, column, text in stored_texts(sheet):
                form = relative_form(text, row, column)
                assert form.tree is not None, form.fault
                assert formula_at(form, row, column) == text
                formulas += 1
                # openpyxl keeps one space of two, and shifts what stands in `#REF!`, brackets and braces.
                if formulas % 10 == 0 and not any(sign in text for sign in ("#", "[", "{", "  ")):
                    there = Translator("=" + text, cell_name(row, column)).translate_formula(
                        cell_name(row + 3, column + 2)
                    )
                    assert formula_at(form, row + 3, column + 2) == there[1:]
                    translated += 1
    assert formulas > 13_000
    assert translated > 1_000


@given(st.text("AREC15$:!'\"[]()+- ,#x.~{};é", max_size=24), st.integers(0, 30), st.integers(0, 30))
@settings(max_examples=1500)
def test_what_a_form_writes_is_read_as_that_form(text: str, row: int, column: int) -> None:
    """For any text at all, formula or not. Fills are recognised by this: a text that a form writes has that form."""
    form = relative_form(text, 40, 40)
    there = formula_at(form, row, column)
    if "#REF!" not in there:
        assert relative_form(there, row, column) == form
