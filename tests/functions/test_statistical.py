"""Statistics: formula → value, each the example on Microsoft's page of the function, with the digits shown there."""

from __future__ import annotations

import pytest

from tests.functions.evaluate import calculate
from tests.functions.shown import agrees

STRENGTHS = "1345,1301,1368,1322,1310,1370,1318,1350,1303,1299"
ROWS = [
    ("=AVEDEV(4,5,6,7,5,4,3)", "1.020408"),
    ("=DEVSQ(4,5,8,7,11,4,3)", "48"),
    ("=GEOMEAN(4,5,8,7,11,4,3)", "5.476987"),
    ("=HARMEAN(4,5,8,7,11,4,3)", "5.028376"),
    ("=KURT(3,4,5,2,3,4,5,6,4,7)", "-0.151799637"),
    ("=SKEW(3,4,5,2,3,4,5,6,4,7)", "0.359543071"),
    ("=SKEW.P(3,4,5,2,3,4,5,6,4,7)", "0.303193339"),
    (f"=STDEV({STRENGTHS})", "27.46391572"),
    (f"=STDEVP({STRENGTHS})", "26.05455814"),
    (f"=VAR({STRENGTHS})", "754.2666667"),
    (f"=VAR.P({STRENGTHS})", "678.84"),
    ("=STDEV.S(5)", "#DIV/0!"),
    # The difference of squares would lose every digit here; by hand: deviations −6, −3, 3, 6, squares 90, over 3.
    ("=VAR(100000004,100000007,100000013,100000016)", "30"),
    ("=LARGE({3,5,3,5,4;4,2,4,6,7},3)", "5"),
    ("=LARGE({3,5,3,5,4;4,2,4,6,7},7)", "4"),
    ("=SMALL({1;4;8;3;7;12;54;8;23},2)", "3"),
    ("=LARGE({1,2,3},{1,2})", "3|2"),
    ("=MEDIAN(1,2,3,4,5)", "3"),
    ("=MEDIAN(1,2,3,4,5,6)", "3.5"),
    ("=MODE({5.6,4,4,3,2,4})", "4"),
    ("=MODE({1,2,3})", "#N/A"),
    ("=MODE.MULT({1;2;3;4;3;2;1;2;3;5;6;1})", "1;2;3"),
    ("=PERCENTILE({1,3,2,4},0.3)", "1.9"),
    ("=QUARTILE({1,2,4,7,8,9,10,12},1)", "3.5"),
    ("=QUARTILE.EXC({6;7;15;36;39;40;41;42;43;47;49},1)", "15"),
    ("=QUARTILE.EXC({6;7;15;36;39;40;41;42;43;47;49},3)", "43"),
    ("=PERCENTRANK({13,12,11,8,4,3,2,1,1,1},2)", "0.333"),
    ("=PERCENTRANK({13,12,11,8,4,3,2,1,1,1},4)", "0.555"),
    ("=PERCENTRANK({13,12,11,8,4,3,2,1,1,1},5)", "0.583"),
    ("=TRIMMEAN({4,5,6,7,2,3,4,5,1,2,3},0.2)", "3.778"),
    ("=FREQUENCY({79;85;78;85;50;81;95;88;97},{70;79;89})", "1;2;4;2"),
    ("=CORREL({3,2,4,5,6},{9,7,12,15,17})", "0.997054486"),
    ("=COVAR({3,2,4,5,6},{9,7,12,15,17})", "5.2"),
    ("=COVARIANCE.S({2,4,8},{5,11,12})", "9.666666667"),
    ("=PEARSON({9,7,5,3,1},{10,6,1,5,3})", "0.699379"),
    ("=RSQ({2,3,9,1,8,7,5},{6,5,11,7,5,4,4})", "0.05795"),
    ("=SLOPE({2,3,9,1,8,7,5},{6,5,11,7,5,4,4})", "0.305556"),
    ("=INTERCEPT({2,3,9,1,8},{6,5,11,7,5})", "0.0483871"),
    ("=STEYX({2,3,9,1,8,7,5},{6,5,11,7,5,4,4})", "3.305719"),
    ("=FORECAST(30,{6,7,9,15,21},{20,28,31,38,40})", "10.607253"),
    ("=PROB({0,1,2,3},{0.2,0.3,0.1,0.4},2)", "0.1"),
    ("=PROB({0,1,2,3},{0.2,0.3,0.1,0.4},1,3)", "0.8"),
    ("=STANDARDIZE(42,40,1.5)", "1.33333333"),
    ("=FISHER(0.75)", "0.9729551"),
    ("=FISHERINV(0.972955)", "0.75000"),
    ("=PHI(0.75)", "0.301137432"),
    ("=GAUSS(2)", "0.47725"),
    ("=NORM.DIST(42,40,1.5,TRUE)", "0.9087888"),
    ("=NORMDIST(42,40,1.5,FALSE)", "0.10934"),
    ("=NORMSDIST(1.333333)", "0.908788726"),
    ("=NORMINV(0.908789,40,1.5)", "42.000002"),
    ("=NORMSINV(0.9088)", "1.3334"),
    ("=ERF(0.745)", "0.70792892"),
    ("=ERF(1)", "0.84270079"),
    ("=ERFC(1)", "0.15729921"),
    ("=CONFIDENCE(0.05,2.5,50)", "0.692952"),
    ("=GAMMALN(4)", "1.7917595"),
    ("=GAMMA(2.5)", "1.329"),
    ("=EXPON.DIST(0.2,10,TRUE)", "0.86466472"),
    ("=EXPON.DIST(0.2,10,FALSE)", "1.35335283"),
    ("=WEIBULL.DIST(105,20,100,TRUE)", "0.929581"),
    ("=WEIBULL.DIST(105,20,100,FALSE)", "0.035589"),
    ("=LOGNORM.DIST(4,3.5,1.2,TRUE)", "0.0390836"),
    ("=LOGNORM.DIST(4,3.5,1.2,FALSE)", "0.0176176"),
    ("=LOGNORM.INV(0.039084,3.5,1.2)", "4.0000252"),
    ("=BINOM.DIST(6,10,0.5,FALSE)", "0.2050781"),
    ("=BINOM.DIST.RANGE(60,0.75,48)", "0.084"),
    ("=BINOM.DIST.RANGE(60,0.75,45,50)", "0.524"),
    ("=NEGBINOM.DIST(10,5,0.25,FALSE)", "0.0550487"),
    ("=POISSON.DIST(2,5,FALSE)", "0.084224"),
    ("=HYPGEOM.DIST(1,4,8,20,TRUE)", "0.4654"),
    ("=HYPGEOM.DIST(1,4,8,20,FALSE)", "0.3633"),
    ("=Z.TEST({3,6,7,8,6,5,4,2,1,9},4)", "0.090574"),
]

