"""Rows of formula, value and source, and how one is checked.

Sources: ``M`` is an example on Microsoft's page of the function; ``R`` a rule that the page states in words; ``H``
arithmetic by hand from the definition; ``C`` a value that Excel stored in a workbook of the test corpus.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import pytest

from tests.functions.evaluate import Plain, calculate

Expected: TypeAlias = "Plain | list[list[Plain]]"
Row: TypeAlias = tuple[str, Expected, str]


def check(row: Row, cells: Mapping[str, Plain] | None = None, **how: object) -> None:
    """The formula gives the value: exactly, but for numbers that the source prints rounded (their kinds must agree)."""
    formula, expected, source = row
    ours = calculate(formula, cells, **how)  # type: ignore[arg-type]
    if isinstance(expected, float) and isinstance(ours, float):
        assert ours == pytest.approx(expected, rel=1e-12), (formula, source)
    else:
        assert ours == expected, (formula, source)
        assert kinds(ours) == kinds(expected), (formula, source)


def kinds(value: Expected) -> object:
    """TRUE is not 1."""
    if isinstance(value, list):
        return [[type(cell).__name__ for cell in row] for row in value]
    return type(value).__name__


def ids(rows: list[Row]) -> list[str]:
    return [row[0] for row in rows]
