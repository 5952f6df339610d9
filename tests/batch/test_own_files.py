"""Answers and keys that generating leaves among the submissions are named and left out; nothing else is."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.batch.class_set import hostile_files
from xlsx_attention.batch.inputs import gather
from xlsx_attention.generating import generate
from xlsx_attention.model.example import ExampleSpec

SMALL: dict[str, Any] = {"tokens": ("a", "b"), "length": 3, "d_model": 4}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_answers_beside_a_lesson(tmp_path: Path, lang: str) -> None:
    generate(ExampleSpec(**SMALL, lang=lang, mistakes=1), tmp_path / "bob.xlsx")
    found = gather([tmp_path])
    assert [Path(file.name).name for file in found.files] == ["bob.xlsx"]
    assert [(Path(item.name).name, item.reason) for item in found.skipped] == [
        ("bob-answers.xlsx", "holds the answers to planted mistakes, not a submission")
    ]


def test_a_key_beside_its_exercise_and_one_alone(tmp_path: Path) -> None:
    exercise, key = generate(ExampleSpec(**SMALL, exercise=True), tmp_path / "bob.xlsx")
    found = gather([f"{tmp_path}/*.xlsx"])
    assert [Path(file.name).name for file in found.files] == ["bob.xlsx"]
    assert [(Path(item.name).name, item.reason) for item in found.skipped] == [
        ("bob-key.xlsx", "is the key of bob.xlsx, not a submission")
    ]
    # Named by the call, it is meant.
    assert [Path(file.name).name for file in gather([key, exercise]).files] == ["bob-key.xlsx", "bob.xlsx"]
    exercise.unlink()
    assert [Path(file.name).name for file in gather([tmp_path]).files] == ["bob-key.xlsx"]


def test_other_files_of_such_names_are_submissions(tmp_path: Path, original: Path) -> None:
    for name in ("ann.xlsx", "ann-key.xlsx", "ann-answers.xlsx"):
        shutil.copy(original, tmp_path / name)
    generate(ExampleSpec(**SMALL), tmp_path / "bob-answers.xlsx")
    for _, (name, data) in zip(range(7), hostile_files(), strict=False):
        for kind in ("", "-key", "-answers"):
            (tmp_path / f"{name}{kind}.xlsx").write_bytes(data)
    found = gather([tmp_path])
    assert (len(found.files), found.skipped) == (3 + 1 + 21, ())