WITH_SCIPY = [
    ("=BINOM.INV(6,0.5,0.75)", "4"),
    ("=NEGBINOM.DIST(10,5,0.25,TRUE)", "0.3135141"),
    ("=POISSON.DIST(2,5,TRUE)", "0.124652"),
    ("=GAMMA.DIST(10.00001131,9,2,FALSE)", "0.032639"),
    ("=GAMMA.DIST(10.00001131,9,2,TRUE)", "0.068094"),
    ("=GAMMA.INV(0.068094,9,2)", "10.0000112"),
    ("=BETA.DIST(2,8,10,TRUE,1,3)", "0.6854706"),
    ("=BETA.DIST(2,8,10,FALSE,1,3)", "1.4837646"),
    ("=BETA.INV(0.685470581,8,10,1,3)", "2.0000000"),
    ("=CHISQ.DIST(0.5,1,TRUE)", "0.52049988"),
    ("=CHISQ.DIST(2,3,FALSE)", "0.20755375"),
    ("=CHISQ.DIST.RT(18.307,10)", "0.0500006"),
    ("=CHISQ.INV(0.93,1)", "3.283020287"),
    ("=CHISQ.INV.RT(0.050001,10)", "18.306973"),
    ("=CHISQ.TEST({58,35;11,25;10,23},{45.35,47.65;17.56,18.44;16.09,16.91})", "0.0003082"),
    ("=F.DIST(15.20686486,6,4,TRUE)", "0.99"),
    ("=F.DIST(15.20686486,6,4,FALSE)", "0.0012238"),
    ("=F.DIST.RT(15.20686486,6,4)", "0.01"),
    ("=F.INV(0.01,6,4)", "0.10930991"),
    ("=F.INV.RT(0.01,6,4)", "15.20686"),
    ("=F.TEST({6,7,9,15,21},{20,28,31,38,40})", "0.64831785"),
    ("=T.DIST(60,1,TRUE)", "0.99469533"),
    ("=T.DIST(8,3,FALSE)", "0.00073691"),
    ("=T.DIST.2T(1.959999998,60)", "0.054645"),
    ("=T.DIST.RT(1.959999998,60)", "0.027322"),
    ("=T.INV(0.75,2)", "0.8164966"),
    ("=T.INV.2T(0.546449,60)", "0.606533"),
    ("=T.TEST({3,4,5,8,9,1,2,4,5},{6,19,3,2,14,4,5,17,1},2,1)", "0.196016"),
    ("=CONFIDENCE.T(0.05,1,50)", "0.284196855"),
]


