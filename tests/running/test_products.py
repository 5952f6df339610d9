"""``SUM(a*b)`` is summed without its products laid out, and gives what laying them out gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.functions.evaluate import Plain, calculate
from xlsx_attention.compiling.resolve import Resolver
from xlsx_attention.compiling.survey import make_step
from xlsx_attention.model.address import Rect
from xlsx_attention.model.budget import Budgets
from xlsx_attention.model.formula import Block, FormulaForm
from xlsx_attention.model.grid import Sheet, WorkbookGrid
from xlsx_attention.model.values import NUMBER, Plane, TextPool
from xlsx_attention.parsing import parse
from xlsx_attention.running.machine import Machine
from xlsx_attention.running.run import evaluate

CELLS: dict[str, Plain] = {"A1": 1.0, "A2": 2.0, "B1": 3.0, "B2": 4.0, "C1": "x", "C2": True, "D1": 1e200, "D2": "#N/A"}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        # By hand; rules of * on Microsoft's page of operators.
        ("=SUM(A1:A2*B1:B2)", 11.0),
        ("=SUMPRODUCT(A1:A2*B1:B2)", 11.0),
        ("=SUM(A1:A2*TRANSPOSE(B1:B2))", 21.0),
        ("=SUM(A1:A2*B1:B2*A1:A2)", 19.0),
        ("=SUM(A1:A2*C1:C2)", "#VALUE!"),
        ("=SUM(A2*C2)", 2.0),
        ("=SUM(A1:A2*E1:E2)", 0.0),
        ("=SUM(A1:A2*D1:D2)", "#N/A"),
        ("=SUM(D1*D1)", "#NUM!"),
        # The product overflows, whatever it is multiplied by.
        ("=SUM(D1:D1*D1:D1*E1:E1)", "#NUM!"),
        ("=SUM({1,2,3}*{1,2})", "#N/A"),
    ],
)
def test_products_summed(formula: str, value: Plain) -> None:
    assert calculate(formula, CELLS) == value


@pytest.mark.parametrize("text", ["SUM($A1:$C1*TRANSPOSE(E$1:E$3))", "SUMPRODUCT($A1:$C1*TRANSPOSE(E$1:E$3))"])
def test_a_block_of_sums_needs_no_room_for_its_products(text: str) -> None:
    # 40 x 30 cells of 3 terms within a budget of 2,000 elements: the products alone would be 3,600.
    numbers = np.random.default_rng(3).normal(size=(40, 40))
    plane = Plane(Rect(0, 0, 40, 40), numbers, np.zeros((40, 40), np.uint8))
    grid = WorkbookGrid("", [Sheet("S", 0, plane)], TextPool(), (), budgets=Budgets(array_elements=2_000))
    rect = Rect(0, 50, 40, 80)
    tree = parse(text, 0, 50)
    # As seen from AY1, the block's first cell, E$1 is 46 columns to the left.
    resolved = Resolver(grid, {}).resolve(tree, 0, 0, 50)
    step = make_step(0, Block(0, rect, FormulaForm(text, tree), "array", text), resolved, grid, {})
    value = evaluate(Machine(grid, [plane], {}, parse), step, rect)
    expected = np.zeros((40, 30))
    for k in range(3):
        expected += numbers[:, k, None] * numbers[None, k, 4:34]
    assert value.shape == (40, 30, 1, 1)
    assert (value.kind == NUMBER).all()
    assert (value.number[:, :, 0, 0] == expected).all()
