"""Other programs' values for a generated workbook: the copy they get stores wrong results, or none."""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import openpyxl

from xlsx_attention.generating.drawing import Drawn
from xlsx_attention.model.address import Rect, cell_name

_RESULT = re.compile(rb"(</f>)<v>[^<]*</v>")
_ARRAY = re.compile(rb'<f t="array" ref="([A-Z0-9:]+)">')
_CONSTANT = re.compile(rb'<c r="([A-Z]+[0-9]+)"((?: s="[0-9]+")?)><v>[^<]*</v></c>')


def without_results(data: bytes, instead: bytes = b"") -> bytes:
    """The workbook with every formula's stored result replaced, those of an array's members too."""
    source, target = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in source.namelist():
            part = source.read(name)
            if name.startswith("xl/worksheets/sheet"):
                part = _RESULT.sub(rb"\1" + instead, part)
                members = {cell for ref in _ARRAY.findall(part) for cell in _cells(ref.decode())}
                part = _CONSTANT.sub(lambda cell, members=members: _member(cell, members, instead), part)
            copy.writestr(name, part)
    return target.getvalue()


def _cells(ref: str) -> set[bytes]:
    return {cell_name(row, column).encode() for row, column in Rect.parse(ref).cells()}


def _member(cell: re.Match[bytes], members: set[bytes], instead: bytes) -> bytes:
    return b'<c r="' + cell[1] + b'"' + cell[2] + b">" + instead + b"</c>" if cell[1] in members else cell[0]


def by_libreoffice(soffice: str, data: bytes, folder: Path) -> openpyxl.Workbook:
    """LibreOffice's own results: the copy stores none."""
    source = folder / "in.xlsx"
    source.write_bytes(without_results(data))
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = [soffice, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder / "out"), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    return openpyxl.load_workbook(folder / "out" / "in.xlsx", data_only=True)


def laid_blocks(drawn: Drawn) -> Iterator[tuple[str, int, int, np.ndarray]]:
    """Key, first row and column (from 0) and numbers as they lie, of every block."""
    for key, rect in drawn.page.rects.items():
        values = drawn.values[key]
        yield key, rect.top, rect.left, values.T if drawn.refs.columns else values
