"""Every row of the tables of words, dates, look-ups and arrays, put to another engine as well.

The other engine (formulon, for development only) is no judge: a difference is looked into by
a person and stands below with its reason, or is mended.
"""

from __future__ import annotations

import math

import pytest

from tests.functions import (
    test_arrays,
    test_dates,
    test_information,
    test_lambdas,
    test_logical,
    test_lookup,
    test_number_formats,
    test_patterns,
    test_references,
    test_texts,
)
from tests.functions.evaluate import Plain
from tests.functions.tables import Row
from xlsx_attention.model.address import Rect

formulon = pytest.importorskip("formulon", reason="the second engine (formulon) is not installed")

#: Where the two differ, and why ours stays.
DIFFERENCES = {
    "=LAMBDA(_xlpm.x,_xlop.y,IF(ISOMITTED(_xlpm.y),_xlpm.x,_xlpm.x+_xlpm.y))(3)": "it reads no _xlop. as typed",
    "=MAP(A1:C1,LAMBDA(a,A1:B1))": "it gives one #CALC! for the whole array",
    '=SUM(INDIRECT("mine"))': "INDIRECT of a defined name",
    '=CODE("键")': "what code page 1252 lacks is ? on Windows, _ elsewhere",
    "=UNICHAR(55296)": "Microsoft's page says #N/A",
    '=TEXTAFTER(A1,"basket",,,,"none")': "arguments left empty are the defaults",
    '=ISERROR(WEBSERVICE("x"))': "what is lacking is no error here",
    "=SORT({1,2;2,1;1,1},{1,2},{1,-1})": "several sort keys in one call",
}

MODULES = [
    test_arrays, test_dates, test_information, test_lambdas, test_logical, test_lookup, test_number_formats,
    test_patterns, test_references, test_texts,
]  # fmt: skip


def rows() -> list[tuple[Row, dict[str, Plain]]]:
    found = []
    for module in MODULES:
        tables = [module.ROWS, getattr(module, "CONVERSIONS", []), getattr(module, "GENERAL", [])]
        found += [(row, getattr(module, "CELLS", {})) for table in tables for row in table]
    return found


def theirs(formula: str, cells: dict[str, Plain], height: int, width: int) -> list[list[Plain]]:
    """What the other engine puts into Z100 and the cells that it spills to."""
    book = formulon.Workbook.create_default()
    book.set_defined_name("mine", "Sheet1!$A$1:$A$3")
    for address, value in cells.items():
        place = Rect.parse(address)
        at = (0, place.top, place.left)
        if isinstance(value, bool):
            book.set_bool(*at, value)
        elif isinstance(value, float):
            book.set_number(*at, value)
        elif isinstance(value, str) and value.startswith("#"):
            book.set_formula(*at, f"={value}" if value != "#N/A" else "=NA()")
        elif isinstance(value, str):
            book.set_text(*at, value)
    book.set_formula(0, 99, 25, formula)
    book.recalc()
    return [[plain(book.get_value(0, 99 + i, 25 + j)) for j in range(width)] for i in range(height)]


def plain(value: object) -> Plain:
    kind = value.kind.name  # type: ignore[attr-defined]
    if kind == "ERROR":
        name: str = formulon.error_display_name(value.error_code)  # type: ignore[attr-defined]
        return name
    result: Plain = {
        "NUMBER": value.number,  # type: ignore[attr-defined]
        "BOOL": value.boolean,  # type: ignore[attr-defined]
        "TEXT": value.text,  # type: ignore[attr-defined]
    }.get(kind, 0.0)
    return result


def same(a: Plain, b: Plain) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def test_the_tables_hold_elsewhere_too() -> None:
    other = {}
    for (formula, expected, _), cells in rows():
        table = expected if isinstance(expected, list) else [[expected]]
        found = theirs(formula, cells, len(table), len(table[0]))
        pairs = [(a, b) for mine, its in zip(table, found, strict=True) for a, b in zip(mine, its, strict=True)]
        if not all(same(a, b) for a, b in pairs):
            other[formula] = (expected, found)
    assert {formula: values for formula, values in other.items() if formula not in DIFFERENCES} == {}
    # A difference that is gone leaves the list.
    assert set(DIFFERENCES) <= set(other)
