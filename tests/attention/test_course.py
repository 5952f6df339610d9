"""The course's example: every figure that its article prints comes out of the reference, rounded as printed.

The inputs are a reconstruction, fitted at two decimals to the article's figures; both are data in `workbooks/`.
"""

from __future__ import annotations

import json
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from xlsx_attention.attention import AttentionTrace, self_attention

WORKBOOKS = Path(__file__).resolve().parents[2] / "workbooks"
INPUTS: dict[str, Any] = json.loads((WORKBOOKS / "course-reconstruction.json").read_text("utf-8"))
PUBLISHED: dict[str, Any] = json.loads((WORKBOOKS / "course-published.json").read_text("utf-8"))
# (step, row, column, printed, decimals), one entry a printed number
FIGURES = [
    (line["step"], line["row"], column, value, line["decimals"])
    for line in PUBLISHED["figures"]
    for column, value in zip(line["columns"], line["values"], strict=True)
]


def course(**options: Any) -> AttentionTrace:
    inputs = (INPUTS[name] for name in ("X", "W_q", "W_k", "W_v"))
    return self_attention(*inputs, **{"mask": INPUTS["mask"], **options})


def rounds_to(value: float, printed: float, decimals: int) -> bool:
    """In decimal arithmetic on the exact value, so that the rounding itself adds no error."""
    unit = Decimal(1).scaleb(-decimals)
    return Decimal(value).quantize(unit, ROUND_HALF_EVEN) == Decimal(str(printed)).quantize(unit)


def hits(trace: AttentionTrace) -> int:
    return sum(rounds_to(getattr(trace, step)[row, column], value, d) for step, row, column, value, d in FIGURES)


def test_there_are_fifty_three_figures() -> None:
    # Counted by hand: X 4, Q 4, K 4, V 4, scores 15, scaled 3, masked 2, weights 5, output 12.
    assert len(FIGURES) == 53


@pytest.mark.parametrize(("step", "row", "column", "printed", "decimals"), FIGURES)
def test_figure(step: str, row: int, column: int, printed: float, decimals: int) -> None:
    value = getattr(course(), step)[row, column]
    assert rounds_to(value, printed, decimals), f"{step}[{row}, {column}] is {value!r}, the article prints {printed}"


def test_all_figures_at_once() -> None:
    assert hits(course()) == 53


@pytest.mark.parametrize("options", [{"scale": None}, {"scale": 8}, {"mask": None}, {"causal": True}])
def test_the_figures_tell_a_wrong_method_apart(options: dict[str, Any]) -> None:
    assert hits(course(**options)) < 53


def test_shapes_are_the_published_ones() -> None:
    trace = course()
    for step in ("X", "Q", "K", "V", "scores", "weights", "output"):
        assert getattr(trace, step).shape == tuple(PUBLISHED["shapes"][step])


def test_padding_columns_hold_the_filler_and_weigh_nothing() -> None:
    trace = course()
    assert (trace.masked[:, 3:] == -1e9).all()
    assert (trace.exp[:, 3:] == 0).all()
    assert (trace.weights[:, 3:] == 0).all()
    assert trace.divisor == np.sqrt(8)
