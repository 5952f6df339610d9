"""Attention as Python code asks for it: by role, and the recomputed numbers of a role."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import xlsx_attention as xa
from tests.reading import packages
from xlsx_attention.model.address import Rect
from xlsx_attention.model.role import ROLES, Attention, AttentionMap, Head, Place


@pytest.fixture(scope="module")
def course(project: Path) -> xa.FileReport:
    return xa.verify(project / "workbooks" / "course-self-attention.xlsx")


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_an_attribute_of_the_first_head_or_of_all(role: str) -> None:
    place, other = Place(0, Rect.cell(3, 4)), Place(0, Rect.cell(7, 7))
    heads = Head({role: place}, 1), Head({role: other}, 1)
    assert getattr(Attention(0, "rows", "self", heads), role) is place
    assert getattr(Attention(0, "rows", "self", (Head({}, 1), heads[1]), {role: place}), role) is place


def test_a_role_that_is_not_there_is_named_with_those_that_are() -> None:
    place = Place(0, Rect.cell(0, 0))
    attention = Attention(0, "rows", "self", (Head({"weights": place, "Q": place}, 1),), {"X": place})
    with pytest.raises(AttributeError, match=r"no 'W_o' on its sheet; its roles: X, Q, weights$"):
        _ = attention.W_o
    assert not hasattr(attention, "W_o")
    assert attention.roles == ("X", "Q", "weights")
    assert pickle.loads(pickle.dumps(attention)) == attention


def test_a_map_is_a_sequence_of_its_attentions(project: Path) -> None:
    attention = xa.verify(project / "workbooks" / "four-lessons.xlsx").attention
    assert len(attention) == 4
    assert list(attention) == [attention[i] for i in range(4)]
    assert attention[-1].sheet == attention.attentions[3].sheet
    with pytest.raises(IndexError):
        attention[4]
    assert list(AttentionMap()) == []


def test_the_numbers_of_a_role_are_those_of_the_mathematics(course: xa.FileReport) -> None:
    """Softmax and weighted sum in NumPy, from the numbers of the steps before."""
    attention = course.attention[0]
    scores, weights = course.values(attention.scaled), course.values(attention.weights)
    assert attention.heads[0].mask == "padding"
    scores[:, list(attention.heads[0].masked_columns)] = -np.inf
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(weights, exps / exps.sum(axis=1, keepdims=True), rtol=1e-13)
    np.testing.assert_allclose(course.values(attention.output), weights @ course.values(attention.V), rtol=1e-13)
    np.testing.assert_allclose(
        course.values(attention.Q), course.values(attention.X) @ course.values(attention.W_q), rtol=1e-13
    )


def test_values_come_from_the_inputs_and_what_is_no_number_is_nan(tmp_path: Path) -> None:
    """B1 = A1·3 and C1 = B1+1 for A1 = 2: 6 and 7, whatever the file stores (5 and 6)."""
    row = packages.row(
        1,
        '<c r="A1"><v>2</v></c><c r="B1"><f>A1*3</f><v>5</v></c><c r="C1"><f>B1+1</f><v>6</v></c>'
        '<c r="D1" t="str"><f>"a"&amp;"b"</f><v>ab</v></c><c r="E1" t="b"><v>1</v></c>',
    )
    path = tmp_path / "book.xlsx"
    path.write_bytes(packages.book(row))
    report = xa.verify(path)
    nan = np.nan
    np.testing.assert_array_equal(report.values(Place(0, Rect(0, 0, 2, 6))), [[2, 6, 7, nan, nan, nan], [nan] * 6])
    scattered = Place(0, Rect(0, 0, 1, 3), parts=(Rect.cell(0, 0), Rect.cell(0, 2)))
    np.testing.assert_array_equal(report.values(scattered), [[2, nan, 7]])


def test_values_of_a_sheet_that_was_left_out_are_refused(course: xa.FileReport) -> None:
    with pytest.raises(ValueError, match="sheet 99 is not among the verified sheets"):
        course.values(Place(99, Rect.cell(0, 0)))
