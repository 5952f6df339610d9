"""From a path, or a workbook that has been read, to its report or its comparison workbook."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xlsx_attention import reading
from xlsx_attention.errors import UnreadableFile
from xlsx_attention.model.grid import WorkbookGrid
from xlsx_attention.model.report import FileError, FileReport, Report
from xlsx_attention.pipeline.nouns import DEFAULTS, Options
from xlsx_attention.pipeline.stages import verify_grid

if TYPE_CHECKING:
    from xlsx_attention.model.published import Published


def verify_file(
    path: str | os.PathLike[str] | reading.Source, options: Options = DEFAULTS, published: Published | None = None
) -> FileReport:
    """The report on one file, by its path or already loaded; a file that cannot be read is a report of its own, not
    an exception.
    """
    started = time.perf_counter()
    try:
        grid = reading.read_workbook(path, budgets=options.budgets)
        # Some budgets only show once formulas are understood.
        return verify_grid(grid, options, published, started)
    except UnreadableFile as error:
        shown = path.path if isinstance(path, reading.Source) else os.fspath(path)
        return FileReport(shown, "unreadable", FileError(error.code, str(error)))


def verify(
    source: str | os.PathLike[str] | WorkbookGrid,
    *,
    rtol: float | None = None,
    sheets: Sequence[str] | None = None,
    published: str | os.PathLike[str] | None = None,
) -> FileReport:
    """The report on one workbook, by its path or already read (``reading.from_openpyxl`` gives a grid).

    Raises :class:`~xlsx_attention.errors.UnreadableFile` where the file cannot be read: in Python that is an
    exception, on the command line a line of the report.
    """
    options = Options(rtol=rtol, sheets=None if sheets is None else tuple(sheets))
    figures = _figures(published)
    started = time.perf_counter()
    grid = _opened(source, options)
    return verify_grid(grid, options, figures, started)


def compare(
    source: str | os.PathLike[str] | WorkbookGrid,
    target: str | os.PathLike[str],
    *,
    rtol: float | None = None,
    sheets: Sequence[str] | None = None,
    published: str | os.PathLike[str] | None = None,
    language: str = "en",
) -> FileReport:
    """Write the comparison workbook of ``source`` to ``target``, in ``en`` or ``zh``; the report that it shows.

    Raises :class:`~xlsx_attention.errors.UnreadableFile` as :func:`verify` does, and
    :class:`~xlsx_attention.errors.UsageError` where ``target`` would overwrite the workbook that was read.
    """
    from xlsx_attention.reporting.comparison import comparison_workbook

    options = Options(rtol=rtol, sheets=None if sheets is None else tuple(sheets), words=True)
    figures = _figures(published)
    grid = _opened(source, options)
    report = verify_grid(grid, options, figures)
    comparison_workbook(report, target, language)
    return report


def _opened(source: str | os.PathLike[str] | WorkbookGrid, options: Options) -> WorkbookGrid:
    return source if isinstance(source, WorkbookGrid) else reading.read_workbook(source, budgets=options.budgets)


def _figures(published: str | os.PathLike[str] | None) -> Published | None:
    if published is None:
        return None
    from xlsx_attention.model.published import Published

    return Published.load(published)


def verify_files(paths: Sequence[str | os.PathLike[str]], options: Options = DEFAULTS) -> Report:
    """Every file in the order given."""
    return Report(tuple(verify_file(path, options) for path in paths), tool=tool_name())


def tool_name() -> str:
    from xlsx_attention import __version__

    return f"xlsx-attention {__version__}"
