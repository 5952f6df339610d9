"""Workbooks whose cells no recomputation can judge alone: cycles, iteration, volatile functions, other workbooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reading import packages
from xlsx_attention.model.address import parse_cell
from xlsx_attention.model.report import FileReport
from xlsx_attention.pipeline import verify_file


def verified(tmp_path: Path, rows: str, **more: object) -> FileReport:
    path = tmp_path / "book.xlsx"
    path.write_bytes(packages.book(rows, **more))
    report = verify_file(path)
    assert report.error is None
    return report


def verdicts(report: FileReport, *cells: str) -> list[str | None]:
    return [report.sheets[0].verdict(*parse_cell(cell)) for cell in cells]


def cell(name: str, value: float, formula: str = "") -> str:
    inner = f"<f>{formula}</f>" if formula else ""
    return f'<c r="{name}">{inner}<v>{value!r}</v></c>'


def iterating(delta: float = 0.001) -> str:
    return f'<calcPr calcId="191029" iterate="1" iterateCount="100" iterateDelta="{delta!r}"/>'


def steps(passes: int) -> tuple[float, float]:
    """Newton's way to √2 as Excel iterates it, A1 = (B1+2/B1)/2 and B1 = A1: the cells after so many passes."""
    b = 1.0
    a = b
    for _ in range(passes):
        a = (b + 2.0 / b) / 2.0
        b = a
    return a, b


def newton(a: float, b: float) -> str:
    # IF(B1=0,1,B1) starts the cycle, as lessons write it.
    start = cell("A1", a, "(IF(B1=0,1,B1)+2/IF(B1=0,1,B1))/2") + cell("B1", b, "A1")
    return packages.row(1, start + cell("C1", b * 10, "B1*10") + cell("D1", 4.0, "2+2"))


def test_a_cycle_that_has_settled_agrees_where_the_file_iterates(tmp_path: Path) -> None:
    report = verified(tmp_path, newton(*steps(20)), book_after=iterating())
    assert verdicts(report, "A1", "B1", "C1", "D1") == ["agrees"] * 4
    assert report.ok


def test_a_cycle_stopped_within_the_files_own_limit_agrees(tmp_path: Path) -> None:
    # After 3 passes the next one moves A1 by 2e-6: more than the tolerance, less than iterateDelta, where Excel stops.
    a, b = steps(3)
    assert 1e-6 < abs(a - steps(4)[0]) < 1e-3
    assert verdicts(verified(tmp_path, newton(a, b), book_after=iterating()), "A1", "B1", "C1") == ["agrees"] * 3
    assert verdicts(verified(tmp_path, newton(a, b), book_after=iterating(1e-9)), "A1") == ["circular"]


def test_a_cycle_that_has_not_settled_is_reported_as_such(tmp_path: Path) -> None:
    report = verified(tmp_path, newton(1.5, 1.5), book_after=iterating())
    assert verdicts(report, "A1", "C1", "D1") == ["circular", "agrees", "agrees"]


def test_a_cycle_in_a_file_that_does_not_iterate_is_circular_with_its_cells_named(tmp_path: Path) -> None:
    report = verified(tmp_path, newton(*steps(20)))
    assert verdicts(report, "A1", "B1", "C1", "D1") == ["circular", "circular", "agrees", "agrees"]
    assert report.plan is not None
    assert report.plan.cycles == (((0, 0, 0), (0, 0, 1)),)
    assert {c.cell for c in report.cells if c.verdict == "circular"} == {"A1", "B1"}


def test_volatile_cells_are_judged_from_what_the_file_stores(tmp_path: Path) -> None:
    # Any number will do for RAND; what follows from it must follow from that number.
    rows = packages.row(
        1,
        cell("A1", 0.25, "RAND()") + cell("B1", 0.5, "A1*2") + cell("C1", 46000.5, "NOW()")
        + cell("D1", 46001.5, "C1+1") + cell("E1", 0.75, "A1*2") + cell("F1", 3.0, "1+2")
        + cell("G1", 7.0, "RANDBETWEEN(1,9)"),
    )  # fmt: skip
    report = verified(tmp_path, rows)
    assert verdicts(report, "A1", "B1", "C1", "D1", "F1", "G1") == [
        "volatile", "volatile", "volatile", "volatile", "agrees", "volatile",
    ]  # fmt: skip
    # E1 is not twice A1.
    assert verdicts(report, "E1") == ["origin"]


@pytest.fixture
def linked() -> dict[str, object]:
    """A link to another workbook, of which the file remembers that Data!A1 is 21."""
    link = (
        f'<externalLink xmlns="{packages.MAIN}"><externalBook><sheetNames><sheetName val="Data"/></sheetNames>'
        '<sheetDataSet><sheetData sheetId="0"><row r="1"><cell r="A1"><v>21</v></cell></row></sheetData></sheetDataSet>'
        "</externalBook></externalLink>"
    )
    return {
        "book_after": '<externalReferences><externalReference r:id="x1"/></externalReferences>',
        "extra": {"xl/externalLinks/l1.xml": link},
        "links": (("x1", "externalLink", "externalLinks/l1.xml"),),
    }


def test_other_workbooks_are_taken_as_the_file_remembers_them(tmp_path: Path, linked: dict[str, object]) -> None:
    rows = packages.row(1, cell("A1", 42.0, "[1]Data!A1*2") + cell("B1", 43.0, "A1+1") + cell("C1", 44.0, "A1+1"))
    report = verified(tmp_path, rows, **linked)
    assert verdicts(report, "A1", "B1", "C1") == ["external", "agrees", "origin"]
    assert report.sheets[0].from_precedents.get(0, 0)[0] == 42.0
