"""The report as SARIF 2.1.0, which code hosts show beside a change. Cells that only inherit a difference are left
out.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from xlsx_attention.model.report import FileReport, Report
from xlsx_attention.reporting.facts import ACCUSED, show
from xlsx_attention.reporting.words import CAUSES, cause_words

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def render_sarif(report: Report, language: str = "en", color: bool = False) -> str:
    """The form ``sarif``: a rule a cause, a result an accused cell, a finding or a file that could not be read."""
    results: list[dict[str, Any]] = []
    for file in report.files:
        results += _results(file, language)
    rules = sorted({result["ruleId"] for result in results})
    name, _, version = report.tool.partition(" ")
    driver: dict[str, Any] = {
        "name": name or "xlsx-attention",
        "rules": [
            {"id": rule, "shortDescription": {"text": CAUSES[rule]["en"] if rule in CAUSES else rule}} for rule in rules
        ],
    }
    if version:
        driver["version"] = version
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, ensure_ascii=False, indent=1)


def _results(file: FileReport, language: str) -> list[dict[str, Any]]:
    if file.error is not None:
        return [_result(file, file.error.code, "error", file.error.message, "")]
    names = {sheet.index: sheet.name for sheet in file.sheets}
    results = []
    for cell in file.cells:
        if cell.verdict in ACCUSED:
            words = cause_words(cell.cause, language) if cell.cause else cell.verdict
            text = f"{words}: stored {show(cell.cached)}, recomputed {show(cell.from_precedents)}"
            text += f"; formula {cell.formula}" if cell.formula else ""
            text += f"; its block has {cell.expected}" if cell.expected else ""
            results.append(_result(file, cell.cause or cell.verdict, "error", text, f"{names[cell.sheet]}!{cell.cell}"))
    for finding in file.findings:
        where = f"{names[finding.sheet]}!{finding.rect.a1}"
        results.append(_result(file, finding.cause, "warning", finding.message[language], where))
    return results


def _result(file: FileReport, rule: str, level: str, text: str, where: str) -> dict[str, Any]:
    # A path of this system as a relative reference of RFC 3986; an absolute one as a file URI.
    path = PurePath(_clean(file.path))
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": uri}}}
    if where:
        location["logicalLocations"] = [{"fullyQualifiedName": _clean(where), "kind": "member"}]
    message = f"{where}: {text}" if where else text
    return {"ruleId": rule, "level": level, "message": {"text": _clean(message)}, "locations": [location]}
