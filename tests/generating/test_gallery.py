"""The workbooks that ship with the project: made by their script, and judged by the tool as they should be."""

from __future__ import annotations

import io
import runpy
import zipfile
from pathlib import Path

import pytest

from xlsx_attention import pipeline

WITH_MISTAKES = "find-the-mistake.xlsx"


def parts(data: bytes) -> dict[str, bytes]:
    """What is in the archive: how small it is packed depends on the machine's zlib."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_script_gives_the_same_bytes(project: Path, tmp_path: Path) -> None:
    script = runpy.run_path(str(project / "scripts" / "make_workbooks.py"))
    for folder in ("once", "again"):
        script["main"](tmp_path / folder)
    made = sorted(path.name for path in (tmp_path / "once").iterdir())
    assert len(made) == 14
    for name in made:
        data, shipped = (tmp_path / "once" / name).read_bytes(), (project / "workbooks" / name).read_bytes()
        assert data == (tmp_path / "again" / name).read_bytes(), name
        same = parts(data) == parts(shipped) if name.endswith(".xlsx") else data == shipped
        assert same, f"{name}: run scripts/make_workbooks.py"


def test_every_workbook_has_its_line(project: Path) -> None:
    lines = (project / "workbooks" / "README.md").read_text(encoding="utf-8").splitlines()
    named = {line.split("`")[1] for line in lines if line.startswith("| `")}
    assert named == {path.name for path in (project / "workbooks").glob("*.xlsx")}


@pytest.mark.parametrize("name", [path.name for path in (Path(__file__).parents[2] / "workbooks").glob("*.xlsx")])
def test_each_is_judged_as_it_should_be(project: Path, name: str) -> None:
    report = pipeline.verify_file(project / "workbooks" / name)
    assert report.error is None
    assert report.ok == (name != WITH_MISTAKES)
    found = {verdict for verdict, count in report.counts.items() if count}
    if name == WITH_MISTAKES:
        assert report.counts["origin"] == 3
    elif name == "exercise.xlsx":
        assert found == {"agrees", "no-cached-value"}
    else:
        assert found <= {"agrees"}
