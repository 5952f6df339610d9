"""Formulas whose last bits tell how Excel computes: each value was stored by Excel, in the public workbook named."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import calculate

LSTM = "ai-by-hand LSTM.xlsx"
PARITY = "IronCalc's parity suite"
ROWS = [
    # TANH below 1 goes through Kahan's e^x − 1; the C library's tanh misses the last bits of all but −1.
    ("=TANH(-1)", -0.7615941559557649, LSTM),
    ("=TANH(1.5577439500538848)", 0.9150542083021292, LSTM),
    ("=TANH(-0.5641502442629538)", -0.5110502478362681, LSTM),
    ("=TANH(0.0966960739486653)", 0.09639582320840526, LSTM),
    ("=COTH(0.4406868)", 2.4142135310355, PARITY),
    ("=CSCH(0.4406868)", 2.197368192505502, PARITY),
    # Angles are reduced with π to 64 bits.
    ("=CSC(PI()-0.000000000001)", 999788629259.2037, PARITY),
    ("=SEC(PI()/2+0.000000000001)", -999972357604.5276, PARITY),
    ("=SEC(2^20)", 1.0595370908563435, PARITY),
    ("=ACOT(9999999999999)", 1.0000000000001e-13, PARITY),
    # A whole exponent multiplies, a broken one goes through logarithms.
    ("=POWER(-2.4,5)", -79.62624, PARITY),
    ("=POWER(2,PI())", 8.824977827076289, PARITY),
    ("=SIN(1/(10000^(2*2/3)))", 4.641588833596106e-06, "ExcelTransformer Transformer.xlsx"),
    ("=LOG(10,1000)", 0.33333333333333337, PARITY),
    # Deviations come from Σx² − (Σx)²/n and Σx²/n − mean².
    ("=STDEV.P(1,1.2,1.3,0.7)", 0.22912878474779197, PARITY),
    ("=STDEV.S(1,1.2,1.3,0.7)", 0.264575131106459, PARITY),
    ("=STDEVPA(1,TRUE,0,12,5)", 4.445222154178574, PARITY),
    ("=KURT(1,2,3,0.12,1,2,3,3)", -1.2129835263391704, PARITY),
    # ROUNDUP cuts off and adds a unit.
    ("=ROUNDUP(7.123,1)", 7.199999999999999, PARITY),
    ("=MOD(7.4,2.33)", 0.41000000000000014, PARITY),
    ("=MOD(5,0.0000000001)", 9.999981783901343e-11, PARITY),
    ("=SUMSQ(0.1,0.1,-0.1,-0.1)", 0.04000000000000001, PARITY),
    ("=PERCENTILE.EXC({1,2,3,4,5,6,7,8,9,10},0.7)", 7.699999999999999, PARITY),
    ("=EXPON.DIST(3,1,TRUE)", 0.950212931632136, PARITY),
    ("=FISHERINV(0.3095196042031118)", 0.30000000000000004, PARITY),
]


@pytest.mark.parametrize(("formula", "stored", "source"), ROWS)
def test_formula_has_the_stored_bits(formula: str, stored: float, source: str) -> None:
    assert calculate(formula) == stored, source
