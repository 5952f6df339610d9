"""The reference against the values that Excel stored in public workbooks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import openpyxl
import pytest

from xlsx_attention.attention import exp, layer_norm, matmul_in_order, scaled_dot_product, self_attention, sum_in_order

Array = npt.NDArray[np.float64]
RANGE = r"[A-Z]+\d+:[A-Z]+\d+"
MMULT = re.compile(rf"=MMULT\((TRANSPOSE\()?({RANGE})\)?, ?(TRANSPOSE\()?({RANGE})\)?\)")


def cells(sheet: Any, area: str) -> Array:
    return np.array([[cell.value for cell in row] for row in sheet[area]], dtype=np.float64)


def test_products_carry_excels_bits(corpus: Path) -> None:
    file = corpus / "excel-transformer" / "Transformer.xlsx"
    formulas, values = (openpyxl.load_workbook(file, data_only=stored) for stored in (False, True))
    count = 0
    strangers = {}
    for name in ("TRANSFORMER EX1", "TRANSFORMER EX2"):
        for row in formulas[name].iter_rows():
            for cell in row:
                found = MMULT.fullmatch(str(getattr(cell.value, "text", "")))
                if not found:
                    continue
                A, B = cells(values[name], found[2]), cells(values[name], found[4])
                A, B = (A.T if found[1] else A), (B.T if found[3] else B)
                area = cell.value.ref if ":" in cell.value.ref else f"{cell.value.ref}:{cell.value.ref}"
                stored = cells(values[name], area)
                ours = matmul_in_order(A, B)
                count += stored.size
                strangers.update(
                    {(name, cell.coordinate, *at): A.shape[1] for at in np.argwhere(ours != stored).tolist()}
                )
                np.testing.assert_allclose(ours, stored, rtol=2**-52, atol=0)
    # The one other cell is a single product that lies halfway between two numbers: see matmul_in_order.
    assert strangers == {("TRANSFORMER EX1", "TD2666", 2, 1): 1}
    assert count == 4638


def test_sums_and_exponentials_carry_excels_bits(corpus: Path) -> None:
    """Every =EXP(cell) and =SUM(range) of the three self-attention sheets, from the stored value of what it uses."""
    file = corpus / "ai-by-hand" / "Self-Attention.xlsx"
    formulas, values = (openpyxl.load_workbook(file, data_only=stored) for stored in (False, True))
    pattern = re.compile(rf"=(EXP|SUM)\(({RANGE}|[A-Z]+\d+)\)")
    count = {"EXP": 0, "SUM": 0}
    for name in ("small", "medium", "large"):
        for row in formulas[name].iter_rows():
            for cell in row:
                if found := pattern.fullmatch(str(cell.value)):
                    area = found[2] if ":" in found[2] else f"{found[2]}:{found[2]}"
                    used = cells(values[name], area).reshape(1, -1)
                    ours = exp(used) if found[1] == "EXP" else sum_in_order(used)
                    assert ours.tolist() == [[values[name][cell.coordinate].value]], (name, cell.coordinate)
                    count[found[1]] += 1
    assert count == {"EXP": 224, "SUM": 24}


def test_self_attention_sheet(corpus: Path) -> None:
    """Sheet `small`: tokens in columns, so every matrix is read transposed; softmax without the row maximum there."""
    sheet = openpyxl.load_workbook(corpus / "ai-by-hand" / "Self-Attention.xlsx", data_only=True)["small"]
    X, W_q, W_k, W_v = (cells(sheet, area).T for area in ("J5:M10", "C14:H16", "C19:H21", "C37:H39"))
    trace = self_attention(X, W_q, W_k, W_v)
    for step, area in {
        "Q": "J14:M16",
        "K": "J19:M21",
        "V": "J37:M39",
        "scores": "U10:X13",
        "scaled": "U16:X19",
    }.items():
        np.testing.assert_array_equal(getattr(trace, step), cells(sheet, area).T, err_msg=step)
    np.testing.assert_allclose(trace.weights, cells(sheet, "U30:X33").T, rtol=1e-15, atol=0)
    np.testing.assert_allclose(trace.output, cells(sheet, "U37:X39").T, rtol=1e-15, atol=0)


@pytest.fixture(scope="module")
def full_stack(corpus: Path) -> Any:
    file = corpus / "ai-by-hand" / "Transformer-Full-Stack.xlsx"
    return openpyxl.load_workbook(file, data_only=True)["Transformer "]


@pytest.mark.parametrize(
    ("Q", "K", "V", "scaled", "weights", "output"),
    [
        ("CL67:CS69", "CL80:CS82", "CL93:CS95", "DA79:DH86", "DK79:DR86", "DK89:DR91"),
        ("CL70:CS72", "CL83:CS85", "CL96:CS98", "DA101:DH108", "DK101:DR108", "DK111:DR113"),
        ("CL73:CS75", "CL86:CS88", "CL99:CS101", "DA123:DH130", "DK123:DR130", "DK133:DR135"),
    ],
)
def test_masked_decoder_heads(full_stack: Any, Q: str, K: str, V: str, scaled: str, weights: str, output: str) -> None:
    """The sheet adds a causal mask of −99; `scaled` is its sum of scaled scores and mask."""
    mask = cells(full_stack, "DA63:DH70").T
    np.testing.assert_array_equal(mask, np.where(np.tri(8, dtype=bool), 0.0, -99.0))
    trace = scaled_dot_product(*(cells(full_stack, area).T for area in (Q, K, V)), mask, mask_value=-99)
    np.testing.assert_allclose(trace.masked, cells(full_stack, scaled).T, rtol=1e-15, atol=0)
    # The weights of e⁻⁹⁹ and below agree as closely as the others, an error of half a unit in −99 included: 99 · 2⁻⁵³.
    np.testing.assert_allclose(trace.weights, cells(full_stack, weights).T, rtol=2e-14, atol=0)
    np.testing.assert_allclose(trace.output, cells(full_stack, output).T, rtol=1e-14, atol=1e-15)
    filled = scaled_dot_product(*(cells(full_stack, area).T for area in (Q, K, V)), causal=True, mask_value=-99)
    np.testing.assert_allclose(filled.output, trace.output, rtol=1e-14, atol=1e-14)


def test_normalize_of_the_full_stack(full_stack: Any) -> None:
    """Its NORMALIZE is (x − AVERAGE) / (STDEV + 0.001): the sample deviation, epsilon outside the root."""
    X = cells(full_stack, "Z133:AE137").T
    ours = layer_norm(X, deviation="sample", eps=0.001, eps_at="deviation")
    np.testing.assert_allclose(ours, cells(full_stack, "Z140:AE144").T, rtol=1e-13, atol=1e-15)
    assert not np.allclose(layer_norm(X, eps=0.001, eps_at="deviation"), ours, rtol=1e-2)
