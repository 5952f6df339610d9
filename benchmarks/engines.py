"""Ours against IronCalc and formulon, in turn, on one sheet: ``python benchmarks/engines.py [S ...]`` (default 64 128).

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


def ours(path: str, _: str) -> tuple[int, int]:
    from xlsx_attention.pipeline import verify_file

    report = verify_file(path)
    assert report.ok, report.error
    return report.computed, report.bit_equal


def ironcalc(path: str, stored: str) -> tuple[int, int]:
    import ironcalc

    model = ironcalc.load_from_xlsx(path, "en", "UTC", "en")
    model.evaluate()
    return _count(lambda row, column: model.get_cell_value(0, row + 1, column + 1), stored)


def formulon(path: str, stored: str) -> tuple[int, int]:
    import formulon

    book = formulon.Workbook.load(Path(path).read_bytes())
    book.recalc()

    def value(row: int, column: int) -> object:
        found = book.get_value(0, row, column)
        return found.number

    return _count(value, stored)


def _count(value: Callable[[int, int], object], stored: str) -> tuple[int, int]:
    """Read every result back, and compare it with the stored one."""
    from xlsx_attention.reading import read_workbook

    started = time.perf_counter()
    grid = read_workbook(stored)
    sheet = grid.sheets[0]
    global _own  # our own reading is not the other engine's time
    _own = time.perf_counter() - started
    same = 0
    for row, column in zip(sheet.formula_rows.tolist(), sheet.formula_columns.tolist(), strict=True):
        same += value(row, column) == sheet.cached.get(row, column)[0]
    return sheet.formula_count, same


_own = 0.0
ENGINES: dict[str, Callable[[str, str], tuple[int, int]]] = {"ours": ours, "ironcalc": ironcalc, "formulon": formulon}


def child(engine: str, path: str, stored: str) -> None:
    started = time.perf_counter()
    cells, same = ENGINES[engine](path, stored)
    seconds = time.perf_counter() - started - _own
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak, "cells": cells, "same": same}))


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
        return
    names = [a for a in sys.argv[1:] if a in ENGINES] or list(ENGINES)
    sizes = [int(a) for a in sys.argv[1:] if a.isdigit()] or [64, 128]
    print(f"{'S':>4} {'engine':10} {'cells':>9} {'seconds':>8} {'ours ×':>7} {'MiB':>6} {'bit-equal':>9}")
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
                    print(f"{size:4} {name:10} failed: {done.stderr.strip().splitlines()[-1:]}")
                    continue
                figures = json.loads(done.stdout.splitlines()[-1])
                base = base or figures["seconds"]
                print(
                    f"{size:4} {name:10} {figures['cells']:9,} {figures['seconds']:8.2f} {figures['seconds'] / base:7.1f} "
                    f"{figures['peak']:6.0f} {figures['same']:9,}"
                )


if __name__ == "__main__":
    main()
