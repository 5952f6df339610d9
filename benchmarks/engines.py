"""Ours against IronCalc, formulon and formualizer on one sheet: ``python benchmarks/engines.py [S | engine ...]``.

Each engine runs in a process of its own on a self-attention sheet of S tokens, D = 64, one formula a cell
(``benchmarks/large_sheet.py``): it loads the file, computes every formula and reads every value back. The others get
a copy without stored results (they would keep them); ours gets the file as it is and does more: it also judges every
cell against the stored result. Prints seconds, peak memory, and how many of the results equal the stored ones to the
bit. A figure of one machine on one day: quote the ratio.
"""

from __future__ import annotations

import io
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import xlsxwriter

HERE = Path(__file__).resolve().parent


def strip(source: Path, target: Path) -> None:
    """A copy without the results stored under formulas."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                data = re.sub(rb"</f><v>[^<]*</v>", b"</f>", data)
            new.writestr(name, data)
        # Styles, theme and properties, which IronCalc will not do without, as XlsxWriter writes them.
        empty = io.BytesIO()
        book = xlsxwriter.Workbook(empty)
        book.add_worksheet()
        book.close()
        with zipfile.ZipFile(empty) as skeleton:
            for name in skeleton.namelist():
                if name not in old.namelist():
                    new.writestr(name, skeleton.read(name))


Values = dict[tuple[int, int], object]


def ours(path: str) -> Values:
    from xlsx_attention.pipeline import verify_file

    report = verify_file(path)
    assert report.ok, report.error
    plane = report.sheets[0].from_inputs
    return dict(zip(plane.rect.cells(), plane.number.ravel().tolist(), strict=True))


def ironcalc(path: str) -> Values:
    import ironcalc

    model = ironcalc.load_from_xlsx(path, "en", "UTC", "en")
    model.evaluate()
    first_row, last_row, first_column, last_column = model.get_sheet_dimensions(0)
    return {
        (row - 1, column - 1): model.get_cell_value(0, row, column)
        for row in range(first_row, last_row + 1)
        for column in range(first_column, last_column + 1)
    }


def formulon(path: str) -> Values:
    import formulon

    book = formulon.Workbook.load(Path(path).read_bytes())
    book.recalc()
    return {(cell.row, cell.col): cell.value.number for cell in book.iter_cells(0)}


def formualizer(path: str) -> Values:
    import formualizer

    book = formualizer.load_workbook(path)
    book.evaluate_all()
    name = book.sheet_names[0]
    rows = book.sheet(name).get_values(formualizer.RangeAddress(name, 1, 1, LAST_ROW, LAST_COLUMN))
    return {(i, j): value for i, row in enumerate(rows) for j, value in enumerate(row)}


#: As far as the sheet goes for S up to 512.
LAST_ROW, LAST_COLUMN = 5_000, 520
ENGINES: dict[str, Callable[[str], Values]] = {
    "ours": ours, "ironcalc": ironcalc, "formulon": formulon, "formualizer": formualizer,
}  # fmt: skip


def child(engine: str, path: str, stored: str) -> None:
    """Load, compute, read every value back: that is timed; comparing with the stored results is not."""
    started = time.perf_counter()
    processor = time.process_time()
    values = ENGINES[engine](path)
    seconds, busy = time.perf_counter() - started, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    from xlsx_attention.reading import read_workbook

    sheet = read_workbook(stored).sheets[0]
    places = list(zip(sheet.formula_rows.tolist(), sheet.formula_columns.tolist(), strict=True))
    same = sum(values.get(place) == sheet.cached.get(*place)[0] for place in places)
    figures = {"seconds": seconds, "processor": busy, "peak": peak, "cells": len(places), "same": same}
    print(json.dumps(figures))


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
        return
    names = [a for a in sys.argv[1:] if a in ENGINES] or list(ENGINES)
    sizes = [int(a) for a in sys.argv[1:] if a.isdigit()] or [64, 128]
    print("   S engine          cells  seconds processor  ours x    MiB bit-equal")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            full, bare = Path(folder) / "full.xlsx", Path(folder) / "bare.xlsx"
            subprocess.run([sys.executable, HERE / "large_sheet.py", str(size), "64", str(full)], check=True)
            strip(full, bare)
            base = None
            for name in names:
                path = full if name == "ours" else bare
                call = [sys.executable, str(Path(__file__)), "--child", name, str(path), str(full)]
                done = subprocess.run(call, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"{size:4} {name:11} failed: {done.stderr.strip().splitlines()[-1:]}")
                    continue
                figures = json.loads(done.stdout.splitlines()[-1])
                base = base or figures["processor"]
                print(
                    f"{size:4} {name:11} {figures['cells']:9,} {figures['seconds']:8.2f} {figures['processor']:9.2f} "
                    f"{figures['processor'] / base:7.1f} {figures['peak']:6.0f} {figures['same']:9,}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
