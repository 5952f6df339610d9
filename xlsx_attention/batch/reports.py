"""The reports of a batch. Outcomes are taken from the journal one by one, so that memory does not grow with the
files' reports.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xlsx_attention.batch import grade_table, index_page, junit, summary_csv, summary_xlsx
from xlsx_attention.batch.file_page import plain_page
from xlsx_attention.batch.inputs import Gathered, InputFile, Skipped
from xlsx_attention.batch.outcome import Outcome
from xlsx_attention.batch.rows import PAGE, Row, Slips, row_of, totals
from xlsx_attention.batch.settings import Settings
from xlsx_attention.pipeline import tool_name
from xlsx_attention.writing import atomic_write

SCHEMA = 1
#: What a batch writes into its folder, beside a page a file.
NAMES = ("index.html", "summary.csv", "summary.xlsx", "junit.xml", "report.json", "grades.csv")


@dataclass(frozen=True, slots=True)
class Overview:
    """What the overviews show: every row, what they share, and what was left out."""

    rows: tuple[Row, ...]
    slips: Slips
    skipped: tuple[Skipped, ...]
    tool: str
    graded: bool
    language: str

    @property
    def totals(self) -> dict[str, int]:
        return totals(self.rows)


def write_reports(
    folder: Path, gathered: Gathered, outcome: Callable[[InputFile], Outcome], settings: Settings
) -> tuple[Row, ...]:
    """Write every report into ``folder`` and give the rows. Pages of files that are no longer there are removed."""
    pages = folder / "pages"
    pages.mkdir(exist_ok=True)
    rows: list[Row] = []
    slips = Slips()
    first: dict[str, str] = {}
    tool = tool_name()
    divergences = summary_xlsx.Divergences()
    grades = grade_table.GradeTable()
    with _JsonFile(folder / "report.json", tool) as report:
        for file in gathered.files:
            found = outcome(file)
            record = found.record_for(file.digest, file.name)
            row = row_of(file, record, first.get(file.digest, "") if file.digest else "")
            if file.digest:
                first.setdefault(file.digest, file.name)
            slips.add(len(rows), record)
            divergences.add(record)
            grades.add(row, record)
            rows.append(row)
            report.add({**record, "sha256": file.digest or None, "same_as": row.same_as or None})
            _write_quickly(
                folder / row.page, found.page_for(file.digest, file.name) or plain_page(row, tool, settings.language)
            )
        overview = Overview(tuple(rows), slips, gathered.skipped, tool, bool(settings.key), settings.language)
        report.finish(overview)
    wanted = {row.page for row in rows}
    for page in pages.iterdir():
        if f"pages/{page.name}" not in wanted and PAGE.fullmatch(page.name):
            page.unlink()
    atomic_write(folder / "index.html", index_page.render(overview).encode())
    atomic_write(folder / "summary.csv", summary_csv.render(overview).encode("utf-8-sig"))
    atomic_write(folder / "junit.xml", junit.render(overview, divergences.accused))
    summary_xlsx.write(folder / "summary.xlsx", overview, divergences)
    grades_path = folder / "grades.csv"
    if overview.graded:
        atomic_write(grades_path, grades.render().encode("utf-8-sig"))
    else:
        grades_path.unlink(missing_ok=True)
    return overview.rows


def _write_quickly(path: Path, text: str) -> None:
    """Whole or not at all, without waiting for the disk: a page that a crash loses is written again by the next run."""
    temporary = path.with_suffix(".tmp")
    temporary.write_bytes(text.encode("utf-8", "backslashreplace"))
    os.replace(temporary, path)


class _JsonFile:
    """``report.json``, written record by record."""

    def __init__(self, path: Path, tool: str) -> None:
        self._path = path
        self._temporary = path.with_suffix(".tmp")
        self._tool = tool
        self._count = 0

    def __enter__(self) -> _JsonFile:
        self._stream = open(self._temporary, "w", encoding="utf-8", errors="backslashreplace", newline="\n")
        self._stream.write(f'{{"schema": {SCHEMA}, "tool": {json.dumps(self._tool)}, "files": [')
        return self

    def add(self, record: dict[str, Any]) -> None:
        self._stream.write(",\n" if self._count else "\n")
        json.dump(record, self._stream, ensure_ascii=False, allow_nan=False)
        self._count += 1

    def finish(self, overview: Overview) -> None:
        common = [
            {
                "cause": slip.cause,
                "sheet": slip.sheet,
                "cells": list(slip.cells),
                "files": [overview.rows[position].name for position in slip.files],
            }
            for slip in overview.slips.common()
        ]
        rest = {
            "totals": overview.totals,
            "common_slips": common,
            "skipped": [{"path": item.name, "reason": item.reason} for item in overview.skipped],
        }
        self._stream.write("],\n" + json.dumps(rest, ensure_ascii=False)[1:] + "\n")

    def __exit__(self, kind: object, value: object, traceback: object) -> None:
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()
        if kind is None:
            os.replace(self._temporary, self._path)
        else:
            self._temporary.unlink(missing_ok=True)
