"""Random formulas put to two other engines as well: formulon and IronCalc, both for development only.

Neither is a judge. Where one of them differs, a person has looked, and the reason stands below; a formula on which ours
stands alone against both fails.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.functions.evaluate import Plain, calculate
from tests.functions.random_formulas import CELLS, formulas
from tests.functions.test_second_opinion import plain, same
from xlsx_attention.model.address import Rect

SEED, COUNT = 7, 800

WORDS = "it writes a number into a text with 16 or 17 digits, Excel with 15"
TABLE = "its MATCH in a table of several rows and columns is a syntax error; Excel's is #N/A"
DATE = "it takes no date from a text like 2-2"
TEXT_OF_TEXT = "its TEXT leaves the text 2 as it is; Excel makes it a number first"
LOGICAL = "it takes no logical for a count"
RANKED = "it takes no logical for the number that is ranked"
ZERO = "it has a zero below zero"
POWER_OF_ERROR = "it divides by an overflow"

FIRST = "an empty text on the left of + is an error before the error on its right is"
CUT = "it cuts -0.67 repetitions to 0 before it looks at the sign"

#: Formula → why the other one stands alone.
IRONCALC: dict[str, str] = {
    "=((D2/10)&ATAN(B4))": WORDS,
    "=((UPPER(D2)*SUMSQ(B1:B5))&DEVSQ(A1:D1))": WORDS,
    "=ABS((2&A2))": DATE,
    "=(PRODUCT(A1:D5)&MAX(D1:D5))": ZERO,
    "=MATCH(0.5,A2:D3,0)": TABLE,
    '=TEXT(B2,"0.00")': TEXT_OF_TEXT,
    "=MATCH(A2,A2:D3,0)": TABLE,
    "=LEFT(STDEV.S(C1:C5),(C2>=A4))": LOGICAL,
    "=LEN(AVEDEV(A2:D3))": WORDS,
    "=(ABS((D2^C1))^SUM(A2:D3*2))": POWER_OF_ERROR,
    "=(IFERROR(LARGE(A1:A5,1),MIN(A1:D1))*MATCH(D1,A2:D3,0))": TABLE,
    "=((C2<>A4)+MATCH(B4,A1:D5,0))": TABLE,
    "=(COUNTA(A2:D3)>=CEILING.MATH(SUM(D1:D5*2),LEFT(A1,B3)))": LOGICAL,
    "=EVEN(QUOTIENT(MAXA(A2:D3),MATCH(-3,A1:D5,0)))": TABLE,
    "=RANK(TRUE,A1:D1)": RANKED,
    "=MATCH(C2,A1:D5,0)": TABLE,
    "=(STDEV.S(A1:D1)&EXACT(10,C2))": WORDS,
}
FORMULON: dict[str, str] = {
    "=(RIGHT((10/A4),ROUND(0.5,A1))+(IFS(C2>0.5,A4,TRUE,2)=(0.5>=1/0)))": FIRST,
    "=REPT((C2*D1),(2/-3))": CUT,
}


def with_ironcalc(texts: list[str]) -> list[Plain]:
    ironcalc = pytest.importorskip("ironcalc", reason="the second engine (IronCalc) is not installed")
    model = ironcalc.create("book", "en", "UTC", "en")
    for address, value in CELLS.items():
        place = Rect.parse(address)
        kind = {bool: "bool", float: "number", str: "text"}[type(value)]
        getattr(model, f"update_cell_with_{kind}")(0, place.top + 1, place.left + 1, value)
    for row, text in enumerate(texts):
        model.set_user_input(0, row + 1, 26, text)
    model.evaluate()
    found = [model.get_cell_value(0, row + 1, 26) for row in range(len(texts))]
    return [float(value) if type(value) is int else value for value in found]


def with_formulon(texts: list[str]) -> list[Plain]:
    formulon = pytest.importorskip("formulon", reason="the second engine (formulon) is not installed")
    book = formulon.Workbook.create_default()
    for address, value in CELLS.items():
        place = Rect.parse(address)
        kind = {bool: "bool", float: "number", str: "text"}[type(value)]
        getattr(book, f"set_{kind}")(0, place.top, place.left, value)
    for row, text in enumerate(texts):
        book.set_formula(0, row, 25, text)
    book.recalc()
    return [plain(book.get_value(0, row, 25)) for row in range(len(texts))]


@pytest.mark.parametrize(
    ("engine", "known"), [(with_ironcalc, IRONCALC), (with_formulon, FORMULON)], ids=["ironcalc", "formulon"]
)
def test_random_formulas_hold_elsewhere_too(engine: Callable[[list[str]], list[Plain]], known: dict[str, str]) -> None:
    texts = list(dict.fromkeys(formulas(SEED, COUNT)))
    different = {}
    for text, its in zip(texts, engine(texts), strict=True):
        ours = calculate(text, CELLS)
        assert not isinstance(ours, list), text
        if not same(0.0 if ours is None else ours, its):
            different[text] = (ours, its)
    assert {text: values for text, values in different.items() if text not in known} == {}
    # A difference that is gone leaves the list.
    assert set(known) <= set(different)


def test_ours_never_stands_alone() -> None:
    assert not set(IRONCALC) & set(FORMULON)
