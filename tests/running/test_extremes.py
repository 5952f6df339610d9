"""Formulas at and past Excel's limits: an error value, or "not computed" with the reason; the rest is still verified.

Every workbook here is verified in one child process whose memory and processor time are limited by the system, so
that a formula that ate them would end the child, not merely be slow. The default budgets apply, the strict ones where
``strict`` is in the name.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from xlsx_attention.model.values import NUMBER

Fill = Callable[[Any, Any], None]
CHAIN = 100_000

CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
from xlsx_attention.model.budget import Budgets
from xlsx_attention.pipeline import Options, verify_file
for path in sys.argv[1:]:
    budgets = Budgets.batch() if "strict" in path else Budgets()
    report = verify_file(path, Options(recognise=False, budgets=budgets))
    last = report.sheets[0].from_inputs
    bottom = last.get(last.rect.bottom - 1, 0)
    counts = {str(k): n for k, n in report.counts.items() if n}
    found = {"error": str(report.error), "counts": counts, "lacking": list(report.not_computed), "bottom": bottom}
    print(json.dumps(found))
"""


def one(formula: str, value: float | str, **names: str) -> Fill:
    """``formula`` in B1 with the stored ``value``, and beside it a cell that must be verified whatever happens
    there.
    """

    def fill(book: Any, sheet: Any) -> None:
        for name, text in names.items():
            book.define_name(name, text)
        sheet.write(0, 0, 1)
        sheet.write_formula("B1", formula, None, value)
        sheet.write_formula("D9", "=1+1", None, 2)

    return fill


def spilling(formula: str) -> Fill:
    def fill(book: Any, sheet: Any) -> None:
        sheet.write_dynamic_array_formula("B1:B1", formula, None, "#SPILL!")
        sheet.write_formula("D9", "=1+1", None, 2)

    return fill


def chain(stored: bool) -> Fill:
    """A1 = 1, each cell below it one more."""

    def fill(book: Any, sheet: Any) -> None:
        sheet.write(0, 0, 1)
        for row in range(1, CHAIN):
            sheet.write_formula(row, 0, f"=A{row}+1", None, row + 1 if stored else "")

    return fill


def whole_sheet(elsewhere: bool) -> Fill:
    """``=SUM(A:XFD)``, of another sheet and of its own."""

    def fill(book: Any, sheet: Any) -> None:
        sheet.write(0, 0, 1)
        sheet.write(99, 25, 4)
        target = book.add_worksheet("other") if elsewhere else sheet
        target.write_formula("D5", "=SUM(Sheet1!A:XFD)", None, 5 if elsewhere else 0)
        target.write_formula("D9", "=1+1", None, 2)

    return fill


def nested(levels: int) -> str:
    return "=" + "ABS(" * levels + "-1" + ")" * levels


def long_sum(characters: int) -> str:
    """1+1+…+1 with so many characters behind the equals sign (an odd number)."""
    return "=" + "+".join("1" * ((characters + 1) // 2))


#: Name → (workbook, counts of verdicts, a word of the reason why something is not computed).
BOOKS: dict[str, tuple[Fill, dict[str, int], str]] = {
    # No function of that name: Excel stores #NAME?.
    "unknown": (one("=NOSUCHFUNCTION(1)", "#NAME?"), {"agrees": 2}, ""),
    "unknown-inside": (one("=IFERROR(NOSUCHFUNCTION(1),7)", 7), {"agrees": 2}, ""),
    # A function that Excel has and this engine has not is no error of Excel's.
    "lacking": (one('=WEBSERVICE("http://localhost/")', 3), {"agrees": 1, "not-computed": 1}, "WEBSERVICE"),
    "names": (one("=first+1", 0, first="=second", second="=first"), {"agrees": 1, "not-computed": 1}, "circle"),
    "endless": (
        one("=forever(1)", 0, forever="=_xlfn.LAMBDA(_xlpm.n,forever(_xlpm.n+1))"),
        {"agrees": 1, "not-computed": 1},
        "LAMBDA recursion",
    ),
    "wide-strict": (
        one("=twice(1)", 0, twice="=_xlfn.LAMBDA(_xlpm.n,IF(_xlpm.n>60,1,twice(_xlpm.n+1)+twice(_xlpm.n+1)))"),
        {"agrees": 1, "not-computed": 1},
        "--max-",
    ),
    # 5 · 4 · 3 · 2 · 1: a recursion that ends.
    "factorial": (
        one("=fact(5)", 120, fact="=_xlfn.LAMBDA(_xlpm.n,IF(_xlpm.n<2,1,_xlpm.n*fact(_xlpm.n-1)))"), {"agrees": 2}, "",
    ),
    # 8,192 characters and 64 levels are the most that Excel takes.
    "long": (one(long_sum(8_191), 4_096), {"agrees": 2}, ""),
    "too-long": (one(long_sum(8_193), 4_097), {"agrees": 1, "not-computed": 1}, "FORMULA_TOO_LONG"),
    "deep": (one(nested(64), 1), {"agrees": 2}, ""),
    "too-deep": (one(nested(65), 1), {"agrees": 1, "not-computed": 1}, "64 levels"),
    # More than the 32,767 characters of a cell.
    "rept": (one('=REPT("A",1E9)', "#VALUE!"), {"agrees": 2}, ""),
    "rept-doubled": (one('=LEN(REPT(REPT("A",30000),30000))', "#VALUE!"), {"agrees": 2}, ""),
    "sequence": (spilling("=SEQUENCE(1048576,16384)"), {"agrees": 1, "not-computed": 1}, "--max-array"),
    "sequence-summed": (one("=SUM(SEQUENCE(1048576,16384))", 0), {"agrees": 1, "not-computed": 1}, "--max-array"),
    "outer": (one("=SUMPRODUCT(A1:A9999*TRANSPOSE(A1:A9999))", 1), {"agrees": 1, "not-computed": 1}, "--max-array"),
    "chain": (chain(True), {"agrees": CHAIN - 1}, ""),
    "chain-bare": (chain(False), {"no-cached-value": CHAIN - 1}, ""),
    "sum-elsewhere": (whole_sheet(True), {"agrees": 2}, ""),
    "sum-itself": (whole_sheet(False), {"agrees": 1, "circular": 1}, ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("extremes")
    paths: list[Path] = []
    for name, (fill, _, _) in BOOKS.items():
        paths.append(folder / f"{name}.xlsx")
        with xlsxwriter.Workbook(paths[-1]) as book:
            fill(book, book.add_worksheet())
    done = subprocess.run([sys.executable, "-c", CHILD, *map(str, paths)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(BOOKS, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("name", BOOKS)
def test_an_extreme_formula_costs_only_itself(results: dict[str, dict[str, Any]], name: str) -> None:
    _, counts, reason = BOOKS[name]
    found = results[name]
    assert (found["error"], found["counts"]) == ("None", counts), found
    assert [r for r in found["lacking"] if reason.casefold() in r.casefold()] or not reason, found
    assert bool(found["lacking"]) == bool(reason)


def test_a_chain_without_stored_results_is_computed_to_its_end(results: dict[str, dict[str, Any]]) -> None:
    assert results["chain-bare"]["bottom"] == [float(CHAIN), NUMBER]
