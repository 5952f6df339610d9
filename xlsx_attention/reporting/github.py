"""The report as GitHub's workflow commands, which its runner turns into annotations.

Source: GitHub's page "Workflow commands for GitHub Actions". ``%``, carriage return and line feed are escaped in
messages, ``:`` and ``,`` as well in properties, so that no text of a file can begin a command of its own.
"""

from __future__ import annotations

from typing import Final

from xlsx_attention.model.report import FileReport, Report
from xlsx_attention.reporting.facts import ACCUSED, show
from xlsx_attention.reporting.safe import visible
from xlsx_attention.reporting.words import cause_words

#: A run shows ten annotations of a kind; the rest would only fill its log.
_SHOWN: Final = 50


def _message(text: str) -> str:
    return visible(text, 2000).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def render_github(report: Report, language: str = "en", color: bool = False) -> str:
    """The form ``github``: a line an accused cell, finding or unreadable file."""
    return "\n".join(line for file in report.files for line in _lines(file, language))


def _lines(file: FileReport, language: str) -> list[str]:
    if file.error is not None:
        return [_command("error", file.path, file.error.code, file.error.message)]
    names = {sheet.index: sheet.name for sheet in file.sheets}
    lines = []
    accused = [cell for cell in file.cells if cell.verdict in ACCUSED]
    for cell in accused[:_SHOWN]:
        words = cause_words(cell.cause, language) if cell.cause else cell.verdict
        text = f"{words}: stored {show(cell.cached)}, recomputed {show(cell.from_precedents)} {cell.formula}"
        lines.append(_command("error", file.path, f"{names[cell.sheet]}!{cell.cell}", text))
    if len(accused) > _SHOWN:
        lines.append(_command("error", file.path, "more", f"{len(accused) - _SHOWN} more cells are accused"))
    for finding in file.findings[:_SHOWN]:
        where = f"{names[finding.sheet]}!{finding.rect.a1}"
        lines.append(_command("warning", file.path, where, finding.message[language]))
    return lines


def _command(level: str, path: str, title: str, text: str) -> str:
    return f"::{level} file={_property(path)},title={_property(title)}::{_message(text)}"
