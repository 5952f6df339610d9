"""Every form that a report takes as text: name → renderer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from xlsx_attention.model.report import Report

#: Gives the text of a report in ``language`` (``en`` or ``zh``), with ANSI colours where the form has them and
#: ``color`` asks.
Renderer = Callable[[Report, str, bool], str]


@dataclass(frozen=True, slots=True)
class Form:
    """``function`` of ``module`` renders; modules load when they are used."""

    module: str
    function: str
    suffix: str

    def render(self, report: Report, language: str = "en", color: bool = False) -> str:
        renderer: Renderer = getattr(import_module(f"xlsx_attention.reporting.{self.module}"), self.function)
        return renderer(report, language, color)


FORMATS: Final[dict[str, Form]] = {
    "text": Form("terminal", "render_text", ".txt"),
    "json": Form("json_report", "render_json", ".json"),
    "csv": Form("csv_report", "render_csv", ".csv"),
    "junit": Form("junit", "render_junit", ".xml"),
    "html": Form("html", "render_html", ".html"),
    "sarif": Form("sarif", "render_sarif", ".sarif"),
    "github": Form("github", "render_github", ".txt"),
}
