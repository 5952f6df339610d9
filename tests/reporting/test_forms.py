"""JSON by its schema, CSV, JUnit, SARIF, GitHub annotations and the terminal, from one report."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from html import escape
from xml.etree import ElementTree

import hypothesis.strategies as st
import jsonschema
import numpy as np
import pytest
from hypothesis import given

from tests.reporting.books import EVIL_SHEET
from xlsx_attention.model.address import Rect
from xlsx_attention.model.report import VERDICTS, FileReport, Finding, PublishedFigure, Report, Text
from xlsx_attention.model.role import ROLES
from xlsx_attention.reporting.csv_report import safe_field
from xlsx_attention.reporting.formats import FORMATS
from xlsx_attention.reporting.json_report import schema_text
from xlsx_attention.reporting.safe import visible


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def full(report: FileReport) -> FileReport:
    """The report with everything that a report can hold."""
    finding = Finding(
        0,
        Rect.parse("B8:C10"),
        "wrong-axis",
        Text("along the wrong axis", "方向错误"),
        "weights",
        np.array([[1.0, np.nan]]),
    )
    figures = (
        PublishedFigure("Q", 0, 0, 0.7, 1, 0.7, "B8", True),
        PublishedFigure("Q", 0, 1, 1.0, 1, float("nan"), "", False),
    )
    return replace(report, findings=(finding,), published=figures)


def test_json_follows_its_schema(both: Report, schema: jsonschema.Draft202012Validator) -> None:
    for report in (both, Report((full(both.files[0]),), "xlsx-attention 9.9"), Report(())):
        data = json.loads(FORMATS["json"].render(report))
        assert list(schema.iter_errors(data)) == []


@pytest.mark.parametrize(
    "name", ["ai-by-hand/Self-Attention", "ai-by-hand/Transformer-Full-Stack", "ironcalc/INFORMATION/CELL"]
)
def test_json_of_public_workbooks(
    public: Callable[[str], FileReport], schema: jsonschema.Draft202012Validator, name: str
) -> None:
    data = json.loads(FORMATS["json"].render(Report((public(name),), "xlsx-attention 9.9")))
    assert list(schema.iter_errors(data)) == []
    [file] = data["files"]
    assert file["counts"]["computed"] == sum(v for k, v in file["counts"].items() if k != "computed")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("files", 0, "status"), "fine"),
        (("files", 0, "counts", "agrees"), -1),
        (("files", 0, "cells", 0, "verdict"), "agrees"),
        (("files", 0, "cells", 0, "cell"), "9C"),
        (("files", 0, "cells", 0, "formula"), "1+1"),
        (("files", 0, "extra"), 1),
        (("files", 1, "error"), None),
        (("schema",), 2),
    ],
)
def test_the_schema_refuses(
    both: Report, schema: jsonschema.Draft202012Validator, path: tuple[str | int, ...], value: object
) -> None:
    data = json.loads(FORMATS["json"].render(both))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert list(schema.iter_errors(data)) != []


def test_the_schema_knows_every_role_and_verdict() -> None:
    definitions = json.loads(schema_text())["$defs"]
    assert set(definitions["roles"]["propertyNames"]["enum"]) >= set(ROLES)
    assert tuple(definitions["verdict"]["enum"]) == VERDICTS


def test_json_numbers_read_back_to_the_bit(both: Report) -> None:
    [cell] = [c for c in json.loads(FORMATS["json"].render(both))["files"][0]["cells"] if c["cell"] == "C9"]
    assert cell["from_inputs"] == 3.0 * 0.2 + 4.0 * 0.4
    assert (cell["sheet"], cell["verdict"], cell["cause"]) == (EVIL_SHEET, "origin", "stale-cache")


def test_csv_has_a_row_a_cell(both: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"].render(both))))
    assert len(rows) == both.files[0].computed + 1
    [cell] = [row for row in rows if row["cell"] == "C9"]
    assert float(cell["from_inputs"]) == 3.0 * 0.2 + 4.0 * 0.4
    assert rows[-1]["error"] != ""


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=1", "'\t=1"),
        ("  =1", "'  =1"),
        ("＝1", "'＝1"),
        ("plain", "plain"),
        (-1.5, "-1.5"),
        (True, "TRUE"),
        (None, ""),
        ("a\ud800", "a?"),
    ],
)
def test_csv_fields_are_no_formulas(value: object, field: str) -> None:
    """OWASP's page on CSV injection names the first characters; numbers stay numbers."""
    assert safe_field(value) == field


