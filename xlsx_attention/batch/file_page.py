"""A page for one file: what its report says, cell by cell."""

from __future__ import annotations

from xlsx_attention.batch.pages import render
from xlsx_attention.batch.rows import ACCUSED, Row
from xlsx_attention.batch.words import Speech
from xlsx_attention.model.report import FileReport
from xlsx_attention.pipeline import tool_name

#: Cells that a page lists; report.json lists all.
CELLS = 500


def file_page(report: FileReport, language: str) -> str:
    """The page of a report; accused cells come before what they spoil."""
    names = {sheet.index: sheet.name for sheet in report.sheets}
    cells = sorted(report.cells, key=lambda cell: cell.verdict not in ACCUSED)
    return render(
        "file.html",
        style="page.css",
        language=language,
        say=Speech(language),
        name=report.path,
        status=report.status,
        reason="",
        counts=list(report.counts.items()),
        findings=[
            {"place": f"{names[finding.sheet]}!{finding.rect.a1}", "message": finding.message[language]}
            for finding in report.findings
        ],
        cells=[
            {
                "place": f"{names[cell.sheet]}!{cell.cell}",
                "verdict": cell.verdict,
                "cause": cell.cause,
                "stored": cell.cached.python,
                "expected": (cell.from_inputs if cell.verdict == "inherited" else cell.from_precedents).python,
                "formula": cell.formula or cell.expected,
            }
            for cell in cells[:CELLS]
        ],
        more=max(0, len(cells) - CELLS),
        notices=[f"{notice.where}: {notice.message}" for notice in report.notices],
        tool=tool_name(),
    )


def plain_page(row: Row, tool: str, language: str = "en") -> str:
    """The page of a file that could not be judged: its name and the reason."""
    return render(
        "file.html",
        style="page.css",
        language=language,
        say=Speech(language),
        name=row.name,
        status=row.status,
        reason=row.reason,
        counts=[],
        findings=[],
        cells=[],
        more=0,
        notices=[],
        tool=tool,
    )
