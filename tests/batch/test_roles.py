"""A student who laid out an attention sheet anew, without a word of the key's: blocks are found by their roles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from xlsx_attention.batch.grading.books import load_key
from xlsx_attention.batch.grading.marks import Grader
from xlsx_attention.batch.grading.rubric import parse_rubric
from xlsx_attention.model.address import Rect, cell_name
from xlsx_attention.pipeline import verify_file
from xlsx_attention.writing import open_workbook

Corner = tuple[int, int]
#: Where the key has its blocks (row, column), and where the student put them.
KEY: dict[str, Corner] = {
    "X": (1, 1),
    "W_q": (1, 5),
    "W_k": (1, 8),
    "W_v": (1, 11),
    "Q": (6, 1),
    "K": (6, 5),
    "V": (6, 9),
    "scores": (11, 1),
    "scaled": (11, 6),
    "exp": (16, 1),
    "normaliser": (16, 6),
    "weights": (16, 9),
    "output": (21, 1),
}
OWN: dict[str, Corner] = {
    "X": (2, 20),
    "W_q": (8, 20),
    "W_k": (13, 20),
    "W_v": (18, 20),
    "Q": (8, 25),
    "K": (13, 25),
    "V": (18, 25),
    "scores": (8, 30),
    "scaled": (13, 30),
    "exp": (18, 30),
    "normaliser": (18, 35),
    "weights": (8, 38),
    "output": (14, 38),
}
X = np.array([[1.0, 0.5, -1.0], [0.25, 2.0, 1.0], [-0.5, 1.0, 0.75]])
W_Q = np.array([[0.5, -1.0], [0.25, 0.75], [1.0, 0.5]])
W_K = np.array([[-0.25, 0.5], [1.0, 0.25], [0.75, -0.5]])
W_V = np.array([[1.0, 0.25], [-0.5, 1.5], [0.5, 0.5]])


def sheet(path: Path, at: dict[str, Corner], labels: bool, divisor: float) -> Path:
    """Self-attention of three tokens, worked with NumPy; ``divisor`` of the scores (√2 is right)."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T
    scaled = scores / divisor
    exp = np.exp(scaled)
    total = exp.sum(axis=1, keepdims=True)
    values = {"Q": Q, "K": K, "V": V, "scores": scores, "scaled": scaled, "exp": exp, "normaliser": total}
    values |= {"weights": exp / total, "output": exp / total @ V}

    def cell(name: str, i: int, j: int) -> str:
        return cell_name(at[name][0] + i, at[name][1] + j)

    def line(name: str, i: int, width: int) -> str:
        return f"${cell(name, i, 0)}:${cell(name, i, width - 1)}"

    def column(name: str, j: int, height: int) -> str:
        first, last = (cell(name, i, j) for i in (0, height - 1))
        letters = first.rstrip("0123456789")
        return f"{letters}${first[len(letters) :]}:{letters}${last[len(letters) :]}"

    formulas = {
        "Q": lambda i, j: f"MMULT({line('X', i, 3)},{column('W_q', j, 3)})",
        "K": lambda i, j: f"MMULT({line('X', i, 3)},{column('W_k', j, 3)})",
        "V": lambda i, j: f"MMULT({line('X', i, 3)},{column('W_v', j, 3)})",
        "scaled": lambda i, j: f"{cell('scores', i, j)}/{'SQRT(2)' if divisor != 2 else '2'}",
        "exp": lambda i, j: f"EXP({cell('scaled', i, j)})",
        "normaliser": lambda i, j: f"SUM({line('exp', i, 3)})",
        "weights": lambda i, j: f"{cell('exp', i, j)}/${cell('normaliser', i, 0)}",
        "output": lambda i, j: f"MMULT({line('weights', i, 3)},{column('V', j, 3)})",
    }
    with open_workbook(path) as book:
        page = book.add_worksheet("work")
        for name, matrix in (("X", X), ("W_q", W_Q), ("W_k", W_K), ("W_v", W_V)):
            page.write_numbers(*at[name], matrix)
        for name, formula in formulas.items():
            page.write_block_cached(*at[name], formula, values[name])
        # One array formula for Q·Kᵀ.
        top, left = at["scores"]
        q, k = (f"{cell(name, 0, 0)}:{cell(name, 2, 1)}" for name in ("Q", "K"))
        page.write_array_cached(Rect(top, left, top + 3, left + 3), f"MMULT({q},TRANSPOSE({k}))", None, scores.tolist())
        for name, (row, col) in at.items() if labels else ():
            page.write_text(row - 1, col, f"{name} of the lesson")
    return path


@pytest.fixture
def grader(tmp_path: Path) -> Grader:
    return Grader(load_key(sheet(tmp_path / "key.xlsx", KEY, True, 2**0.5).read_bytes()), parse_rubric(""))


def test_every_block_is_found_by_its_role(grader: Grader, tmp_path: Path) -> None:
    found = grader.grade(verify_file(sheet(tmp_path / "own.xlsx", OWN, False, 2**0.5)))
    assert found["points"] == found["out_of"] == 9
    assert set(found["matched"]) <= {"role", "shape"}
    assert found["matched"]["role"] >= 7
    places = {move["key"]: move["found"] for move in found["moved"]}
    assert places["work!B7:C9"] == "work!Z9:AA11"
    assert places["work!B12:D14"] == "work!AE9:AG11"


def test_a_slip_there_costs_its_step_alone(grader: Grader, tmp_path: Path) -> None:
    found = grader.grade(verify_file(sheet(tmp_path / "own.xlsx", OWN, False, 2.0)))
    lost = [step["name"] for step in found["steps"] if step["points"] < step["out_of"]]
    assert [name.split()[0] for name in lost] == ["scaled"]
    assert found["points"] == 8


def test_a_rubric_by_roles(tmp_path: Path) -> None:
    key = load_key(sheet(tmp_path / "key.xlsx", KEY, True, 2**0.5).read_bytes())
    rubric = '[[step]]\nrole = "scaled"\npoints = 5\n\n[[step]]\nrole = "weights"\npoints = 2\n'
    found = Grader(key, parse_rubric(rubric)).grade(verify_file(sheet(tmp_path / "own.xlsx", OWN, False, 2.0)))
    assert {step["name"]: step["points"] for step in found["steps"]} == {"scaled": 0, "weights": 2}
