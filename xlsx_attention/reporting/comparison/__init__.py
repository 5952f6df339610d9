"""The comparison workbook: what an instructor opens in Excel after the tool has run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO

from xlsx_attention.errors import UsageError
from xlsx_attention.model.report import FileReport
from xlsx_attention.reporting.comparison.book import DEFAULT_LIMITS, Book, Limits
from xlsx_attention.reporting.comparison.divergences import write_divergences
from xlsx_attention.reporting.comparison.live import write_live
from xlsx_attention.reporting.comparison.mirror import write_mirrors
from xlsx_attention.reporting.comparison.published import write_published
from xlsx_attention.reporting.comparison.steps import write_steps
from xlsx_attention.reporting.comparison.summary import write_summary
from xlsx_attention.writing import open_workbook

__all__ = ["Limits", "comparison_workbook"]


def comparison_workbook(
    report: FileReport,
    target: str | os.PathLike[str] | IO[bytes],
    language: str = "en",
    *,
    protect: Iterable[str | os.PathLike[str]] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Write the comparison workbook of one report to a path (whole or not at all) or a binary stream.

    ``protect`` are files that must not be overwritten; the workbook that was read is always among them. Raises
    :class:`~xlsx_attention.errors.UsageError` for such a target and for a report on a file that could not be read.
    """
    if report.grid is None or report.plan is None:
        reason = report.error.message if report.error is not None else "there is nothing to compare"
        raise UsageError("nothing-to-compare", reason, where=report.path)
    with open_workbook(
        target,
        protect=(*protect, report.path),
        in_memory=True,
        properties={"title": "Comparison with NumPy", "comments": "Written by xlsx_attention"},
    ) as workbook:
        book = Book(report, workbook, language, limits)
        # Sheets stand in the order of their making; the summary comes first and is written last, when all is known.
        write_mirrors(book)
        write_steps(book)
        write_divergences(book)
        write_published(book)
        write_live(book)
        write_summary(book)
