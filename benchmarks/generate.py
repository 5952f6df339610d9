"""Write a large lesson, one formula a cell: ``python benchmarks/generate.py [S] [D]``; prints time, rate and memory.

Guide figures of S=512 and D=64: at most 20 s and 1 GiB. The formula rates compare XlsxWriter's own way with that of the
stored form on the same million of formulas.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import xlsxwriter

from xlsx_attention.generating import generate
from xlsx_attention.model.example import ExampleSpec
from xlsx_attention.writing import open_workbook

FORMULAS = (200, 1000)


def lesson(S: int, D: int, folder: Path) -> str:
    started, used = time.perf_counter(), time.process_time()
    spec = ExampleSpec(tokens=[f"t{i}" for i in range(S - 2)], length=S, d_model=D)
    cells = 0

    def count(done: int, total: int) -> None:
        nonlocal cells
        cells = total // 2  # laid down, then written

    [path] = generate(spec, folder / "lesson.xlsx", progress=count)
    seconds = time.perf_counter() - started
    used = time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = path.stat().st_size / 1e6
    return (
        f"S={S} D={D}: {cells:,} cells in {seconds:.1f} s ({used:.1f} s of processor), "
        f"{cells / seconds:,.0f} a second, {peak:.0f} MiB, {size:.0f} MB"
    )


def rates(folder: Path) -> str:
    rows, columns = FORMULAS
    started = time.perf_counter()
    plain = xlsxwriter.Workbook(folder / "plain.xlsx")
    sheet = plain.add_worksheet()
    for i in range(rows):
        for j in range(columns):
            sheet.write_formula(i, j, f"=MMULT($B{i + 1}:$I{i + 1},K$10:K$17)", None, 0.5)
    plain.close()
    between = time.perf_counter()
    with open_workbook(folder / "stored.xlsx") as book:
        stored = book.add_worksheet()
        for i in range(rows):
            for j in range(columns):
                stored.write_formula_cached(i, j, f"MMULT($B{i + 1}:$I{i + 1},K$10:K$17)", None, 0.5)
    ended = time.perf_counter()
    own, ours = (rows * columns / seconds for seconds in (between - started, ended - between))
    return f"formulas a second: XlsxWriter {own:,.0f}, stored form {ours:,.0f}"


if __name__ == "__main__":
    S, D = (int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (512, 64)
    with tempfile.TemporaryDirectory() as name:
        print(lesson(S, D, Path(name)))
        print(rates(Path(name)))
