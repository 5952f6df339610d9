"""What cannot be is refused in one line that says what would fit, and nothing is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from xlsx_attention.errors import UsageError
from xlsx_attention.generating import generate, outputs
from xlsx_attention.model.example import ExampleSpec

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"tokens": "a b c d", "length": 3}, r"4 tokens do not fit a length of 3; give --length 4"),
    ({"tokens": ""}, "empty"),
    ({"tokens": ["a", " "]}, "no token"),
    ({"length": 0}, "at least 3"),
    ({"length": 10**9}, "16,384 columns"),
    ({"length": 5000}, r"past Excel's 16,384 columns; a length up to 4,046"),
    ({"length": 1000, "d_model": 8}, r"a length up to \d+ fits"),
    ({"d_model": 20_000, "d_k": 4, "d_v": 4}, "columns"),
    ({"d_model": 8, "heads": 3}, r"does not part into 3 heads; (2|4) heads or d_model 9 would"),
    ({"d_model": 0}, "at least 1"),
    ({"d_k": 0}, "at least 1"),
    ({"heads": 0}, "1 to 64"),
    ({"decimals": 16}, "0 to 15"),
    ({"versions": 0}, "1 to 1000"),
    ({"layout": "diagonal"}, "rows, columns"),
    ({"style": "macro"}, "cell, mmult, spill, lambda"),
    ({"mask": "some"}, "pad, causal, both, none"),
    ({"lang": "fr"}, "zh, en"),
    ({"lessons": ("attention", "attention")}, "twice"),
    ({"lessons": ()}, "attention, multihead"),
    ({"lessons": ("decoder",)}, "cross"),
    ({"mask": "none", "length": 5}, "2 of 5 tokens would get weight that are padding; .* or a length of 3"),
    ({"mask": "causal", "tensors": {"mask": [1, 1, 0]}}, "does not use"),
    ({"tensors": {"mask": [0, 0, 0]}}, "hides every token"),
    ({"tensors": {"mask": [0, 1, 1]}, "mask": "both"}, "first token"),
    ({"tensors": {"mask": [1, 2, 1]}}, "1 .keep. and 0 .hide."),
    ({"tensors": {"mask": [1, 1]}}, "vector of 3"),
    ({"tensors": {"Y": [[1]]}}, "'Y' is not known"),
    ({"tensors": {"X": [[1.0, 2.0]]}}, "3 tokens do not fit a length of 1"),
    ({"tensors": {"X": np.ones((3, 4)), "W_q": np.ones((5, 4))}}, "4×4 fits"),
    ({"tensors": {"X": np.ones((3, 4))}, "d_model": 5}, "4 features, but d_model is 5"),
    ({"tensors": {"X": np.full((3, 4), np.nan)}}, "NaN"),
    ({"tensors": {"X": [["a"]]}}, "something else than numbers"),
    ({"tensors": {"X": np.ones(3)}}, "shape"),
    ({"tensors": {"X": np.ones((3, 4))}, "embedding": True}, "embedding"),
    ({"tensors": {"table": np.ones((3, 4))}}, "--embedding"),
    ({"tensors": {"table": np.ones((2, 4))}, "embedding": True}, "2 rows, but the sentence has 3"),
    ({"exercise": True, "style": "spill"}, "cell and mmult"),
    ({"exercise": True, "mistakes": 1}, "one of them"),
    ({"exercise": True, "blanks": ("projected",)}, "none of the steps"),
    ({"mistakes": 1, "kinds": ("typo",)}, "stale-cache"),
    ({"mistakes": 100}, "has room for"),
    ({"name": "a/b"}, "leave out '/'"),
    ({"name": "x" * 32}, "31"),
    ({"name": "Causal", "lessons": ("attention", "causal")}, "taken"),
]


@pytest.mark.parametrize(("fields", "message"), REFUSED, ids=[str(fields)[:60] for fields, _ in REFUSED])
def test_it_is_refused_and_nothing_is_written(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        generate(ExampleSpec(**fields), tmp_path / "lesson.xlsx")
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_versions_of_given_matrices_would_all_be_one(tmp_path: Path) -> None:
    tensors = {"X": np.ones((3, 4)), **{f"W_{letter}": np.eye(4) for letter in "qkv"}}
    with pytest.raises(UsageError, match="the same"):
        generate(ExampleSpec(tensors=tensors, versions=2), tmp_path / "lesson.xlsx")


def test_an_input_is_never_overwritten_by_any_of_the_files(tmp_path: Path) -> None:
    source = tmp_path / "lesson-02-key.xlsx"
    source.write_bytes(b"mine")
    with pytest.raises(UsageError, match="never overwritten"):
        generate(ExampleSpec(exercise=True, versions=3), tmp_path / "lesson.xlsx", protect=[source])
    assert os.listdir(tmp_path) == [source.name]


def test_the_output_is_a_workbook_in_a_folder_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.xlsx"):
        generate(ExampleSpec(), tmp_path / "lesson.csv")
    with pytest.raises(UsageError, match="does not exist"):
        generate(ExampleSpec(), tmp_path / "absent" / "lesson.xlsx")


def test_files_are_named_by_what_they_are() -> None:
    assert outputs(ExampleSpec(), "a/lesson.xlsx") == [(Path("a/lesson.xlsx"), None)]
    assert outputs(ExampleSpec(exercise=True), "l.xlsx") == [(Path("l.xlsx"), Path("l-key.xlsx"))]
    names = outputs(ExampleSpec(mistakes=1, versions=30), "l.xlsx")
    assert names[0] == (Path("l-01.xlsx"), Path("l-01-answers.xlsx"))
    assert names[29] == (Path("l-30.xlsx"), Path("l-30-answers.xlsx"))
