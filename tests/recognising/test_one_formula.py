"""Attention in one formula: what the formula uses has its roles, though no cell shows the steps between."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import xlsxwriter
from xlsxwriter.worksheet import Worksheet

import xlsx_attention as xa
from tests.recognising.lessons import ranges, recognised
from xlsx_attention.model.address import Rect

Array = npt.NDArray[np.float64]
INPUTS = {"X": "A2:E5", "W_q": "H2:J6", "W_k": "L2:N6", "W_v": "P2:R6"}
PROJECTED = {"Q": "H10:J13", "K": "L10:N13", "V": "P10:R13"}
OUTPUT = "A16:C19"
#: By name: whether Q, K and V stand on the sheet, and the formula of the output.
FORMULAS = {
    "softmax by rows with its maximum": (
        True,
        "LET(S,MMULT(H10:J13,TRANSPOSE(L10:N13))/SQRT(3),E,EXP(S-BYROW(S,LAMBDA(r,MAX(r)))),"
        "MMULT(E/BYROW(E,LAMBDA(r,SUM(r))),P10:R13))",
    ),
    "sums by a column of ones": (
        True,
        "LET(E,EXP(MMULT(H10:J13,TRANSPOSE(L10:N13))/SQRT(3)),MMULT(E/MMULT(E,SEQUENCE(4,1,1,0)),P10:R13))",
    ),
    "from X on": (
        False,
        "LET(Q,MMULT(A2:E5,H2:J6),K,MMULT(A2:E5,L2:N6),V,MMULT(A2:E5,P2:R6),E,EXP(MMULT(Q,TRANSPOSE(K))/SQRT(3)),"
        "MMULT(E/MMULT(E,SEQUENCE(4,1,1,0)),V))",
    ),
}


def put(sheet: Worksheet, place: str, numbers: Array, formula: str | None = None) -> None:
    """A block's numbers, or a formula that fills it with them stored beside it."""
    rect = Rect.parse(place)
    if formula is not None:
        sheet.write_dynamic_array_formula(place, "=" + formula, None, float(numbers[0, 0]))
    for row, column in rect.cells():
        if formula is None or (row, column) != (rect.top, rect.left):
            sheet.write_number(row, column, float(numbers[row - rect.top, column - rect.left]))


@pytest.mark.parametrize("name", FORMULAS)
def test_attention_in_one_formula(tmp_path: Path, name: str) -> None:
    shown, formula = FORMULAS[name]
    rng = np.random.default_rng(1)
    at = {role: rng.normal(size=Rect.parse(place).shape).round(2) for role, place in INPUTS.items()}
    Q, K, V = (at["X"] @ at[f"W_{letter}"] for letter in "qkv")
    E = np.exp(Q @ K.T / np.sqrt(3))
    book = xlsxwriter.Workbook(str(tmp_path / "one.xlsx"), {"use_future_functions": True})
    sheet = book.add_worksheet("one")
    for role, place in INPUTS.items():
        put(sheet, place, at[role])
    if shown:
        for (role, place), made in zip(PROJECTED.items(), (Q, K, V), strict=True):
            put(sheet, place, made, f"MMULT(A2:E5,{INPUTS[f'W_{role.lower()}']})")
    put(sheet, OUTPUT, E / E.sum(axis=1, keepdims=True) @ V, formula)
    book.close()
    found = recognised(tmp_path / "one.xlsx")
    assert ranges(found) == {**INPUTS, **(PROJECTED if shown else {}), "output": OUTPUT}
    [attention] = found.attentions
    [head] = attention.heads
    assert (attention.orientation, attention.kind, head.d_k) == ("rows", "self", 3)
    assert (head.scale, head.softmax_axis, head.output_from) == (pytest.approx(3**0.5), "keys", "weights")
    assert found.others == found.unrecognised == ()
    report = xa.verify(tmp_path / "one.xlsx", rtol=1e-9)
    assert (report.ok, report.findings, report.cells) == (True, (), ())
