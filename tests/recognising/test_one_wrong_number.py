"""Sheets of bare numbers with one wrong number: every role is found, and the wrong number alone is where it begins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import openpyxl
import pytest

import xlsx_attention as xa
from tests.recognising.lessons import ranges, recognised
from tests.recognising.test_course import ACROSS, ROLES, bare, stays
from xlsx_attention.model.address import Rect

Numbers = dict[str, npt.NDArray[np.float64]]
INPUTS = ("X", "W_q", "W_k", "W_v", "mask")
#: Four tokens, three features, and no more steps on the sheet than it takes: scores are scaled in their own formula.
SHORT = {
    "X": "A2:C5",
    "W_q": "F2:H4",
    "W_k": "J2:L4",
    "W_v": "N2:P4",
    "Q": "A9:C12",
    "K": "F9:H12",
    "V": "K9:M12",
    "scaled": "A16:D19",
    "weights": "G16:J19",
    "output": "A23:C26",
}
PLACES = {"course": {**ROLES, "across": ACROSS}, "short": SHORT}
#: What each step is made from, in the order of the lesson.
MADE_FROM = {
    "Q": "X W_q",
    "K": "X W_k",
    "V": "X W_v",
    "across": "K",
    "scores": "Q K",
    "scaled": "scores",
    "masked": "scaled",
    "row_max": "masked",
    "exp": "masked row_max",
    "normaliser": "exp",
    "weights": "exp normaliser",
    "output": "weights V",
}
#: (sheet, role): one number of each step that the sheet shows.
CASES = [(sheet, role) for sheet, places in PLACES.items() for role in MADE_FROM if role in places and role != "across"]


def made(role: str, at: Numbers) -> npt.NDArray[np.float64]:
    """One step as it is taught."""
    match role:
        case "Q" | "K" | "V":
            return at["X"] @ at[f"W_{role.lower()}"]
        case "across":
            return at["K"].T
        case "scores":
            return at["Q"] @ at["K"].T
        case "scaled":
            return at["scores"] / np.sqrt(at["K"].shape[1])
        case "masked":
            return np.where(at["mask"] == 0, -1e9, at["scaled"]) if "mask" in at else at["scaled"]
        case "row_max":
            return at["masked"].max(axis=1, keepdims=True)
        case "exp":
            return np.exp(at["masked"] - at["row_max"])
        case "normaliser":
            return at["exp"].sum(axis=1, keepdims=True)
        case "weights":
            return at["exp"] / at["normaliser"]
        case _:
            return at["weights"] @ at["V"]


def followed(at: Numbers, changed: str | None) -> Numbers:
    """All steps, or those that come of ``changed``."""
    fresh = {changed}
    for role, sources in MADE_FROM.items():
        if changed is None or fresh & set(sources.split()):
            at = {**at, role: made(role, at)}
            fresh.add(role)
    return at


def lesson(sheet: str, project: Path) -> Numbers:
    if sheet == "short":
        rng = np.random.default_rng(3)
        return followed({role: rng.normal(0, 1, Rect.parse(SHORT[role]).shape).round(1) for role in INPUTS[:4]}, None)
    page = openpyxl.load_workbook(project / "workbooks" / "course-self-attention.xlsx", data_only=True).worksheets[0]
    inputs = {
        role: np.array([[float(cell.value) for cell in line] for line in page[PLACES[sheet][role]]]) for role in INPUTS
    }
    return followed(inputs, None)


def typed(path: Path, places: dict[str, str], at: Numbers, decimals: int | None) -> None:
    book = openpyxl.Workbook()
    for role, place in places.items():
        rect = Rect.parse(place)
        for row, column in rect.cells():
            value = float(at[role][row - rect.top, column - rect.left])
            value = value if decimals is None else round(value, decimals)
            book.active.cell(row + 1, column + 1, int(value) if value.is_integer() else value)
    book.save(path)


@pytest.mark.parametrize("dependants", ["as they were", "recomputed"])
@pytest.mark.parametrize("decimals", [None, 2], ids=["full", "two"])
@pytest.mark.parametrize(("sheet", "role"), CASES, ids=[f"{sheet}-{role}" for sheet, role in CASES])
def test_one_wrong_number(
    project: Path, tmp_path: Path, sheet: str, role: str, decimals: int | None, dependants: str
) -> None:
    at, places = lesson(sheet, project), PLACES[sheet]
    wrong, column = at[role].copy(), min(1, at[role].shape[1] - 1)
    wrong[2, column] += 0.37
    at = {**at, role: wrong}
    typed(tmp_path / "one.xlsx", places, followed(at, role) if dependants == "recomputed" else at, decimals)
    report = xa.verify(tmp_path / "one.xlsx")
    assert {name: place for name, place in ranges(report.attention).items() if name in places} == {
        name: place for name, place in places.items() if name != "across"
    }
    rect = Rect.parse(places[role])
    here = Rect.cell(rect.top + 2, rect.left + column).a1
    assert [cell.cell for cell in report.cells if cell.verdict == "origin"] == [here]
    spoilt = [cell for cell in report.cells if cell.verdict == "inherited"]
    assert all(origin.endswith(here) for cell in spoilt for origin in cell.origins)
    if dependants == "as they were":
        assert spoilt == []
    elif decimals is None:
        # Cells that differ from the lesson's own by more than the last bits, apart from the wrong one.
        right, shown = lesson(sheet, project), followed(at, role)
        differ = sum(int((np.abs(shown[name] - right[name]) > 1e-9).sum()) for name in places) - 1
        assert len(spoilt) == differ


def scattered(seed: int) -> list[npt.NDArray[np.float64]]:
    """Tables of random numbers in the shapes of an attention, none made of another; lines of some sum to 1."""
    rng = np.random.default_rng(seed)
    tokens, tables = int(rng.integers(3, 7)), []
    for _ in range(14):
        table = rng.normal(0, 1.5, (int(rng.choice([tokens, tokens, 1, 4])), int(rng.choice([tokens, 4, 3, 1]))))
        weights = np.exp(table) / np.exp(table).sum(axis=1, keepdims=True)
        kinds = [(table * 3).round(), table.round(1), table.round(2), weights.round(2), (table > 0).astype(np.float64)]
        tables.append(kinds[int(rng.integers(5))])
    return tables


@pytest.mark.parametrize("seed", range(25))
def test_no_attention_in_random_tables(tmp_path: Path, seed: int) -> None:
    book, top = openpyxl.Workbook(), 1
    for table in scattered(seed):
        for (i, j), value in np.ndenumerate(table):
            book.active.cell(top + i, 1 + j, float(value))
        top += table.shape[0] + 2
    book.save(tmp_path / "random.xlsx")
    assert recognised(tmp_path / "random.xlsx").attentions == ()


@pytest.mark.parametrize("decimals", [None, 2], ids=["full", "two"])
@pytest.mark.parametrize(
    "name", ["ai-by-hand/LSTM", "ai-by-hand/Backpropgation", "ai-by-hand/Softmax", "backprop-class/backprop"]
)
def test_no_attention_in_other_lessons(corpus: Path, tmp_path: Path, name: str, decimals: int | None) -> None:
    bare(corpus / f"{name}.xlsx", tmp_path / "bare.xlsx", stays, decimals, labels=True)
    assert recognised(tmp_path / "bare.xlsx").attentions == ()


@pytest.mark.parametrize("decimals", [None, 2], ids=["full", "two"])
@pytest.mark.parametrize(
    ("sheet", "cell"),
    [(0, "M14"), (0, "U17"), (1, "Z26"), (1, "AG22"), (2, "AK29"), (2, "AO35")],
    ids=["Q", "scaled-0", "scaled-1", "scaled-1-first", "scaled-2", "scaled-2-last"],
)
def test_one_wrong_number_in_a_public_lesson(
    corpus: Path, tmp_path: Path, sheet: int, cell: str, decimals: int | None
) -> None:
    """Tokens in columns, most numbers whole, the softmax's input one of two tables that would do."""
    path = tmp_path / "bare.xlsx"
    bare(corpus / "ai-by-hand" / "Self-Attention.xlsx", path, stays, decimals, labels=True)
    book = openpyxl.load_workbook(path)
    book.worksheets[sheet][cell].value += 0.57
    book.save(path)
    report = xa.verify(path)
    assert len(report.attention.attentions) == 3
    assert "scaled" in ranges(report.attention, sheet)
    assert [wrong.cell for wrong in report.cells if wrong.verdict == "origin"] == [cell]
