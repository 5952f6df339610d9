"""Formulas by chance, the same for every run of one seed, over a small sheet of numbers, texts, logicals and blanks."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.functions.evaluate import Plain

CELLS: dict[str, Plain] = {
    "A1": 1.5, "A2": -2.0, "A3": 0.0, "A4": 7.25, "A5": 3.0, "B1": "text", "B2": "2", "B3": True, "B4": 12.0,
    "B5": 0.125, "C1": 100.0, "C2": -0.5, "C3": 4.0, "C5": 9.0, "D1": 1e-3, "D2": 6.0, "D3": 2.5, "D4": -8.0, "D5": 5.0,
}  # fmt: skip

_VALUES = ["A1", "A2", "A3", "A4", "B4", "C1", "C2", "C4", "D1", "D2", "2", "0.5", "-3", "10"]
_ODD = ["B1", "B2", "B3", '"3"', '"x"', "TRUE", "FALSE", "1/0", "NA()"]
_RANGES = ["A1:A5", "A1:D1", "C1:C5", "D1:D5", "A2:D3", "B1:B5", "A1:D5"]
_ONE = ["ABS", "SIGN", "SQRT", "EXP", "LN", "LOG10", "INT", "EVEN", "ODD", "TANH", "COS", "ATAN", "RADIANS", "DEGREES",
        "FACT", "N", "ISNUMBER", "ISTEXT", "ISBLANK", "ISERROR", "NOT", "LEN", "UPPER", "NORM.S.INV"]  # fmt: skip
_TWO = ["ROUND", "ROUNDUP", "ROUNDDOWN", "POWER", "MOD", "QUOTIENT", "ATAN2", "MROUND", "CEILING.MATH", "FLOOR.MATH",
        "TRUNC", "COMBIN", "REPT", "LEFT", "RIGHT", "EXACT", "LOG", "GCD", "IFERROR", "IFNA"]  # fmt: skip
_REDUCE = ["SUM", "AVERAGE", "MAX", "MIN", "COUNT", "COUNTA", "PRODUCT", "SUMSQ", "MEDIAN", "STDEV.S", "VAR.P", "DEVSQ",
           "AVEDEV", "AND", "OR", "MAXA", "AVERAGEA", "COUNTBLANK", "GEOMEAN"]  # fmt: skip
_SHAPES = [
    "SUMPRODUCT({r},{r})", "SUM(MMULT({r},TRANSPOSE({r})))", "SUM({r}*2)", "MAX(EXP({r}))", "INDEX({r},{n},1)",
    "MATCH({v},{r},0)", "SUMIF({r},\">\"&{v})", "COUNTIF({r},{v})", "LARGE({r},{n})", "SMALL({r},{n})", "RANK({v},{r})",
    "IF({v}>{v},{e},{e})", "CHOOSE({n},{e},{e},{e})", "IFS({v}>{v},{e},TRUE,{e})", "SUM(IF({r}>{v},{r},0))",
    "PERCENTILE.INC({r},0.25)", "QUARTILE.INC({r},{n})", "CORREL(A1:A5,D1:D5)", "TEXT({v},\"0.00\")",
    "VLOOKUP({v},A1:D5,{n},FALSE)",
]  # fmt: skip
_OPERATORS = ["+", "-", "*", "/", "^", "&", "=", "<", ">=", "<>"]


def formulas(seed: int, count: int) -> Iterator[str]:
    """``count`` formulas, each of which gives one value."""
    chance = random.Random(seed)

    def value() -> str:
        return chance.choice(_ODD if chance.random() < 0.15 else _VALUES)

    def expression(depth: int) -> str:
        if depth == 0:
            return value()
        kind = chance.random()
        if kind < 0.3:
            return f"({expression(depth - 1)}{chance.choice(_OPERATORS)}{expression(depth - 1)})"
        if kind < 0.45:
            return f"{chance.choice(_ONE)}({expression(depth - 1)})"
        if kind < 0.6:
            return f"{chance.choice(_TWO)}({expression(depth - 1)},{expression(depth - 1)})"
        if kind < 0.8:
            return f"{chance.choice(_REDUCE)}({chance.choice(_RANGES)})"
        shape = chance.choice(_SHAPES)
        while "{" in shape:
            for hole, fill in (("{r}", chance.choice(_RANGES)), ("{n}", chance.choice("123")), ("{v}", value())):
                shape = shape.replace(hole, fill, 1)
            shape = shape.replace("{e}", expression(depth - 1), 1)
        return shape

    for _ in range(count):
        yield f"={expression(chance.randint(1, 3))}"
