"""A filled block equals its cells one by one: conditions that differ from cell to cell, branches of unlike shapes,
kinds mixed.
"""

from __future__ import annotations

import random

import pytest

from tests.functions.evaluate import Mode, Plain, grid_of, parsed_names
from xlsx_attention.compiling.resolve import Resolver
from xlsx_attention.compiling.survey import make_step
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.model.formula import Block, FormulaForm
from xlsx_attention.parsing import parse
from xlsx_attention.running.machine import Machine
from xlsx_attention.running.run import evaluate

FORMULAS = [
    "IF(A1>0,B1,C1)",
    'IF(A1>0,B1,"none")',
    "IF(A1>0,B1)",
    'IF(ISNUMBER(A1),A1,"-")',
    "SUM(IF(A1>0,B1,A1:C1))",
    "SUM(IF(A1>0,B1:B2,A1:C1))",
    'SUM(IF(A1>0,B1,"5"))',
    "COUNT(IF(A1>0,B1,TRUE))",
    "SUM(IF(A1:C1>0,A1:C1))",
    "IFERROR(A1/B1,C1)",
    'IFERROR(A1+B1,"bad")',
    "IFNA(A1,B1)",
    'IFS(A1>0,"plus",B1>0,C1,TRUE,-1)',
    "IFS(A1>0,B1,B1>0,C1)",
    'SWITCH(A1,1,B1,"a",C1,A1)',
    "SWITCH(A1,1,B1,2,C1)",
    "CHOOSE(A1,B1,C1)",
    "SUM(CHOOSE(IF(A1>0,1,2),A1:C1,B1))",
    "AND(A1,B1)",
    "AND(A1:C1)",
    "OR(A1>0,B1:C1)",
    "XOR(A1:B1,C1>1)",
    "NOT(A1)",
    "ISNUMBER(A1)+ISTEXT(B1)+ISBLANK(C1)+ISERROR(A1)",
    "ISLOGICAL(A1)",
    "N(A1)&T(B1)",
    "LET(x,A1,y,B1,IF(x=y,x,y))",
    "LET(f,LAMBDA(n,n&B1),f(A1))",
    "ROW()*100+COLUMN()",
    "ROW(A1)+COLUMN(B$1)",
    "SUM(ROW($A1:A3))",
    'MATCH(A1,A$1:A$4,0)',
    "MATCH(A1,$A1:$C1)",
    "VLOOKUP(A1,$A$1:$C$4,2,FALSE)",
    "LOOKUP(A1,A$1:A$4,B$1:B$4)",
    "INDEX($A$1:$C$4,2,1)&A1",
    "INDEX($A$1:$C$4,A1,2)",
    "INDEX(A1:C2,B1,A1)",
    "INDEX($A:$A,A1)",
    "INDEX($A$1:$C$1,A1)",
    "INDEX(B$1:B$4,MATCH(A1,A$1:A$4,0))",
    "SUM(INDEX($A$1:$C$4,A1,0))",
    "SUM(INDEX($A$1:$C$4,0,2))+A1",
    "ROW(INDEX($A$1:$A$4,A1))",
    "SUM(A1:INDEX(A1:A4,2))",
    "INDEX({1,2;3,4},A1,B1)",
    'LEFT(A1&"xyz",2)&LEN(B1)',
    "TEXT(A1,\"0.0\")",
    'TEXTJOIN("-",TRUE,A1:C1)',
    "CONCAT(A1:C1)",
    "TYPE(A1)",
    "ISEVEN(A1)",
    "SUM(MAP(A1:C1,LAMBDA(x,IF(ISNUMBER(x),x*2,0))))",
    "COUNTA(UNIQUE(A1:C1,TRUE))",
    "SUM(OFFSET(A1,0,0,1,2))",
]  # fmt: skip

VALUES: list[Plain] = [None, 0.0, 1.0, 2.0, -1.5, "a", "A", "1", "", "TRUE", True, False, "#N/A", "#DIV/0!"]


def sheets(seed: str, count: int) -> list[dict[str, Plain]]:
    """Sheets of values of all kinds at A1:D6; the first are numbers alone, as most sheets are."""
    draw = random.Random(seed)
    places = [cell_name(row, column) for row in range(6) for column in range(4)]
    numbers = [value for value in VALUES if type(value) is float]
    return [{place: draw.choice(numbers if i < 2 else VALUES) for place in places} for i in range(count)]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("mode", ["plain", "dynamic"])
def test_a_block_equals_its_cells(formula: str, mode: Mode) -> None:
    """Three rows and two columns at F1, filled from its first cell."""
    rect = Rect.parse("F1:G3")
    tree = parse(formula, 0, 5)
    for cells in sheets(formula, 20):
        grid = grid_of({"H9": None, **cells})
        resolver = Resolver(grid, parsed_names(grid))
        resolved = resolver.resolve(tree, 0, 0, 5)
        block = Block(0, rect, FormulaForm(formula, tree), mode, formula)
        step = make_step(0, block, resolved, grid, resolver.called)
        machine = Machine(grid, [sheet.cached for sheet in grid.sheets], resolver.called, parse)
        number, kind = evaluate(machine, step, rect).full()
        for row, column in rect.cells():
            one_number, one_kind = evaluate(machine, step, Rect.cell(row, column)).full()
            i, j = row - rect.top, column - rect.left
            at = (min(i, number.shape[0] - 1), min(j, number.shape[1] - 1), 0, 0)
            together = grid.scalar(float(number[at]), int(kind[at]))
            alone = grid.scalar(float(one_number[0, 0, 0, 0]), int(one_kind[0, 0, 0, 0]))
            assert together == alone, (cell_name(row, column), cells)
