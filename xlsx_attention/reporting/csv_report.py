"""The report as CSV (RFC 4180): one row for each computed cell, and one for each file that could not be read.

A field that a spreadsheet program would take for a formula begins with an apostrophe, after OWASP's page on CSV
injection.
"""

from __future__ import annotations

import csv
import io
from typing import Any, Final

from xlsx_attention.model.report import FRAME_COLUMNS, Report

COLUMNS: Final = ("file", *FRAME_COLUMNS, "error")
_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")


def safe_field(value: Any) -> str:
    """A field as text: numbers as they read back, other text never a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float | int):
        return repr(value)
    text = str(value).encode("utf-8", "replace").decode("utf-8").replace("\x00", "�")
    return "'" + text if text.startswith(_STARTS) or text.lstrip().startswith(_STARTS) else text


def render_csv(report: Report, language: str = "en", color: bool = False) -> str:
    """The form ``csv``; column names are words for machines and stay English."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for file in report.files:
        if file.error is not None:
            writer.writerow([safe_field(file.path), *[""] * len(FRAME_COLUMNS), safe_field(file.error.message)])
            continue
        for row in file.rows():
            writer.writerow([safe_field(file.path), *(safe_field(row[name]) for name in FRAME_COLUMNS), ""])
    return out.getvalue().removesuffix("\r\n")
