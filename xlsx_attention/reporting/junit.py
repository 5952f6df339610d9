"""The report as JUnit XML, for CI: a test suite a file, a test case a block, a failure where a cell of it diverges."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from typing import Final
from xml.etree import ElementTree

from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import CellResult, FileReport, Report
from xlsx_attention.reporting.facts import ACCUSED, bad_count, show
from xlsx_attention.reporting.words import cause_words

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SHOWN: Final = 50


def _clean(text: str) -> str:
    return _NOT_XML.sub("�", text)


def render_junit(report: Report, language: str = "en", color: bool = False) -> str:
    """The form ``junit``."""
    root = ElementTree.Element("testsuites", name=_clean(report.tool or "xlsx-attention"))
    totals = [0, 0, 0]
    for file in report.files:
        suite = _suite(root, file, language)
        for position, key in enumerate(("tests", "failures", "errors")):
            totals[position] += int(suite.get(key, "0"))
    for key, total in zip(("tests", "failures", "errors"), totals, strict=True):
        root.set(key, str(total))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _suite(root: ElementTree.Element, file: FileReport, language: str) -> ElementTree.Element:
    suite = ElementTree.SubElement(root, "testsuite", name=_clean(file.path), time=f"{file.seconds:.3f}")
    tests = failures = errors = 0
    if file.error is not None:
        case = ElementTree.SubElement(suite, "testcase", classname=_clean(file.path), name="read")
        error = ElementTree.SubElement(case, "error", type=file.error.code, message=_clean(file.error.message))
        error.text = _clean(file.error.message)
        tests = errors = 1
    by_row: dict[tuple[int, int], list[CellResult]] = defaultdict(list)
    for cell in file.cells:
        if cell.verdict in (*ACCUSED, "inherited"):
            by_row[cell.sheet, cell.row].append(cell)
    for sheet in file.sheets:
        for block in sheet.blocks:
            tests += 1
            name = f"{block.role} {block.rect.a1}".strip()
            case = ElementTree.SubElement(suite, "testcase", classname=_clean(sheet.name), name=_clean(name))
            bad = bad_count(dict(block.counts))
            if bad:
                failures += 1
                here = _inside(by_row, sheet.index, block.rect)
                message = f"{bad} of {block.rect.size} cells diverge from {block.formula}"
                failure = ElementTree.SubElement(case, "failure", type="divergence", message=_clean(message))
                failure.text = _clean("\n".join(_line(cell, language) for cell in here))
    for finding in file.findings:
        tests += 1
        failures += 1
        name = f"{finding.cause} {finding.rect.a1}"
        sheet_name = next((s.name for s in file.sheets if s.index == finding.sheet), "")
        case = ElementTree.SubElement(suite, "testcase", classname=_clean(sheet_name), name=_clean(name))
        text = _clean(finding.message[language])
        ElementTree.SubElement(case, "failure", type=finding.cause, message=text).text = text
    wrong = [figure for figure in file.published if not figure.agrees]
    if file.published:
        tests += 1
        case = ElementTree.SubElement(suite, "testcase", classname=_clean(file.path), name="published figures")
        if wrong:
            failures += 1
            message = f"{len(wrong)} of {len(file.published)} printed figures differ"
            failure = ElementTree.SubElement(case, "failure", type="published", message=message)
            failure.text = "\n".join(
                f"{f.step}[{f.row},{f.column}] printed {f.printed}, recomputed {f.recomputed}" for f in wrong
            )
    for key, count in (("tests", tests), ("failures", failures), ("errors", errors)):
        suite.set(key, str(count))
    return suite


def _inside(by_row: dict[tuple[int, int], list[CellResult]], sheet: int, rect: Rect) -> list[CellResult]:
    """The first cells of a rectangle; those of a row stand in order."""
    found: list[CellResult] = []
    for row in range(rect.top, rect.bottom):
        cells = by_row.get((sheet, row), [])
        first = bisect_left(cells, rect.left, key=lambda cell: cell.column)
        found += cells[first : bisect_left(cells, rect.right, key=lambda cell: cell.column)]
        if len(found) >= _SHOWN:
            break
    return found[:_SHOWN]


def _line(cell: CellResult, language: str) -> str:
    cause = f" ({cause_words(cell.cause, language)})" if cell.cause else ""
    origins = f" begins at {' '.join(cell.origins)}" if cell.origins else ""
    return (
        f"{cell.cell} {cell.verdict}{cause}: stored {show(cell.cached)}, from inputs {show(cell.from_inputs)}{origins}"
    )
