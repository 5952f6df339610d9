"""Trees as text again: what is written is read back as the same tree."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from xlsx_attention import parsing
from xlsx_attention.errors import FormulaSyntaxError
from xlsx_attention.model.address import parse_cell
from xlsx_attention.model.report import FileReport
from xlsx_attention.reporting.formula_text import FormulaWriter
from xlsx_attention.reporting.future_functions import prefix_of

DISPLAY = FormulaWriter(stored=False)

#: Formula in C5 → its text there, and in E7 (copied two rows down, two columns right). By Excel's rules of filling.
COPIES = [
    ("A1+$B$2", "A1+$B$2", "C3+$B$2"),
    ("SUM(A$1:$B5)", "SUM(A$1:$B5)", "SUM(C$1:$B7)"),
    ("-2^2", "-2^2", "-2^2"),
    ("-(2^2)", "-(2^2)", "-(2^2)"),
    ("2^-2", "2^-2", "2^-2"),
    ("(1-2)-3", "1-2-3", "1-2-3"),
    ("1-(2-3)", "1-(2-3)", "1-(2-3)"),
    ("2^3^2", "2^3^2", "2^3^2"),
    ("2^(3^2)", "2^(3^2)", "2^(3^2)"),
    ('"a""b"&TRUE', '"a""b"&TRUE', '"a""b"&TRUE'),
    ("A:A", "A:A", "C:C"),
    ("$2:3", "$2:3", "$2:5"),
    ("IF(A1,,2)", "IF(A1,,2)", "IF(C3,,2)"),
    ("{1,2;3,-4}", "{1,2;3,-4}", "{1,2;3,-4}"),
    ("SUM((A1,B2))", "SUM((A1,B2))", "SUM((C3,D4))"),
    ("A1:B2 B1:C3", "A1:B2 B1:C3", "C3:D4 D3:E5"),
    ("'It''s'!A1", "'It''s'!A1", "'It''s'!C3"),
    ("50%*2", "50%*2", "50%*2"),
    ("#N/A", "#N/A", "#N/A"),
    ("1E-300", "1E-300", "1E-300"),
    ("A1#", "A1#", "C3#"),
    ("rate*2", "rate*2", "rate*2"),
    ("LET(x,1,x+A1)", "LET(x,1,x+A1)", "LET(x,1,x+C3)"),
]


@pytest.mark.parametrize(("formula", "here", "copy"), COPIES)
def test_a_form_as_cells_see_it(formula: str, here: str, copy: str) -> None:
    template = DISPLAY.template(parsing.parse(formula, *parse_cell("C5")))
    assert template.at(*parse_cell("C5")) == here
    assert template.at(*parse_cell("E7")) == copy


def test_a_reference_that_leaves_the_grid() -> None:
    template = DISPLAY.template(parsing.parse("A1+1", *parse_cell("B2")))
    assert template.at(*parse_cell("A2")) == "#REF!+1"


@pytest.mark.parametrize(
    ("formula", "stored"),
    [
        ("SORT(FILTER(A1:A3,B1:B3))", "_xlfn._xlws.SORT(_xlfn._xlws.FILTER(A1:A3,B1:B3))"),
        ("LET(x,1,x+1)", "_xlfn.LET(_xlpm.x,1,_xlpm.x+1)"),
        ("MAP(A1:A2,LAMBDA(v,v^2))", "_xlfn.MAP(A1:A2,_xlfn.LAMBDA(_xlpm.v,_xlpm.v^2))"),
        ("BYROW(A1:B2,SUM)", "_xlfn.BYROW(A1:B2,_xleta.SUM)"),
        ("A1#", "_xlfn.ANCHORARRAY(A1)"),
        ("STDEV.S(A1:A3)", "_xlfn.STDEV.S(A1:A3)"),
        ("SUM(A1:A3)", "SUM(A1:A3)"),
    ],
)
def test_prefixes_of_stored_formulas(formula: str, stored: str) -> None:
    """Source of the stored forms: files that Excel saved, and [MS-XLSX] 2.2.2."""
    assert FormulaWriter().template(parsing.parse(formula, 0, 0)).at(0, 0) == stored


def test_prefixes() -> None:
    assert [prefix_of(name) for name in ("SORT", "XLOOKUP", "MMULT")] == ["_xlfn._xlws.", "_xlfn.", ""]


def test_a_chain_of_thousands_is_no_recursion() -> None:
    formula = "+".join(f"A{row}" for row in range(1, 1501))
    assert DISPLAY.template(parsing.parse(formula, 0, 1)).at(0, 1) == formula


@pytest.mark.parametrize(
    "name",
    [
        "ai-by-hand/Self-Attention",
        "ai-by-hand/Temperature",
        "ai-by-hand/Transformer-Full-Stack",
        "backprop-class/backprop",
        "google-style/Neural-Network",
        "ironcalc/LOGICAL/AND_OR_XOR",
        "ironcalc/TEXT/TEXT",
        "pysheetgrader/TestModeKey",
    ],
)
def test_public_formulas_come_back_as_the_same_trees(public: Callable[[str], FileReport], name: str) -> None:
    report = public(name)
    assert report.plan is not None
    seen = 0
    for step in report.plan.steps:
        tree, rect = step.block.form.tree, step.block.rect
        if tree is None:
            continue
        text = DISPLAY.template(tree).at(rect.top, rect.left)
        try:
            again = parsing.parse(text, rect.top, rect.left)
        except FormulaSyntaxError as fault:
            pytest.fail(f"{step.block.sample} became {text}: {fault}")
        assert again == tree, (step.block.sample, text)
        seen += 1
    assert seen > 3
