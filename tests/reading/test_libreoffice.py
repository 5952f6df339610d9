"""A workbook that LibreOffice calculated and saved: who saved it, and how many digits it stores."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.reading import packages
from xlsx_attention.reading import read_workbook

CONTENT_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
)


def test_saved_by_libreoffice(soffice: str, tmp_path: Path) -> None:
    rows = "".join(
        packages.row(n, f'<c r="A{n}"><v>{n}</v></c><c r="B{n}"><f>A{n}/7</f></c><c r="C{n}"><f>"x"&amp;A{n}</f></c>')
        for n in range(1, 31)
    )
    source = tmp_path / "source.xlsx"
    source.write_bytes(packages.pack({**packages.parts(rows), "[Content_Types].xml": CONTENT_TYPES}))
    out = tmp_path / "out"
    profile = (tmp_path / "profile").as_uri()
    convert = ["--headless", "--convert-to", "xlsx", "--outdir", str(out), str(source)]
    subprocess.run(
        [soffice, f"-env:UserInstallation={profile}", *convert], check=True, capture_output=True, timeout=100
    )
    grid = read_workbook(out / "source.xlsx")
    assert grid.provenance.application == "LibreOffice"
    assert grid.provenance.digits == 15
    assert not grid.notices
    assert grid.sheets[0].formula_count == 60
    for row in range(30):
        found = grid.number(0, row, 1)
        assert found is not None
        assert abs(found - (row + 1) / 7) <= 1e-14 * found
        assert grid.value(0, row, 2).python == f"x{row + 1}"
