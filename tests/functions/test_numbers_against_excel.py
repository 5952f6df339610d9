"""Every computed cell of public workbooks against the value that Excel stored, from its precedents' stored values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functions.evaluate import computed_cells

#: Cells that differ, and whose fault that is.
TAIL = (
    "ill-conditioned: one unit of the probability's last place moves x by 1e-13, the incomplete beta function by more"
)
NEAR_ONE = "Excel's logarithm of gamma loses nine digits next to 1; ours has them (ln Γ(1 + x) ≈ −0.5772156649 x)"
SHEETS_DIGITS = "saved by Google Sheets with ten digits"
DIFFERENT = {
    "BETADIST_BETAINV.xlsx": {"Sheet1!H26": TAIL},
    "GAMMALN_GAMMALNPRECISE.xlsx": {
        f"GAMMALN GAMMALN.PRECISE!{cell}": NEAR_ONE for cell in ("B23", "B24", "C23", "C24")
    },
    "GEOMEAN.xlsx": {
        "Sheet1!C23": SHEETS_DIGITS,
        "Sheet1!G27": SHEETS_DIGITS,
    },
}

MATHEMATICS = [
    "ABS",
    "ATAN2_POWER",
    "COMBIN_COMBINA",
    "EVEN_ODD",
    "FACT_DOUBLEFACT",
    "GCD_LCM",
    "LOG_LOG10_LN",
    "MOD_QUOTIENT",
    "MULTINOMIAL",
    "PRODUCT",
    "ROUND",
    "SERIESSUM",
    "SUMIFS",
    "SUMIF_array",
    "SUMSQ",
    "TRIGONOMETRIC",
]
STATISTICS = [
    "AVEDEV",
    "BETADIST_BETAINV",
    "BINOM",
    "CHISQ_TEST",
    "CORREL_SLOPE_INTERCEPT_RSQ_STEYX",
    "COUNTIF",
    "COVARIANCE",
    "EXPONDIST",
    "FISHER",
    "FREQUENCY",
    "F_TEST",
    "GAMMALN_GAMMALNPRECISE",
    "GEOMEAN",
    "LINEST_LOGEST",
    "MEADIAN_KURT_SKEW_HARMEAN",
    "MIN_MAX",
    "NORM_DIST",
    "PERCENTIL_QUARTIL",
    "PHI",
    "PROB",
    "SMALL_LARGE",
    "STDEV",
    "TRIMMEAN",
    "T_TEST",
    "WEIBULL_DIST",
]
FILES = [f"MATH_AND_TRIGONOMETRY/{name}.xlsx" for name in MATHEMATICS] + [
    f"STATISTICAL/{name}.xlsx" for name in STATISTICS
]
NEED_SCIPY = {"BETADIST_BETAINV.xlsx", "BINOM.xlsx", "CHISQ_TEST.xlsx", "F_TEST.xlsx", "T_TEST.xlsx"}


@pytest.mark.parametrize("file", FILES)
def test_every_cell_of_the_parity_suite_agrees(corpus: Path, file: str) -> None:
    path = corpus / "ironcalc" / file
    if path.name in NEED_SCIPY:
        pytest.importorskip("scipy")
    cells = list(computed_cells(path))
    wrong = {
        cell.where: (cell.formula, cell.cached.python, cell.ours.python) for cell in cells if not cell.agrees(1e-12)
    }
    print(f"{file}: {len(cells)} cells, {sum(c.same_bits for c in cells)} equal to the bit, {len(wrong)} different")
    assert cells
    assert wrong.keys() == DIFFERENT.get(path.name, {}).keys(), wrong


#: Computed cells, and how many of them are equal to the bit. The rest: two EXP near 1e-64, and three cells of
#: `excel-transformer` whose own cached factors do not give the cached product.
BITS = {
    "ai-by-hand/Backpropgation.xlsx": (126, 126),
    "ai-by-hand/LSTM.xlsx": (1632, 1632),
    "ai-by-hand/LeakyReLU.xlsx": (68, 68),
    "ai-by-hand/Self-Attention.xlsx": (1552, 1552),
    "ai-by-hand/Softmax.xlsx": (92, 92),
    "ai-by-hand/Temperature.xlsx": (257, 257),
    "ai-by-hand/Transformer-Full-Stack.xlsx": (4583, 4581),
    "ai-by-hand/Transformer.xlsx": (394, 394),
    "ai-by-hand/W1_Dot-Product.xlsx": (50, 50),
    "ai-by-hand/W3_Linear-Layer.xlsx": (74, 74),
    "backprop-class/backprop.xlsx": (856, 856),
    "excel-transformer/Transformer.xlsx": (32422, 32419),
    "pysheetgrader/TestModeKey.xlsx": (172, 172),
    "pysheetgrader/TestModeSubmission.xlsx": (85, 85),
}


@pytest.mark.parametrize("file", BITS)
def test_bits_of_neural_network_workbooks(corpus: Path, file: str) -> None:
    count, bits = BITS[file]
    cells = list(computed_cells(corpus / file))
    same = sum(cell.same_bits for cell in cells)
    print(f"{file}: {len(cells)} cells, {same} equal to the bit")
    assert [cell.where for cell in cells if not cell.agrees(1e-12)] == []
    assert len(cells) == count
    assert same >= bits
