"""The reports on a class: every slip at its cell, every broken file a row, none lost, the same bytes whatever the
workers.
"""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import openpyxl
import pytest

from tests.batch.class_set import ClassSet
from tests.batch.conftest import Judged, assert_same
from xlsx_attention.batch import Settings, run_batch
from xlsx_attention.batch.summary_csv import guarded, to_csv
from xlsx_attention.batch.supervisor import LocalWorkers


def test_every_slip_is_found_at_its_cell_and_nothing_else(judged: Judged) -> None:
    report = json.loads((judged.folder / "report.json").read_text(encoding="utf-8"))
    found = {Path(file["path"]).name: file for file in report["files"]}
    assert len(found) == judged.made.files
    for name, file in found.items():
        accused = [(c["cell"], c["verdict"]) for c in file.get("cells", ()) if c["verdict"] in ("origin", "overridden")]
        if name in judged.made.slips:
            slip = judged.made.slips[name]
            assert [cell for cell, _ in accused] == [slip.cell], name
            assert accused[0][1] in slip.verdicts, name
        elif name in judged.made.broken:
            assert file["status"] == "unreadable", name
            assert file["error"]["message"], name
        else:
            assert (file["status"], accused) == ("agrees", []), name


def test_totals_add_up(judged: Judged) -> None:
    totals = json.loads((judged.folder / "report.json").read_text(encoding="utf-8"))["totals"]
    assert totals["files"] == 60
    assert (totals["agrees"], totals["diverges"], totals["unreadable"]) == (40, 12, 8)
    assert (totals["failed"], totals["not-run"]) == (0, 0)
    # 856 formulas in each copy; a value typed over a formula still counts as a computed cell.
    assert totals["computed"] == 52 * 856
    assert totals["origins"] + totals["overridden"] == 12
    assert judged.result.exit_code == 4


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_number_of_workers_does_not_show(judged: Judged, tmp_path: Path, jobs: int) -> None:
    run_batch([judged.made.folder], tmp_path / "out", Settings(), runner=LocalWorkers(jobs))
    assert_same(tmp_path / "out", judged.folder)


def test_junit_counts(judged: Judged) -> None:
    root = ET.parse(judged.folder / "junit.xml").getroot()
    [suite] = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("60", "12", "8")
    assert len(suite.findall("testcase")) == 60
    failed = {case.get("name"): case.find("failure") for case in suite if case.find("failure") is not None}
    for name, slip in judged.made.slips.items():
        failure = failed[name]
        assert failure is not None
        assert re.search(rf"!{slip.cell}: ", failure.text or ""), name


def test_summary_table_read_by_another_reader(judged: Judged) -> None:
    book = openpyxl.load_workbook(judged.folder / "summary.xlsx")
    sheet = book["files"]
    assert sheet.tables["Files"].ref.startswith("A1:")
    rows = list(sheet.iter_rows(values_only=True))
    assert rows[0][:3] == ("file", "status", "score")
    assert len(rows) == 61
    divergences = list(book["divergences"].iter_rows(values_only=True))
    accused = {(Path(row[0]).name, row[2]) for row in divergences[1:] if row[3] in ("origin", "overridden")}
    assert accused == {(name, slip.cell) for name, slip in judged.made.slips.items()}


def test_summary_csv(judged: Judged) -> None:
    text = (judged.folder / "summary.csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 60
    assert sum(row["status"] == "diverges" for row in rows) == 12


@pytest.mark.parametrize("text", ["=1+1", "+A1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1"])
def test_csv_starts_no_formula(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert list(csv.reader(io.StringIO(to_csv(["name"], [[text]]), newline="")))[1] == [f"'{text}"]


def test_common_slips_come_first(class_set: ClassSet, tmp_path: Path) -> None:
    slips = sorted(class_set.slips)
    shared, other = class_set.folder / slips[0], class_set.folder / slips[1]
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(3):
        # The same slip, but not the same file: one more byte in the package's comment.
        data = shared.read_bytes()
        end = data.rindex(b"PK\x05\x06")
        length = int.from_bytes(data[end + 20 : end + 22], "little") + 1
        changed = data[: end + 20] + length.to_bytes(2, "little") + data[end + 22 :] + str(number).encode()
        (folder / f"{number}.xlsx").write_bytes(changed)
    (folder / "other.xlsx").write_bytes(other.read_bytes())
    run_batch([folder], tmp_path / "out", runner=LocalWorkers(1))
    first, second = json.loads((tmp_path / "out" / "report.json").read_text())["common_slips"][:2]
    assert (first["cells"], len(first["files"])) == ([class_set.slips[slips[0]].cell], 3)
    assert (second["cells"], len(second["files"])) == ([class_set.slips[slips[1]].cell], 1)


def test_one_content_under_two_names_is_judged_once(class_set: ClassSet, tmp_path: Path) -> None:
    name = min(class_set.slips)
    data = (class_set.folder / name).read_bytes()
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "<b>one&.xlsx").write_bytes(data)
    (folder / "two.xlsx").write_bytes(data)
    result = run_batch([folder], tmp_path / "out", runner=LocalWorkers(1))
    assert result.judged == 1
    assert [row.origins + row.overridden for row in result.rows] == [1, 1]
    assert [row.same_as for row in result.rows] == ["", result.rows[0].name]
    page = (tmp_path / "out" / result.rows[0].page).read_text(encoding="utf-8")
    assert "&lt;b&gt;one&amp;.xlsx" in page
    assert "<b>one" not in page + (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "out" / result.rows[1].page).is_file()


def test_pages_load_nothing(judged: Judged) -> None:
    for path in [judged.folder / "index.html", *sorted((judged.folder / "pages").iterdir())[:3]]:
        page = path.read_text(encoding="utf-8")
        assert "default-src 'none'" in page
        assert "unsafe-inline" not in page
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