@pytest.mark.parametrize(("formula", "shown"), ROWS)
def test_formula_gives_the_documented_value(formula: str, shown: str) -> None:
    assert agrees(shown, calculate(formula)), calculate(formula)


@pytest.mark.parametrize(("formula", "shown"), WITH_SCIPY)
def test_distribution_gives_the_documented_value(formula: str, shown: str) -> None:
    pytest.importorskip("scipy")
    assert agrees(shown, calculate(formula)), calculate(formula)


def test_ranks_share_their_places() -> None:
    # Microsoft's pages on RANK.EQ and RANK.AVG.
    cells = {"A2": 7.0, "A3": 3.5, "A4": 3.5, "A5": 1.0, "A6": 2.0}
    assert calculate("=RANK(A3,A2:A6,1)", cells) == 3.0
    assert calculate("=RANK.EQ(A2,A2:A6,1)", cells) == 5.0
    assert calculate("=RANK.AVG(A3,A2:A6,1)", cells) == 3.5
    assert calculate("=RANK(9,A2:A6)", cells) == "#N/A"


def test_straight_lines() -> None:
    # Microsoft's page on LINEST, examples 1 and 3 (figures as shown there).
    assert agrees("2.0000|1.0000", calculate("=LINEST({1;9;5;7},{0;4;2;3},,FALSE)"))
    assert agrees("2.0000;4.0000", calculate("=TREND({0;2;4},{0;1;2},{1;2})"))
    offices = {
        f"{column}{row}": value
        for column, values in {
            "A": (2310, 2333, 2356, 2379, 2402, 2425, 2448, 2471, 2494, 2517, 2540),
            "B": (2, 2, 3, 3, 2, 4, 2, 2, 3, 4, 2),
            "C": (2, 2, 1.5, 2, 3, 2, 1.5, 2, 3, 4, 3),
            "D": (20, 12, 33, 43, 53, 23, 99, 34, 23, 55, 22),
            "E": (142000, 144000, 151000, 150000, 139000, 169000, 126000, 142900, 163000, 169000, 149000),
        }.items()
        for row, value in enumerate(values, 2)
    }
    table = calculate("=LINEST(E2:E12,A2:D12,TRUE,TRUE)", offices)
    assert isinstance(table, list)
    assert agrees("-234.2371645|2553.21066|12529.76817|27.64138737|52317.83051", [table[0]])
    assert agrees("13.26801148|530.6691519|400.0668382|5.429374042|12237.3616", [table[1]])
    assert agrees("0.996747993|970.5784629|#N/A|#N/A|#N/A", [table[2]])
    assert agrees("459.7536742|6|#N/A|#N/A|#N/A", [table[3]])
    assert agrees("1732393319.2|5652135.3|#N/A|#N/A|#N/A", [table[4]])
