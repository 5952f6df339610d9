"""``summary.csv``: one row a file, safe to open in a spreadsheet program."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from xlsx_attention.batch.rows import Row

if TYPE_CHECKING:
    from xlsx_attention.batch.reports import Overview

Value = str | int | float | bool | None

#: Column → its value; summary.xlsx has the same columns.
COLUMNS: dict[str, Callable[[Row], Value]] = {
    "file": lambda row: row.name,
    "status": lambda row: row.status,
    "score": lambda row: row.score,
    "points": lambda row: row.points,
    "out of": lambda row: row.out_of,
    "computed cells": lambda row: row.computed,
    "agree": lambda row: row.agrees,
    "origins": lambda row: row.origins,
    "overridden": lambda row: row.overridden,
    "inherited": lambda row: row.inherited,
    "not judged": lambda row: row.not_judged,
    "findings": lambda row: row.findings,
    "reason": lambda row: row.reason,
    "saved by": lambda row: row.application,
    "macros (never run)": lambda row: "yes" if row.macros else "no",
    "same content as": lambda row: row.same_as,
    "sha256": lambda row: row.digest,
}
#: Signs with which a spreadsheet program takes a text for a formula (OWASP, CSV Injection).
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def guarded(text: str) -> str:
    """``text`` so that no spreadsheet program takes it for a formula: an apostrophe before a sign that would start
    one.
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def field(value: Value) -> str:
    """A value as CSV has it; numbers read back to the same bits."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    return guarded(value) if isinstance(value, str) else str(value)


def to_csv(header: list[str], rows: list[list[Value]]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([field(name) for name in header])
    writer.writerows([field(value) for value in row] for row in rows)
    return stream.getvalue().encode("utf-8", "backslashreplace").decode("utf-8")


def render(overview: Overview) -> str:
    return to_csv(list(COLUMNS), [[value(row) for value in COLUMNS.values()] for row in overview.rows])