@given(st.text())
def test_no_csv_field_begins_a_formula(text: str) -> None:
    assert not safe_field(text).lstrip().startswith(("=", "+", "-", "@"))


def test_junit(both: Report) -> None:
    root = ElementTree.fromstring(FORMATS["junit"].render(both))
    assert root.tag == "testsuites"
    planted, unreadable = root
    blocks = len(both.files[0].sheets[0].blocks)
    assert planted.get("tests") == str(blocks + len(both.files[0].findings))
    assert unreadable.get("errors") == root.get("errors") == "1"
    failures = [case for case in planted if case.find("failure") is not None]
    assert len(failures) == int(planted.get("failures", "")) == int(root.get("failures", "")) > 0
    assert any("C9 origin" in (case.find("failure").text or "") for case in failures)  # type: ignore[union-attr]


def test_junit_holds_what_xml_cannot(both: Report) -> None:
    report = replace(both.files[1], path="a\x00b\ud800\ufffe.xlsx")
    root = ElementTree.fromstring(FORMATS["junit"].render(Report((report,))))
    assert root[0].get("name") == "a�b��.xlsx"


def test_sarif(both: Report) -> None:
    log = json.loads(FORMATS["sarif"].render(Report((full(both.files[0]), both.files[1]), both.tool)))
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    assert run["tool"]["driver"]["name"] == "xlsx-attention"
    assert run["tool"]["driver"]["version"] == "9.9"
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted(set(rules))
    assert {result["ruleId"] for result in run["results"]} == set(rules)
    [stale] = [result for result in run["results"] if result["ruleId"] == "stale-cache"]
    assert stale["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == f"{EVIL_SHEET}!C9"
    assert stale["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("file:///")
    assert {result["level"] for result in run["results"]} == {"error", "warning"}


def test_github_annotations(both: Report) -> None:
    lines = FORMATS["github"].render(both).split("\n")
    assert any(line.startswith("::error file=") and "C9" in line for line in lines)
    assert len(lines) == sum(c.verdict in ("origin", "overridden") for c in both.files[0].cells) + 1


def test_github_lines_hold_no_command_of_the_inputs(both: Report) -> None:
    error = replace(both.files[1].error, message="a%0A\n::error::b")  # type: ignore[type-var]
    text = FORMATS["github"].render(Report((replace(both.files[1], path="x:y,z\n::set-output", error=error),)))
    assert text.count("\n") == 0
    assert "file=x%3Ay%2Cz" in text
    assert "a%250A" in text


def test_text(both: Report) -> None:
    text = FORMATS["text"].render(both)
    assert "C9" in text
    assert "\x1b[" not in text
    assert "\x1b[" in FORMATS["text"].render(both, "en", True)
    assert "差异起点" in FORMATS["text"].render(both, "zh")


@given(st.text())
def test_visible_text_moves_no_cursor(text: str) -> None:
    shown = visible(text)
    assert not any(ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 for letter in shown)
    assert "\u202e" not in shown
    assert len(shown) <= 8 * 201


def test_frame_and_notebook(planted_report: FileReport) -> None:
    frame = planted_report.to_frame()
    assert len(frame) == planted_report.computed
    assert frame.set_index("cell").loc["C9", "verdict"] == "origin"
    assert "<script>" not in planted_report._repr_html_()
    assert "diverges" in planted_report._repr_html_()
    # The sheet's name is markup, and shown as text.
    line = f"{escape(EVIL_SHEET)}!C9: stale-cache, stored 2.7, recomputed 2.2"
    assert line in planted_report._repr_html_()
    assert "<img" not in planted_report._repr_html_()


def test_an_unreadable_file_in_a_notebook(unreadable_report: FileReport) -> None:
    assert unreadable_report.error is not None
    assert escape(unreadable_report.error.message) in unreadable_report._repr_html_()
