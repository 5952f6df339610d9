"""The page of known differences from Excel says what is so: every row is run, every function looked up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import xlsxwriter

from tests.functions.evaluate import calculate
from xlsx_attention import reading
from xlsx_attention.functions.known_names import EXCEL_FUNCTIONS
from xlsx_attention.functions.table import lookup
from xlsx_attention.model.values import NUMBER
from xlsx_attention.pipeline import understand

PAGE = Path(__file__).resolve().parents[2] / "docs" / "differences-from-excel.md"
LINE = re.compile(r"^\| `(=.*)` \| (.*) \| (.*) \| ([CMH] .*) \|$")
NUMBERS = (-0.08754930521940635, 0.33164766215954894, -0.09974728301401743)

#: Without these a lesson on neural networks, statistics or tables could not be checked: none may be on the page.
TAUGHT = """
    ABS SIGN SQRT SQRTPI POWER EXP LN LOG LOG10 PI INT TRUNC ROUND ROUNDUP ROUNDDOWN MROUND CEILING FLOOR
    CEILING.MATH FLOOR.MATH MOD QUOTIENT GCD LCM FACT COMBIN PRODUCT SUM SUMSQ SUMPRODUCT SUMX2MY2 SUMX2PY2
    SUMXMY2 SUMIF SUMIFS COUNTIF COUNTIFS AVERAGEIF AVERAGEIFS SUBTOTAL AGGREGATE SIN COS TAN ASIN ACOS ATAN SINH
    COSH TANH ASINH ACOSH ATANH ATAN2 RADIANS DEGREES MAX MIN MAXA MINA LARGE SMALL AVERAGE AVERAGEA MEDIAN MODE
    COUNT COUNTA COUNTBLANK VAR VARP VAR.S VAR.P STDEV STDEVP STDEV.S STDEV.P DEVSQ CORREL COVAR COVARIANCE.P
    COVARIANCE.S SLOPE INTERCEPT RANK RANK.EQ PERCENTILE QUARTILE PERCENTILE.INC PERCENTILE.EXC QUARTILE.INC
    QUARTILE.EXC NORM.DIST NORM.S.DIST NORM.INV NORM.S.INV NORMSDIST STANDARDIZE ERF MMULT TRANSPOSE MDETERM
    MINVERSE MUNIT IF IFS IFERROR IFNA SWITCH CHOOSE AND OR NOT XOR TRUE FALSE INDEX MATCH XMATCH XLOOKUP VLOOKUP
    HLOOKUP LOOKUP OFFSET INDIRECT ROW ROWS COLUMN COLUMNS ADDRESS AREAS ISBLANK ISNUMBER ISTEXT ISNONTEXT
    ISLOGICAL ISERROR ISERR ISNA ISEVEN ISODD NA N T TYPE ERROR.TYPE TEXT VALUE LEN LEFT RIGHT MID FIND SEARCH
    SUBSTITUTE REPLACE CONCATENATE CONCAT TEXTJOIN TRIM UPPER LOWER PROPER REPT EXACT CHAR CODE UNICHAR FIXED DATE
    YEAR MONTH DAY DAYS RAND RANDBETWEEN RANDARRAY NOW TODAY SEQUENCE SORT SORTBY FILTER UNIQUE TAKE DROP
    CHOOSEROWS CHOOSECOLS EXPAND HSTACK VSTACK TOROW TOCOL WRAPROWS WRAPCOLS LET LAMBDA MAP REDUCE SCAN BYROW
    BYCOL MAKEARRAY ISOMITTED
    """


def rows() -> list[tuple[str, str, str]]:
    """(formula, Excel's value, ours) as the page prints them."""
    matches = [LINE.match(line) for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return [(m[1], m[2], m[3]) for m in matches if m is not None]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float | str | bool | None]:
    """Every formula of the page in one workbook, from the inputs."""
    path = tmp_path_factory.mktemp("differences") / "page.xlsx"
    with xlsxwriter.Workbook(path, {"use_future_functions": True}) as book:
        sheet = book.add_worksheet()
        for i, number in enumerate(NUMBERS):
            sheet.write(i, 0, i + 1)
            sheet.write(i, 1, number)
        sheet.set_row(1, None, None, {"hidden": True})
        for i, (formula, _, _) in enumerate(rows()):
            sheet.write_dynamic_array_formula(i, 3, i, 3, formula, None, "")
    grid = reading.read_workbook(path)
    # XlsxWriter writes 16 digits; Excel stores 17.
    for i, number in enumerate(NUMBERS):
        grid.sheets[0].cached.set(i, 1, number, NUMBER)
    planes = understand(grid).values.inputs
    return {formula: grid.scalar(*planes[0].get(i, 3)).python for i, (formula, _, _) in enumerate(rows())}


def same(printed: str, value: float | str | bool | None) -> bool:
    if isinstance(value, bool):
        return printed == str(value).upper()
    if isinstance(value, float):
        return re.fullmatch(r"[-+.\dE]+", printed) is not None and float(printed) == value
    return printed == value or (printed.startswith("not computed") and str(value).startswith(printed))


@pytest.mark.parametrize(("formula", "excel", "here"), rows(), ids=[row[0] for row in rows()])
def test_the_page_tells_the_truth(
    ours: dict[str, float | str | bool | None], formula: str, excel: str, here: str
) -> None:
    assert same(here, ours[formula]), ours[formula]
    assert not same(excel, ours[formula])


def test_every_table_line_is_a_row_that_is_run() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(lines) == len(rows()) >= 15


def test_the_functions_that_are_lacking_are_those_on_the_page() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Functions")[2].partition("## Whole workbooks")[0]
    listed = set(re.findall(r"`([A-Z][A-Z0-9.]*)`", section))
    # What reading writes in the place of a formula that it cannot have is no function of Excel's.
    placeholders = {"FORMULA_TOO_LONG", "SHARED_FORMULA_MISSING", "TABLE"}
    assert listed == {name for name in EXCEL_FUNCTIONS if lookup(name) is None} - placeholders
    count = re.search(r"these (\d+) are not computed", section)
    assert count is not None
    assert int(count[1]) == len(listed)


def test_what_lessons_use_is_not_among_them() -> None:
    assert [name for name in TAUGHT.split() if name not in EXCEL_FUNCTIONS or lookup(name) is None] == []


def test_not_computed_is_no_error_value() -> None:
    # IFERROR must not hide what the engine lacks.
    assert calculate('=IFERROR(WEBSERVICE("x"),1)') == "not computed: WEBSERVICE"
